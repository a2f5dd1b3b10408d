import type { MiddlewareHandler } from 'hono';

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/u;

/**
 * Middleware that accepts control requests only from programs of this machine, not from web pages. A page of another origin
 * has that origin in its request, and a page with a rebound host name has that name as host.
 */
export const localRequestsOnly: MiddlewareHandler = async (context, next) => {
  const host = context.req.header('host') ?? '';
  const origin = context.req.header('origin');
  const isOwn = origin === undefined || origin === `http://${host}`;
  if (LOOPBACK.test(host) && isOwn) return next();
  return context.json({ error: 'The control routes are for programs of this machine.' }, 403);
};
