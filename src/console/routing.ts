import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import type { App } from '../app/app.ts';
import type { Clock } from '../clock.ts';
import type { LinkConfig } from '../config/config.ts';
import type { Daemon } from '../jobs/daemon.ts';
import type { LeaseParts } from '../sync/lease.ts';
import { VerdictError } from '../sync/verdicts.ts';
import { refuse, type Env } from './access.ts';
import type { Desk } from './desk.ts';
import { pageContext, type PageContext } from './layout.ts';

// What the routes of the links have in common.

export type LinkParts = {
  readonly app: App;
  readonly daemon: Pick<Daemon, 'links'>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly desk: Desk;
  readonly readonly: boolean;
};

/** What a link is changed with while no run is under way. */
export const leaseParts = ({ app, clock, newId }: LinkParts): LeaseParts => {
  const { store, holders } = app;
  return { store, clock, newId, holders };
};

/** The links that somebody who is signed in may know of. */
export const linksFor = ({ daemon }: Pick<LinkParts, 'daemon'>, context: Context<Env>): readonly LinkConfig[] => {
  const only = context.get('session').link;
  return daemon.links().filter(({ name }) => only === null || name === only);
};

/** Finds the link that the address names, for every route below it: one that is not theirs is as one that does not exist. */
export const knownLink = (parts: Pick<LinkParts, 'daemon'>) =>
  createMiddleware<Env>(async (context, next) => {
    const link = linksFor(parts, context).find(({ name }) => name === context.req.param('link'));
    if (link === undefined) return refuse(context, 404, 'No such link', 'The daemon knows no link of that name.');
    context.set('link', link);
    return next();
  });

/** Does what a form asks for; answers what is told of it on the next page, null for nothing. */
type Act = (link: LinkConfig, form: URLSearchParams, context: Context<Env>) => Promise<string | null>;

/** The page that shows what came of a form. */
type To = (link: string, form: URLSearchParams, context: Context<Env>) => string;

/** Does what a form asks for although it writes nothing, and shows the page at `to` with what came of it. */
export const looking = (to: To, act: Act) => async (context: Context<Env>) => {
  const { session, link, form } = context.var;
  // What keeps it from being done is for the person who asked.
  session.notice = await act(link, form, context).catch((error: unknown) => {
    if (error instanceof VerdictError) return error.said;
    return error instanceof Error ? error.message : 'It could not be done.';
  });
  return context.redirect(to(link.name, form, context), 303);
};

/** As {@link looking}, for what a page that only shows does not do. */
export const acting = ({ readonly }: Pick<LinkParts, 'readonly'>, ...of: Parameters<typeof looking>) => {
  const act = looking(...of);
  return (context: Context<Env>) =>
    readonly ? refuse(context, 403, 'Only shown', 'This page only shows (CONSOLE_READONLY).') : act(context);
};

export const pageOf = ({ readonly, clock }: LinkParts, context: Context<Env>): PageContext =>
  pageContext(context.get('session'), readonly, clock.now());

/** What the box of a table was asked to find. */
export const findIn = (context: Context): string => context.req.query('find')?.trim() ?? '';
