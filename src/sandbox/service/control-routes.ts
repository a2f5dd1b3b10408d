import type { Hono } from 'hono';
import { z } from 'zod';
import { controlRoutes } from '../control-routes.ts';
import type { EmulatorContext } from './context.ts';

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
 * Creates the routes that control the emulator from another process. To edit as the user, request a token with every
 * scope from `/__control/tokens` and use the API itself.
 */
export const serviceControlRoutes = ({ account, grants, limiter, ...context }: EmulatorContext): Hono => {
  const { faults, requests, setVariants } = context;
  const counted = (): object => ({ requests, overLimit: limiter.overLimit });
  const routes = controlRoutes({ faults, setVariants, requests: counted });
  routes.post('/rate-limit', async (c) => {
    limiter.setLimit(rateLimit.parse(await c.req.json()));
    return c.json({});
  });
  // Values that the service computes. No route of its API changes them.
  routes.post('/contacts/:id', async (c) => {
    account.compute(c.req.param('id'), computed.parse(await c.req.json()));
    return c.json({});
  });
  routes.post('/tokens', async (c) =>
    c.json({ token: grants.issueToken(tokenOrder.parse(await c.req.json()).scopes) }),
  );
  routes.delete('/tokens', async (c) => {
    grants.revokeToken(tokenName.parse(await c.req.json()).token);
    return c.json({});
  });
  return routes;
};
