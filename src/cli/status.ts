import type { App } from '../app/app.ts';
import { systemClock } from '../clock.ts';
import type { LinkConfig } from '../config/config.ts';
import { bySide, inWordsOf, SIDES, type Sides, type SideWords } from '../contact/side.ts';
import { readLinkRecord, type LinkRecord } from '../history/link-record.ts';
import { readProgress, readServed, type LinkProgress } from '../jobs/heartbeat.ts';
import type { Cursor } from '../store/store.ts';
import { shownLinkState } from '../sync/state/link.ts';
import type { Run } from '../view/views.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { formatLeftBehind, formatStatus } from './status-text.ts';
import type { Terminal } from './terminal.ts';
import { withApp, type CommonOptions } from './with-app.ts';
import { isoOf } from './words.ts';

/** How a link stands; times in epoch milliseconds. */
export type LinkStatus = LinkRecord & {
  readonly link: string;
  readonly sides: Sides<SideWords>;
  readonly state: 'active' | 'paused' | 'halted' | 'failing';
  readonly reason: string | null;
  /** How far a daemon is that works on the link; null where none does. */
  readonly underWay: LinkProgress | null;
  /** About when a daemon runs the link next; null where none serves it, and where it waits for something else than time. */
  readonly nextRunAtMs: number | null;
  /** When each side's change feed was last read to its end; null before the first run. */
  readonly readAtMs: Sides<number | null>;
  /** Each side's requests that are free now; null without a token, and where a side has no budget to show. */
  readonly budget: Awaited<ReturnType<App['budget']>>;
  /** Whether both sides have a token. */
  readonly isConnected: boolean;
};

const readAt = ({ cursor, readAtMs }: Cursor): number | null => (cursor === null ? null : readAtMs);

/** What daemons say of their work. */
type Service = { readonly underWay: readonly LinkProgress[]; readonly served: ReadonlyMap<string, number> };

/** A link in step is run an interval after its last run began; one that fails is tried again at a time of its own. */
const nextRunOf = (
  state: LinkStatus['state'],
  lastRun: LinkRecord['lastRun'],
  syncIntervalMs: number | undefined,
  nowMs: number,
): number | null => {
  if (syncIntervalMs === undefined || state !== 'active') return null;
  return Math.max(nowMs, lastRun === null ? nowMs : lastRun.startedAtMs + syncIntervalMs);
};

const readStatus = async (app: App, link: LinkConfig, { underWay, served }: Service): Promise<LinkStatus> => {
  const { store } = app;
  const { name, sides } = link;
  const row = await store.link(name);
  const credentials = await app.credentials(link);
  const record = await readLinkRecord(store, name);
  const state = shownLinkState(row.state);
  return {
    ...record,
    link: name,
    sides,
    state,
    reason: row.reason,
    underWay: underWay.find((one) => one.link === name) ?? null,
    nextRunAtMs: nextRunOf(state, record.lastRun, served.get(name), systemClock.now()),
    readAtMs: bySide((side) => readAt(row.cursors[side])),
    budget: await app.budget(link),
    isConnected: SIDES.every((side) => credentials[side] !== null),
  };
};

const progressToJson = ({ listed, planned, written, leftMs }: LinkProgress) => ({ listed, planned, written, leftMs });

/** A run that was stopped counts as failed here, and is marked beside it. */
const lastRunToJson = ({ id, kind, outcome, endedAtMs }: Run) => ({
  run: id,
  kind,
  outcome: outcome === 'stopped' ? 'failed' : outcome,
  ...(outcome === 'stopped' && { stopped: true }),
  endedAt: isoOf(endedAtMs),
});

/** As the README documents it, in the words of the link. */
const toJson = (status: LinkStatus): unknown =>
  inWordsOf(status.sides, {
    link: status.link,
    state: status.state,
    reason: status.reason,
    pairs: status.pairs,
    openConflicts: status.openConflicts,
    rejected: status.refused.map(({ side, leftId, rightId, reason, name, attempts, retryAtMs }) => {
      return { side, leftId, rightId, reason, name, attempts, retryAt: isoOf(retryAtMs) };
    }),
    skipped: status.skipped,
    unpaired: status.alone,
    lastRun: status.lastRun && lastRunToJson(status.lastRun),
    lastSuccessAt: isoOf(status.lastSuccessAtMs),
    failures: status.failures,
    nextRunAt: isoOf(status.nextRunAtMs),
    ...(status.underWay && { underWay: progressToJson(status.underWay) }),
    cursors: bySide((side) => isoOf(status.readAtMs[side])),
    budget: status.budget,
  });

/** The links of which something is stored although the configuration does not have them. */
const findLeftBehind = async ({ config, store, vault }: App): Promise<readonly string[]> => {
  const configured = new Set(config.links.map(({ name }) => name));
  const tokens = await vault.names().catch((error: unknown) => {
    // What is wrong with the file is told where a token of it is needed.
    if (error instanceof Error && error.name === 'CredentialsError') return [];
    throw error;
  });
  const stored = [...(await store.links()).map(({ name }) => name), ...tokens.map(({ link }) => link)];
  return [...new Set(stored)].filter((name) => !configured.has(name)).toSorted();
};

/** `status [LINK]`: how each link stands, from the store alone. */
export const status = (terminal: Terminal, linkName: string | undefined, options: CommonOptions): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async ({ app, links }) => {
    const statuses: LinkStatus[] = [];
    const { dataDir } = app.config;
    const nowMs = systemClock.now();
    const service = { underWay: await readProgress(dataDir, nowMs), served: await readServed(dataDir, nowMs) };
    for (const link of links) statuses.push(await readStatus(app, link, service));
    const left = linkName === undefined ? await findLeftBehind(app) : [];
    if (options.json) {
      const unconfigured = left.length === 0 ? {} : { unconfigured: left };
      terminal.print(JSON.stringify({ links: statuses.map(toJson), ...unconfigured }));
    } else {
      const parts = statuses.map((one) => formatStatus(one, systemClock.now(), terminal));
      terminal.print([...parts, ...left.map(formatLeftBehind)].join('\n\n'));
    }
    return EXIT.done;
  });
