import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { App } from '../../app/app.ts';
import type { BrowserSignIns } from '../../app/browser-sign-in.ts';
import type { Clock } from '../../util/clock.ts';
import type { LinkConfig } from '../../app/config/config.ts';
import type { Daemon } from '../jobs/daemon.ts';
import type { LeaseParts } from '../../engine/lease.ts';
import { VerdictError } from '../../engine/verdicts.ts';
import { refuse, type Env } from './access.ts';
import type { ConsoleActions } from './actions.ts';
import { pageContext, type PageContext } from './layout.ts';
import type { SettingsParts } from './settings-routes.ts';

export type LinkParts = {
  readonly app: App;
  readonly daemon: Pick<Daemon, 'links'>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly actions: ConsoleActions;
  readonly signIns: BrowserSignIns;
  readonly settings: SettingsParts;
  readonly readonly: boolean;
};

/** The parts that a change of a link under its lease needs. */
export const leaseParts = ({ app, clock, newId }: LinkParts): LeaseParts => {
  const { store, holders } = app;
  return { store, clock, newId, holders };
};

/** The links that the session may see. */
export const linksFor = ({ daemon }: Pick<LinkParts, 'daemon'>, context: Context<Env>): readonly LinkConfig[] => {
  const only = context.get('session').link;
  return daemon.links().filter(({ name }) => only === null || name === only);
};

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

/** Handles a form that writes nothing, then redirects to `to` with a notice. */
export const readingForm = (to: To, act: Act) => async (context: Context<Env>) => {
  const { session, link, form } = context.var;
  session.notice = await act(link, form, context).catch((error: unknown) => {
    if (error instanceof VerdictError) return error.said;
    return error instanceof Error ? error.message : 'Unknown error. The log of the daemon has details.';
  });
  return context.redirect(to(link.name, form, context), 303);
};

/** Like {@link readingForm}, but a read-only page refuses the form. */
export const writingForm = ({ readonly }: Pick<LinkParts, 'readonly'>, ...of: Parameters<typeof readingForm>) => {
  const act = readingForm(...of);
  return (context: Context<Env>) =>
    readonly ? refuse(context, 403, 'Read-only', 'This page is read-only (CONSOLE_READONLY).') : act(context);
};

export const pageOf = ({ readonly, clock }: LinkParts, context: Context<Env>): PageContext =>
  pageContext(context.get('session'), readonly, clock.now());

/** The search text of a table. */
export const findIn = (context: Context): string => context.req.query('find')?.trim() ?? '';
