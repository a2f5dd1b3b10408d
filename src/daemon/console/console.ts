import { Hono } from 'hono';
import type { Clock } from '../../util/clock.ts';
import type { Secret } from '../../util/secret.ts';
import type { Daemon, OnRun } from '../daemon.ts';
import type { App } from '../../app/app.ts';
import { createBrowserSignIns } from '../../app/browser-sign-in.ts';
import { answerRefused, ownForms, protectingHeaders, signedIn } from './access.ts';
import type { Env } from './env.ts';
import { CLIENT_SCRIPT } from './client-script.ts';
import { ICON, STYLE } from './style.ts';
import { createConsoleActions } from './actions.ts';
import { linkRoutes } from './link-routes.ts';
import { comeBack, finishSignIn } from './account-routes.ts';
import { createSessions } from './sessions.ts';
import { signInRoutes } from './sign-in.ts';
import { removePageKey, writePageKey } from './sign-in-link.ts';

type ConsoleOptions = {
  readonly app: App;
  readonly daemon: Daemon;
  readonly clock: Clock;
  /** Returns a text that cannot be guessed. */
  readonly newSecret: () => string;
  /** The address of the page, such as `127.0.0.1:8377`. */
  readonly address: string;
  readonly token: Secret | null;
  /** Called with each undo of the page that has ended. */
  readonly onUndone?: OnRun;
};

/** The paths that require a session. */
const INSIDE = ['/', '/links', '/links/*', '/connected/finish'] as const;

/** Opens the page of a daemon. Afterwards `contact-sync console` can create sign-in links for it. */
export const openConsole = async (options: ConsoleOptions) => {
  const { app, daemon, clock, newSecret, address, token } = options;
  const { dataDir } = app.config;
  const key = newSecret();
  const sessions = createSessions(clock, newSecret);
  // Browsers send a cookie to every port of a host.
  const cookie = `contact_sync_${address.replace(/^.*:/u, '')}`;
  const actions = createConsoleActions(options);
  const signIns = createBrowserSignIns(options);
  const routes = new Hono<Env>()
    .use(protectingHeaders)
    .get('/style.css', (context) => context.body(STYLE, 200, { 'content-type': 'text/css; charset=utf-8' }))
    .get('/icon.svg', (context) => context.body(ICON, 200, { 'content-type': 'image/svg+xml' }))
    .get('/page.js', (context) =>
      context.body(CLIENT_SCRIPT, 200, { 'content-type': 'text/javascript; charset=utf-8' }),
    );
  routes.onError(answerRefused);
  routes.use(ownForms);
  routes.route('/', signInRoutes({ sessions, cookie, key, token, links: () => daemon.links(), clock }));
  for (const path of INSIDE) routes.use(path, signedIn(sessions, cookie));
  const parts = { ...options, actions, signIns };
  routes.get('/connected', comeBack).get('/connected/finish', finishSignIn(parts));
  routes.route('/', linkRoutes(parts));
  await writePageKey(dataDir, { address, key, pid: process.pid });
  return {
    routes: new Hono().route('/', routes),
    /** Called with each job that has ended. */
    onReport: actions.noteReport,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      signIns.close();
      await actions.close();
      await removePageKey(dataDir, process.pid);
    },
  };
};

export type Console = Awaited<ReturnType<typeof openConsole>>;
