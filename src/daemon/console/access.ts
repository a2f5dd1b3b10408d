import type { Context, MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import { every } from 'hono/combine';
import { csrf } from 'hono/csrf';
import { createMiddleware } from 'hono/factory';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import { readBody } from '../../util/http.ts';
import type { Env } from './env.ts';
import { pageIn, plainPage, withQuery, type Html } from './layout.ts';
import type { Sessions } from './sessions.ts';
import { isSameText } from './sign-in-link.ts';
import { html } from 'hono/html';

/** Forbids content from other origins, frames around the page and referrers to other sites. */
export const protectingHeaders: MiddlewareHandler = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    scriptSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
  },
  // The policy `no-referrer` would also remove the origin of forms.
  referrerPolicy: 'same-origin',
  xFrameOptions: 'DENY',
  // A proxy that terminates TLS decides about its own host name.
  strictTransportSecurity: false,
});

export const refuse = (context: Context, status: 400 | 403 | 404 | 429, title: string, what: Html | string) =>
  context.html(
    plainPage(
      title,
      html`<p>${what}</p>
        <p><a href="/">Back to the links</a></p>`,
    ),
    status,
  );

/** A form may name every contact of a plan that the page shows. */
const LARGEST_FORM_BYTES = 262_144;

const FORM = 'application/x-www-form-urlencoded';

/**
 * Refuses forms of other pages: browsers send the origin, and no page can change it. Only the host is compared, because a proxy
 * may have terminated TLS.
 */
const ownOrigin = csrf({
  origin: (origin, context) => {
    const host = context.req.header('host');
    return host !== undefined && URL.parse(origin)?.host === host.toLowerCase();
  },
  secFetchSite: [],
});

const readForm: MiddlewareHandler<Env> = async (context, next) => {
  if (context.req.method === 'GET' || context.req.method === 'HEAD') return next();
  if (context.req.header('content-type')?.split(';')[0] !== FORM) {
    return context.text('Only forms of this page are accepted.\n', 415);
  }
  const form = await readBody(context.req.raw, LARGEST_FORM_BYTES);
  if (form === null) return context.text('The form is larger than 256 KiB.\n', 413);
  context.set('form', new URLSearchParams(form));
  return next();
};

/** Reads the form of each POST from a page of this address, and refuses all others. */
export const ownForms: MiddlewareHandler<Env> = every(ownOrigin, readForm);

/** Answers a request that {@link ownForms} refused. Throws any other error again. */
export const answerRefused = (error: Error, context: Context): Response | Promise<Response> => {
  if (!(error instanceof HTTPException)) throw error;
  return refuse(
    context,
    403,
    'Request refused',
    'The request did not come from this page. Reload the page and try again.',
  );
};

/** The address of the sign-in that leads to the asked page of a link. */
const signInFor = (url: string): string => {
  const { pathname, search } = new URL(url);
  return withQuery('/sign-in', { to: pageIn(pathname + search) });
};

/** Requires a session, and in each form the token of that session. */
export const signedIn = (sessions: Sessions, cookie: string): MiddlewareHandler<Env> =>
  createMiddleware<Env>(async (context, next) => {
    const session = sessions.find(getCookie(context, cookie));
    const isForm = context.req.method === 'POST';
    if (session === null) {
      return isForm
        ? refuse(
            context,
            403,
            'Not signed in',
            'You are not signed in, or the session has expired. Nothing was changed. Sign in again.',
          )
        : context.redirect(signInFor(context.req.url), 303);
    }
    if (isForm && !isSameText(session.formToken, context.get('form').get('token') ?? '')) {
      return refuse(
        context,
        403,
        'Request refused',
        'The form belongs to another session. Reload the page and try again.',
      );
    }
    context.set('session', session);
    return next();
  });
