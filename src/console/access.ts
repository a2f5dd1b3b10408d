import type { Context, MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import type { Clock } from '../clock.ts';
import type { LinkConfig } from '../config/config.ts';
import { readBody } from '../read-body.ts';
import { createAllowance } from './allowance.ts';
import { plainPage, type Html } from './layout.ts';
import { useFormToken, type Session, type Sessions } from './sessions.ts';
import { html } from 'hono/html';

/** What requests carry from one step to the next. */
export type Env = {
  Variables: {
    /** The link that the address names. */
    link: LinkConfig;
    /** Who is signed in. */
    session: Session;
    /** The fields of the form that was sent. */
    form: URLSearchParams;
  };
};

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** No browser takes anything from elsewhere, shows the page in another one, or tells others where it was. */
export const protectingHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  context.header('content-security-policy', POLICY);
  // The origin of a form would be hidden too, where nothing at all were told.
  context.header('referrer-policy', 'same-origin');
  context.header('x-frame-options', 'DENY');
  context.header('cross-origin-opener-policy', 'same-origin');
  context.header('cross-origin-resource-policy', 'same-origin');
};

/** Of all who ask together: a person needs a few, with the styles and scripts of each page. */
const REQUESTS = { burst: 200, perSecond: 40 };

/** Answers no more than so many requests, whoever sends them. */
export const limitedRate = (clock: Clock): MiddlewareHandler => {
  const isAllowed = createAllowance(clock, REQUESTS);
  return async (context, next) => {
    if (isAllowed()) return next();
    return context.text('Too many requests at once; try again in a moment.\n', 429, { 'retry-after': '5' });
  };
};

export const refuse = (context: Context, status: 400 | 403 | 404 | 409 | 429, title: string, what: Html | string) =>
  context.html(
    plainPage(
      title,
      html`<p>${what}</p>
        <p><a href="/">Back to the links</a></p>`,
    ),
    status,
  );

/** Whether a form comes from a page of this very address: browsers say where from, and no page can say otherwise. */
const isOwnOrigin = (context: Context): boolean => {
  const origin = context.req.header('origin');
  const host = context.req.header('host');
  return origin !== undefined && host !== undefined && URL.parse(origin)?.host === host.toLowerCase();
};

const LARGEST_FORM_BYTES = 16_384;

const FORM = 'application/x-www-form-urlencoded';

/** Reads the form of every POST that comes from a page of this address; refuses every other. */
export const ownForms: MiddlewareHandler<Env> = async (context, next) => {
  if (context.req.method === 'GET' || context.req.method === 'HEAD') return next();
  if (context.req.method !== 'POST' || !isOwnOrigin(context)) {
    return refuse(context, 403, 'Not from this page', 'This request did not come from a page of this address.');
  }
  if (context.req.header('content-type')?.split(';')[0] !== FORM) {
    return context.text('Only forms of the page are taken.\n', 415);
  }
  const form = await readBody(context.req.raw, LARGEST_FORM_BYTES);
  if (form === null) return context.text('That is more than any form of this page holds.\n', 413);
  context.set('form', new URLSearchParams(form));
  return next();
};

/** Lets those in who are signed in, and takes a form once. */
export const signedIn = (sessions: Sessions, cookie: string): MiddlewareHandler<Env> =>
  createMiddleware<Env>(async (context, next) => {
    const session = sessions.find(getCookie(context, cookie));
    const isForm = context.req.method === 'POST';
    if (session === null) {
      return isForm
        ? refuse(context, 403, 'Not signed in', 'You are not signed in, or no longer. Nothing was done.')
        : context.redirect('/sign-in', 303);
    }
    if (isForm) {
      const check = useFormToken(session, context.get('form').get('token') ?? '');
      if (check === 'wrong') return refuse(context, 403, 'Not from this page', 'The form is none of your session.');
      if (check === 'used')
        return refuse(context, 409, 'Sent twice', 'This form was sent already. Load its page again.');
    }
    context.set('session', session);
    return next();
  });
