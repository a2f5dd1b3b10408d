import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import { signInMethodOf } from '../../app/browser-sign-in.ts';
import { HostedLinkError } from '../links/hosted-links.ts';
import { ConfigError, problemTexts } from '../../util/config-error.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { bySide, SIDES } from '../../core/contact/side.ts';
import { isLoopback } from '../../util/http.ts';
import { refuse, type Env } from './access.ts';
import { plainPage, linkPath } from './layout.ts';
import { settingsPage, type EditableSetting, type SettingsView } from './pages/settings.ts';
import { writingForm, linksFor, pageOf, type LinkParts } from './routing.ts';

/** The settings of a link that the page can change. Addresses, secrets and names are changed in the configuration only. */
const EDITABLE = [
  'syncInterval',
  'sweepInterval',
  'direction',
  'fields',
  'buckets',
  'conflictPolicy',
  'deletePolicy',
  'deleteLimit',
  'firstSync',
] as const;

const LONGEST_VALUE = 1_000;

const settingText = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(String).join(', ');
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([key, own]) => (key === 'default' ? String(own) : `${key}=${String(own)}`))
      .join(',');
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

/** The editable settings of a link of the database, for a session that sees every link; null for any other link. */
const editableOf = async (parts: LinkParts, { name }: LinkConfig): Promise<readonly EditableSetting[] | null> => {
  const listed = (await parts.settings.links?.list())?.find((each) => each.name === name && each.keptIn === 'database');
  if (listed?.settings === undefined || listed.settings === null) return null;
  const own = listed.settings;
  return EDITABLE.map((key) => ({ key, value: settingText(own[key]) }));
};

const seesAll = (context: Context<Env>): boolean => context.get('session').link === null;

/** The changed settings as a merge patch; an empty text removes a setting. */
const patchOf = (before: readonly EditableSetting[], form: URLSearchParams): Record<string, string | null> => {
  const changed = before.flatMap(({ key, value }) => {
    const next = form.get(key)?.trim();
    if (next === undefined || next === value || next.length > LONGEST_VALUE) return [];
    return [[key, next === '' ? null : next] as const];
  });
  return Object.fromEntries(changed);
};

const faultOf = (error: unknown): string => {
  if (error instanceof ConfigError) return problemTexts(error.problems).join(' ');
  if (error instanceof HostedLinkError) return error.message;
  throw error;
};

/** The address to which a consent page redirects the browser; null if no consent page would redirect to it. */
const redirectOf = (origin: string): string | null => {
  const url = URL.parse(origin);
  return url !== null && (url.protocol === 'https:' || isLoopback(url.hostname)) ? `${url.origin}/connected` : null;
};

const originOf = (context: Context<Env>): string => {
  const isSecure = context.req.header('x-forwarded-proto') === 'https';
  return `${isSecure ? 'https' : 'http'}://${context.req.header('host') ?? ''}`;
};

const viewOf = async (parts: LinkParts, context: Context<Env>): Promise<SettingsView> => {
  const { app, signIns, settings } = parts;
  const { link, session } = context.var;
  const { accounts, state, reason } = await app.store.link(link.name);
  const stored = new Set((await app.vault.names()).filter((each) => each.link === link.name).map(({ side }) => side));
  const editable = await editableOf(parts, link);
  return {
    accounts: bySide((side) => ({
      account: accounts[side],
      hasToken: link.sides[side].token !== null || stored.has(link.sides[side].name),
      way: signInMethodOf(link, side),
      consent: signIns.pending({ owner: session.id, link, side }),
    })),
    pause: state === 'paused' ? reason : null,
    canReturn: redirectOf(originOf(context)) !== null,
    editable: seesAll(context) ? editable : null,
    keptIn: editable === null ? 'file' : 'database',
    program: seesAll(context)
      ? { notifyHost: settings.notifier?.host ?? null, canBackUp: settings.backUp !== null }
      : null,
  };
};

const toSettings = (link: string): string => linkPath(link, '/settings');

const ONLY_ALL = 'This session sees one link only. Sign in with a link of contact-sync console to do this.';

const addSignIn = (routes: Hono<Env>, parts: LinkParts): void => {
  routes.post(
    '/links/:link/settings/sign-in',
    writingForm(parts, toSettings, async (link, form, context) => {
      const side = SIDES.find((each) => each === form.get('side'));
      const redirectUri = redirectOf(context.req.header('origin') ?? '');
      if (side === undefined) return 'Choose a side.';
      if (redirectUri === null) return 'No consent page redirects to this address. Sign in from a terminal.';
      await parts.signIns.begin({ owner: context.get('session').id, link, side, redirectUri });
      return `Press Continue to sign in at ${link.sides[side].place}.`;
    }),
  );
};

/** Adds the settings of links, and the actions of the whole program. */
export const addSettings = (routes: Hono<Env>, parts: LinkParts): void => {
  routes.get('/links/:link/settings', async (context) =>
    context.html(settingsPage(pageOf(parts, context), context.var.link, await viewOf(parts, context))),
  );
  routes.post(
    '/links/:link/settings',
    writingForm(parts, toSettings, async (link, form, context) => {
      if (!seesAll(context)) return ONLY_ALL;
      const { links } = parts.settings;
      const before = await editableOf(parts, link);
      if (links === null || before === null) return 'The configuration file rules the settings of this link.';
      const patch = patchOf(before, form);
      if (Object.keys(patch).length === 0) return 'Nothing was changed.';
      return links.set(link.name, patch).then(() => 'The settings are saved.', faultOf);
    }),
  );
  routes.post(
    '/links/:link/settings/notify',
    writingForm(parts, toSettings, async (_link, _form, context) => {
      if (!seesAll(context)) return ONLY_ALL;
      const { notifier } = parts.settings;
      if (notifier === null) return 'NOTIFY_URL is not set.';
      const { status } = await notifier.test(context.req.raw.signal);
      return `${notifier.host} answered ${status}. The test notification is sent.`;
    }),
  );
  routes.post(
    '/links/:link/settings/backup',
    writingForm(parts, toSettings, async (_link, _form, context) => {
      if (!seesAll(context)) return ONLY_ALL;
      const path = await parts.settings.backUp?.();
      return path === undefined ? 'The state is on PostgreSQL. Back it up with pg_dump.' : `Backed up to ${path}.`;
    }),
  );
  addSignIn(routes, parts);
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
  const next = `/connected/finish?${query}`;
  context.header('refresh', `0; url=${next}`);
  return context.html(plainPage('Back from the sign-in', html`<p><a href="${next}">Continue</a></p>`));
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
    if (link === undefined || parts.readonly) {
      return refuse(
        context,
        403,
        'Not signed in',
        'This session has not begun that sign-in, or it has expired. Nothing was stored. Begin it again on the settings page.',
      );
    }
    session.notice = await parts.signIns.finish(session.id, link, answer).then(
      (said) => said.join(' '),
      (error: unknown) => (error instanceof Error ? error.message : 'The sign-in failed.'),
    );
    return context.redirect(toSettings(link.name), 303);
  };
