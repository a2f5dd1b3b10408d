import type { App } from '../app.ts';
import { systemClock } from '../clock.ts';
import type { LinkConfig } from '../config.ts';
import type { FeedState, Rejection } from '../store/store.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { formatStatus } from './status-text.ts';
import type { Terminal } from './terminal.ts';
import { withApp, type CommonOptions } from './with-app.ts';
import { isoOf } from './words.ts';

type Budget = Awaited<ReturnType<App['budget']>>;

/** How a link stands; times in epoch milliseconds. */
export type LinkStatus = {
  readonly link: string;
  readonly state: 'active' | 'paused' | 'halted' | 'failing';
  readonly reason: string | null;
  readonly pairs: number;
  readonly openConflicts: number;
  readonly rejected: readonly Rejection[];
  readonly lastRun: {
    readonly run: string;
    readonly kind: string;
    readonly outcome: string;
    readonly endedAtMs: number | null;
  } | null;
  /** When each side's change feed was last read to its end; null before the first run. */
  readonly readAtMs: { readonly google: number | null; readonly service: number | null };
  /** The service's requests that are free now; null without a token. */
  readonly budget: Budget;
};

const readAt = (feed: FeedState): number | null => (feed.cursor === null ? null : feed.readAtMs);

const readStatus = async (app: App, link: LinkConfig): Promise<LinkStatus> => {
  const { store } = app;
  const { name } = link;
  const row = (await store.links()).find((known) => known.name === name);
  const run = await store.lastRun(name);
  return {
    link: name,
    state: row?.state ?? 'active',
    reason: row?.reason ?? null,
    pairs: (await store.counts(name)).pairs,
    openConflicts: (await store.conflicts(name, { all: false })).length,
    rejected: await store.rejections(name),
    lastRun: run && { run: run.id, kind: run.kind, outcome: run.outcome, endedAtMs: run.endedAtMs },
    readAtMs: {
      google: readAt(await store.feed(name, 'google')),
      service: readAt(await store.feed(name, 'service')),
    },
    budget: await app.budget(link),
  };
};

/** In the form of interface.md. */
const toJson = ({ lastRun, readAtMs, ...status }: LinkStatus) => ({
  link: status.link,
  state: status.state,
  reason: status.reason,
  pairs: status.pairs,
  openConflicts: status.openConflicts,
  rejected: status.rejected.map(({ side, googleId, serviceId, reason }) => ({ side, googleId, serviceId, reason })),
  lastRun: lastRun && {
    run: lastRun.run,
    kind: lastRun.kind,
    outcome: lastRun.outcome,
    endedAt: isoOf(lastRun.endedAtMs),
  },
  cursors: { google: isoOf(readAtMs.google), service: isoOf(readAtMs.service) },
});

/** `status [LINK]`: how each link stands, from the store alone. */
export const status = (terminal: Terminal, linkName: string | undefined, options: CommonOptions): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async ({ app, links }) => {
    const statuses: LinkStatus[] = [];
    for (const link of links) statuses.push(await readStatus(app, link));
    if (options.json) terminal.print(JSON.stringify({ links: statuses.map(toJson) }));
    else terminal.print(statuses.map((one) => formatStatus(one, systemClock.now(), terminal)).join('\n\n'));
    return EXIT.done;
  });
