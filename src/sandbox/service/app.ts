import { type Context, Hono, type Next } from 'hono';
import { loggingAndFaults } from '../faults.ts';
import type { EmulatorContext, EmulatorEnv } from './context.ts';
import { errorResponse, ServiceError } from './errors.ts';
import { isPermitted } from './grants.ts';
import { addOauthRoutes } from './oauth-routes.ts';
import { overLimitResponse, rateHeaders } from './rate-limiter.ts';
import { renderBody } from './render.ts';
import { readJson, type Route, type RouteAnswer } from './route.ts';
import { BUCKET_ROUTES } from './routes/bucket-routes.ts';
import { createContactRoutes } from './routes/contact-routes.ts';
import { USER_ROUTES } from './routes/user-routes.ts';
import type { ServiceVariants } from './variants.ts';

type RequestContext = Context<EmulatorEnv>;

const bearerToken = (c: RequestContext): string | null =>
  /^Bearer (.+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? null;

/** Counts the request against the rate limit, and refuses requests above it. */
const limited = async (c: RequestContext, next: Next, context: EmulatorContext): Promise<void> => {
  const variants = context.variants();
  const nowMs = context.now();
  const key = variants.limitScope === 'token' ? (bearerToken(c) ?? '') : '';
  const admission = context.limiter.admit(key, nowMs, variants);
  if (admission.isAllowed) await next();
  else c.res = overLimitResponse(admission, variants, nowMs);
  for (const [name, value] of Object.entries(rateHeaders(admission, c.res.status, variants, nowMs))) {
    c.res.headers.set(name, value);
  }
};

const authenticated = async (c: RequestContext, next: Next, context: EmulatorContext): Promise<void> => {
  const variants = context.variants();
  c.set('scopes', context.grants.scopesOf(bearerToken(c)));
  if (variants.accountState === 'disabled') throw new ServiceError(402, 'disabled');
  await next();
};

const successStatus = ({ effect }: RouteAnswer, variants: ServiceVariants): 200 | 201 | 204 => {
  if (variants.successStatus === '200' || effect === undefined) return 200;
  return effect === 'created' ? 201 : 204;
};

const serve = async (c: RequestContext, route: Route, context: EmulatorContext): Promise<Response> => {
  const variants = context.variants();
  const scopes = c.get('scopes');
  if (!isPermitted(route.scopes, scopes)) {
    throw new ServiceError(Number(variants.missingScopeStatus), 'User not allowed to perform this action.');
  }
  const body = await readJson(c.req.raw);
  const url = new URL(c.req.url);
  const { account, requests } = context;
  const request = { account, variants, scopes, url, query: url.searchParams, body, shuffle: requests.length };
  const answer = route.answer({ ...request, id: c.req.param('id') ?? '' });
  const status = successStatus(answer, variants);
  if (status === 204) return c.body(null, status);
  return c.body(renderBody(answer.body, variants), status, { 'content-type': 'application/json' });
};

export const createApp = (context: EmulatorContext): Hono<EmulatorEnv> => {
  const app = new Hono<EmulatorEnv>();
  const answerOf = (error: ServiceError): Response => errorResponse(error, context.variants());
  const errorOf = (status: number): Response => answerOf(new ServiceError(status, 'The service had a fault'));
  const serverTime = (): number => context.account.stamps.now();
  app.get('/', (c) => c.json({ sandbox: 'relationship management service', api: '/v2' }));
  app.use(loggingAndFaults({ ...context, serverTime, errorOf }));
  app.use('/v2/*', (c, next) => limited(c, next, context));
  app.use('/v2/*', (c, next) => authenticated(c, next, context));
  addOauthRoutes(app, context);
  for (const route of [...USER_ROUTES, ...BUCKET_ROUTES, ...createContactRoutes()]) {
    app.on(route.method, route.path, (c) => serve(c, route, context));
  }
  app.notFound(() => answerOf(new ServiceError(404, 'No such route')));
  app.onError((error) => answerOf(error instanceof ServiceError ? error : new ServiceError(500, error.message)));
  return app;
};
