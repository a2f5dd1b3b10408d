import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { App } from '../../app/app.ts';
import type { FaultyLink } from '../../app/config/link-files.ts';
import type { BrowserSignIns } from '../../app/browser-sign-in.ts';
import type { Clock } from '../../util/clock.ts';
import { errorMessage } from '../../util/errors.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import type { Daemon } from '../daemon.ts';
import { VerdictError } from '../../engine/verdicts.ts';
import { refuse } from './access.ts';
import type { Env } from './env.ts';
import type { ConsoleActions } from './actions.ts';
import type { PageContext } from './layout.ts';

export type LinkParts = {
  readonly app: App;
  readonly daemon: Pick<Daemon, 'links' | 'faultyLinks'>;
  readonly clock: Clock;
  readonly actions: ConsoleActions;
  readonly signIns: BrowserSignIns;
};

/** The links that the session may see. */
export const linksFor = ({ daemon }: Pick<LinkParts, 'daemon'>, context: Context<Env>): readonly LinkConfig[] => {
  const only = context.get('session').link;
  return daemon.links().filter(({ name }) => only === null || name === only);
};

/** The links with invalid settings that the session may see. */
export const faultyLinksFor = ({ daemon }: Pick<LinkParts, 'daemon'>, context: Context<Env>): readonly FaultyLink[] =>
  context.get('session').link === null ? daemon.faultyLinks() : [];

/** Finds the link of the address. A link that the session may not see is handled like a missing one. */
export const knownLink = (parts: Pick<LinkParts, 'daemon'>) =>
  createMiddleware<Env>(async (context, next) => {
    const link = linksFor(parts, context).find(({ name }) => name === context.req.param('link'));
    if (link === undefined) return refuse(context, 404, 'Link not found', 'The daemon has no link of that name.');
    context.set('link', link);
    return next();
  });

/** Handles a form; returns the notice of the next page, null for none. */
type Act = (link: LinkConfig, form: URLSearchParams, context: Context<Env>) => Promise<string | null>;

/** The page that follows a form. */
type To = (link: string, form: URLSearchParams, context: Context<Env>) => string;

/** Handles a form, then redirects to `to` with a notice. */
export const handleForm = (to: To, act: Act) => async (context: Context<Env>) => {
  const { session, link, form } = context.var;
  session.notice = await act(link, form, context).catch((error: unknown) =>
    error instanceof VerdictError ? error.said : errorMessage(error),
  );
  return context.redirect(to(link.name, form, context), 303);
};

export const pageOf = ({ clock }: LinkParts, context: Context<Env>): PageContext => ({
  session: context.get('session'),
  nowMs: clock.now(),
});

/** The search text of a table. */
export const findIn = (context: Context): string => context.req.query('find')?.trim() ?? '';

/** The key that a parameter of the address has; null for any other value. */
export const chosenIn = <Key extends string>(
  context: Context,
  name: string,
  options: Readonly<Record<Key, string>>,
): Key | null => {
  const value = context.req.query(name) ?? '';
  return Object.hasOwn(options, value) ? (value as Key) : null;
};
