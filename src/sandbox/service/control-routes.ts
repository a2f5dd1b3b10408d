import type { Hono } from 'hono';
import { z } from 'zod';
import type { EmulatorContext, EmulatorEnv } from './context.ts';
import { localRequestsOnly } from '../http-server.ts';
import { VARIANT_TABLE } from './variants.ts';

const rateLimit = z.object({ requests: z.int().min(1), windowMs: z.int().min(1) });
const tokenOrder = z.object({ scopes: z.array(z.string()).default(['all:manage']) });
const computed = z
  .object({
    last_contacted: z.iso.datetime({ offset: true }).nullish(),
    relationship_status: z.string().optional(),
    assigned_to_id: z.string().nullish(),
  })
  .transform(({ last_contacted: last, relationship_status: status, assigned_to_id: assignedToId }) => ({
    ...(last !== undefined && { lastContactedAtMs: last === null ? null : Date.parse(last) }),
    ...(status !== undefined && { relationshipStatus: status }),
    ...(assignedToId !== undefined && { assignedToId }),
  }));
const tokenName = z.object({ token: z.string() });

/**
 * Adds the routes that control the emulator from another process. To edit as the user, request a token with every
 * scope from `/__control/tokens` and use the API itself.
 */
export const addControlRoutes = (app: Hono<EmulatorEnv>, context: EmulatorContext): void => {
  const { faults, grants, limiter, log } = context;
  app.use('/__control/*', localRequestsOnly);
  app.post('/__control/faults', async (c) => {
    faults.add(await c.req.json());
    return c.json({});
  });
  app.delete('/__control/faults', (c) => {
    faults.clear();
    return c.json({});
  });
  app.get('/__control/variants', (c) => c.json({ table: VARIANT_TABLE, current: context.variants() }));
  app.post('/__control/variants', async (c) => {
    context.setVariants(await c.req.json());
    return c.json(context.variants());
  });
  app.get('/__control/requests', (c) => c.json({ requests: log.all(), overLimit: limiter.overLimit }));
  app.post('/__control/rate-limit', async (c) => {
    limiter.setLimit(rateLimit.parse(await c.req.json()));
    return c.json({});
  });
  // Values that the service computes. No route of its API changes them.
  app.post('/__control/contacts/:id', async (c) => {
    context.account.compute(c.req.param('id'), computed.parse(await c.req.json()));
    return c.json({});
  });
  app.post('/__control/tokens', async (c) => {
    const { scopes } = tokenOrder.parse(await c.req.json());
    return c.json({ token: grants.issueToken(scopes) });
  });
  app.delete('/__control/tokens', async (c) => {
    grants.revokeToken(tokenName.parse(await c.req.json()).token);
    return c.json({});
  });
};
