import { Hono, type Context } from 'hono';
import { z } from 'zod';
import type { Faults } from './faults.ts';
import { localRequestsOnly } from './http-server.ts';

type Controls = {
  readonly faults: Faults;
  /** Changes some variants and returns all of them. Throws a ZodError on an unknown name or value. */
  readonly setVariants: (patch: unknown) => object;
  /** The received requests, and what the emulator counts. */
  readonly requests: () => object;
};

const refused = (error: Error, context: Context): Response =>
  error instanceof z.ZodError
    ? context.json({ error: z.prettifyError(error) }, 400)
    : context.json({ error: error.message }, 500);

/** Creates the `/__control` routes of an emulator, for other processes. They are not logged and have no faults. */
export const controlRoutes = ({ faults, setVariants, requests }: Controls): Hono => {
  const routes = new Hono();
  routes.use(localRequestsOnly);
  routes.onError(refused);
  routes.post('/faults', async (context) => {
    faults.add(await context.req.json());
    return context.json({});
  });
  routes.delete('/faults', (context) => {
    faults.clear();
    return context.json({});
  });
  routes.post('/variants', async (context) => context.json(setVariants(await context.req.json())));
  routes.get('/requests', (context) => context.json(requests()));
  return routes;
};
