import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import { isSide } from '../../core/contact/side.ts';
import { errorMessage } from '../../util/errors.ts';
import { isLoopback } from '../../util/http.ts';
import { refuse } from './access.ts';
import type { Env } from './env.ts';
import { plainPage, linkPath } from './layout.ts';
import { linksFor, type LinkParts } from './routing.ts';

/** The address to which a consent page redirects the browser; null if no consent page would redirect to it. */
const redirectOf = (origin: string): string | null => {
  const url = URL.parse(origin);
  return url !== null && (url.protocol === 'https:' || isLoopback(url.hostname)) ? `${url.origin}/connected` : null;
};

const originOf = (context: Context<Env>): string => {
  const isSecure = context.req.header('x-forwarded-proto') === 'https';
  return `${isSecure ? 'https' : 'http'}://${context.req.header('host') ?? ''}`;
};

/** Whether a consent page can redirect the browser to the address of this request. */
export const canReturnTo = (context: Context<Env>): boolean => redirectOf(originOf(context)) !== null;

/**
 * Leads the browser to another site. A redirect would not do, because forms may be sent to this page only, and a redirect from
 * another site has no session cookie.
 */
const leadTo = (context: Context<Env>, title: string, address: string): Response | Promise<Response> => {
  context.header('refresh', `0; url=${address}`);
  return context.html(
    plainPage(title, html`<p><a class="button first" href="${address}" rel="noreferrer">Continue</a></p>`),
  );
};

/** Adds the sign-in at the sides of a link. */
export const addSignIn = (routes: Hono<Env>, { signIns }: LinkParts): void => {
  routes.post('/links/:link/sign-in', async (context) => {
    const { form, link, session } = context.var;
    const side = form.get('side');
    const redirectUri = redirectOf(context.req.header('origin') ?? '');
    const report = (notice: string): Response => {
      session.notice = notice;
      return context.redirect(linkPath(link.name), 303);
    };
    if (!isSide(side) || redirectUri === null) {
      return report('No consent page redirects to this address. Sign in from a terminal.');
    }
    return signIns.begin({ owner: session.id, link, side, redirectUri }).then(
      (address) => leadTo(context, `Sign in at ${link.sides[side].place}`, address),
      (error: unknown) => report(errorMessage(error)),
    );
  });
};

const ANSWER = ['state', 'code', 'error'] as const;
const LONGEST_ANSWER = 4_096;

const answerIn = (context: Context<Env>): URLSearchParams => {
  const answer = new URLSearchParams();
  for (const key of ANSWER) {
    const value = context.req.query(key);
    if (value !== undefined) answer.set(key, value);
  }
  return answer;
};

/**
 * Handles the redirect of a consent page. The request comes from another site, so it has no session cookie. The answer leads to
 * an address of this page, whose request has the cookie.
 */
export const comeBack = (context: Context<Env>): Response | Promise<Response> => {
  const query = answerIn(context).toString();
  if (query.length > LONGEST_ANSWER) return refuse(context, 400, 'Not signed in', 'The answer is too long.');
  return leadTo(context, 'Back from the sign-in', `/connected/finish?${query}`);
};

/** Finishes the sign-in of this session with the state of the answer. */
export const finishSignIn =
  (parts: LinkParts) =>
  async (context: Context<Env>): Promise<Response> => {
    const { session } = context.var;
    if (context.req.method === 'HEAD') return context.body(null);
    const answer = answerIn(context);
    const name = parts.signIns.linkOf(session.id, answer.get('state') ?? '');
    const link = linksFor(parts, context).find((each) => each.name === name);
    if (link === undefined) {
      return refuse(
        context,
        403,
        'Not signed in',
        'This session has not begun that sign-in, or it has expired. Nothing was stored. Begin it again on the page of the link.',
      );
    }
    session.notice = await parts.signIns.finish(session.id, link, answer).then((said) => said.join(' '), errorMessage);
    return context.redirect(linkPath(link.name), 303);
  };
