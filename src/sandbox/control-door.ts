import type { MiddlewareHandler } from 'hono';

const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/u;

/**
 * Lets programs of this machine steer an emulator, and no web page: a page of another origin names it, and one whose host
 * name was made to point here names that host.
 */
export const controlDoor: MiddlewareHandler = async (context, next) => {
  const host = context.req.header('host') ?? '';
  const origin = context.req.header('origin');
  const isOwn = origin === undefined || origin === `http://${host}`;
  if (LOOPBACK.test(host) && isOwn) return next();
  return context.json({ error: 'The control routes are for programs of this machine.' }, 403);
};
