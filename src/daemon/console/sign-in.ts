import { Hono, type Context } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import type { Clock } from '../../util/clock.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import type { Secret } from '../../util/secret.ts';
import { refuse, signedIn } from './access.ts';
import type { Env } from './env.ts';
import { createClientAllowances, clientOf } from './rate-limits.ts';
import { hiddenFields, pageIn, plainPage, type Html } from './layout.ts';
import type { Scope, Sessions } from './sessions.ts';
import { createPassChecker, isSameText } from './sign-in-link.ts';

type SignInParts = {
  readonly sessions: Sessions;
  /** The name of the session's cookie. */
  readonly cookie: string;
  /** The key of the passes of this daemon. */
  readonly key: string;
  readonly token: Secret | null;
  /** The current links. */
  readonly links: () => readonly LinkConfig[];
  readonly clock: Clock;
};

/** The rate of token attempts of each client. */
const GUESSES = { burst: 10, perSecond: 1 / 6 };

const HOW = html`<p>
  To sign in, run <code>contact-sync console</code> on the machine of the daemon and open the link that it prints. The
  link works once and expires after five minutes.
</p>`;

/** `to`: the page after the sign-in; empty for the links. */
const tokenForm = (to: string): Html =>
  html`<form method="post" action="/sign-in" class="actions">
    ${to === '' ? '' : hiddenFields({ to })}
    <div>
      <label for="token">Token (<code>CONSOLE_TOKEN</code>)</label>
      <input id="token" name="token" type="password" autocomplete="current-password" required />
    </div>
    <button class="first">Sign in</button>
  </form>`;

const passForm = (pass: string): Html =>
  html`<form method="post" action="/sign-in">
    <input type="hidden" name="pass" value="${pass}" />
    <button class="first">Sign in</button>
  </form>`;

const begin = (context: Context, { cookie, sessions }: SignInParts, scope: Scope, to = ''): Response => {
  const { id } = sessions.open(scope);
  // A proxy that terminates TLS sets this header; the cookie is then limited to TLS.
  const secure = context.req.header('x-forwarded-proto') === 'https';
  setCookie(context, cookie, id, { httpOnly: true, sameSite: 'Strict', path: '/', secure });
  return context.redirect(to || '/', 303);
};

/** The routes to sign in with the link of `console`, or with CONSOLE_TOKEN, and to sign out. */
export const signInRoutes = (parts: SignInParts): Hono<Env> => {
  const { sessions, cookie, key, token, links, clock } = parts;
  const usePass = createPassChecker(key);
  const mayGuess = createClientAllowances(clock, GUESSES);
  return new Hono<Env>()
    .get('/sign-in', (context) => {
      const pass = context.req.query('pass');
      // Only the button consumes the pass, because link previews and prefetching open the address but press no button.
      if (pass !== undefined) return context.html(plainPage('Sign in', passForm(pass)));
      return context.html(
        plainPage('Sign in', html`${HOW} ${token === null ? '' : tokenForm(pageIn(context.req.query('to') ?? ''))}`),
      );
    })
    .post('/sign-in', (context) => {
      const form = context.get('form');
      const pass = form.get('pass');
      if (pass !== null) {
        const opened = usePass(pass, clock.now());
        if (opened !== null) {
          const { link } = opened;
          return begin(context, parts, {
            link,
            isValid: () => link === null || links().some(({ name }) => name === link),
          });
        }
        return refuse(context, 403, 'Not signed in', html`The link was already used or has expired. ${HOW}`);
      }
      if (token === null) return refuse(context, 403, 'Not signed in', HOW);
      if (!mayGuess(clientOf(context)))
        return refuse(context, 429, 'Not signed in', 'Too many wrong tokens. Try again in a minute.');
      if (isSameText(token.reveal(), form.get('token') ?? '')) {
        return begin(context, parts, { link: null, isValid: () => true }, pageIn(form.get('to') ?? ''));
      }
      return refuse(context, 403, 'Not signed in', 'The token is wrong.');
    })
    .post('/sign-out', signedIn(sessions, cookie), (context) => {
      sessions.close(context.get('session'));
      deleteCookie(context, cookie, { path: '/' });
      return context.redirect('/sign-in', 303);
    });
};
