import { Hono } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import { z } from 'zod';
import { localRequestsOnly } from '../http-server.ts';
import { type FaultPlan, faultSchema } from './faults.ts';
import type { RequestLog } from './request-log.ts';
import { googleVariantsSchema } from './variants.ts';
import type { World } from './world.ts';

/** Creates the routes that control the emulator from another process. They are not logged and have no faults. */
export function controlRoutes(world: World, plan: FaultPlan, log: RequestLog): Hono<{ Bindings: HttpBindings }> {
  const routes = new Hono<{ Bindings: HttpBindings }>();
  routes.use('/__control/*', localRequestsOnly);
  routes.post('/__control/faults', async (context) => {
    const fault = faultSchema.safeParse(await context.req.json());
    if (!fault.success) return context.json({ error: z.prettifyError(fault.error) }, 400);
    plan.add(fault.data);
    return context.json({});
  });
  routes.delete('/__control/faults', (context) => {
    plan.clear();
    return context.json({});
  });
  routes.post('/__control/variants', async (context) => {
    const chosen = z.record(z.string(), z.unknown()).parse(await context.req.json());
    const variants = googleVariantsSchema.safeParse({ ...world.variants, ...chosen });
    if (!variants.success) return context.json({ error: z.prettifyError(variants.error) }, 400);
    world.variants = variants.data;
    return context.json(world.variants);
  });
  routes.get('/__control/requests', (context) => {
    const { requests, overlappingMutations } = log;
    return context.json({ requests, overlappingMutations });
  });
  return routes;
}
