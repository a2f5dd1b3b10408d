import type { App } from '../app/app.ts';
import { systemClock } from '../clock.ts';
import type { LinkConfig } from '../config/config.ts';
import { bySide, inWordsOf, SIDES, type Sides, type SideWords } from '../contact/side.ts';
import { listAlone, type Alone } from '../history/alone.ts';
import { isOpen } from '../history/conflicts.ts';
import { readProgress, type LinkProgress } from '../jobs/heartbeat.ts';
import type { Cursor, Rejection, RunRow } from '../store/store.ts';
import { STOPPED } from '../sync/context.ts';
import { shownLinkState } from '../sync/state/link.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { formatLeftBehind, formatStatus } from './status-text.ts';
import type { Terminal } from './terminal.ts';
import { withApp, type CommonOptions } from './with-app.ts';
import { isoOf } from './words.ts';

/** How a link stands; times in epoch milliseconds. */
export type LinkStatus = {
  readonly link: string;
  readonly sides: Sides<SideWords>;
  readonly state: 'active' | 'paused' | 'halted' | 'failing';
  readonly reason: string | null;
  readonly pairs: number;
  readonly openConflicts: number;
  readonly rejected: readonly Rejection[];
  /** Contacts that stand at one side only, and stay so. */
  readonly alone: readonly Alone[];
  readonly lastRun: {
    readonly run: string;
    readonly kind: string;
    readonly outcome: string;
    /** Whether it ended because the program was stopped, which is no failure. */
    readonly wasStopped: boolean;
    readonly endedAtMs: number | null;
  } | null;
  /** How far a daemon is that works on the link; null where none does. */
  readonly underWay: LinkProgress | null;
  /** When each side's change feed was last read to its end; null before the first run. */
  readonly readAtMs: Sides<number | null>;
  /** Each side's requests that are free now; null without a token, and where a side has no budget to show. */
  readonly budget: Awaited<ReturnType<App['budget']>>;
  /** Whether both sides have a token. */
  readonly isConnected: boolean;
};

const readAt = ({ cursor, readAtMs }: Cursor): number | null => (cursor === null ? null : readAtMs);

const lastRunOf = ({ id, kind, outcome, reason, endedAtMs }: RunRow): NonNullable<LinkStatus['lastRun']> => {
  return { run: id, kind, outcome, wasStopped: reason === STOPPED, endedAtMs };
};

const readStatus = async (app: App, link: LinkConfig, underWay: readonly LinkProgress[]): Promise<LinkStatus> => {
  const { store } = app;
  const { name, sides } = link;
  const row = await store.link(name);
  const [run] = await store.runs(name, { latest: 'ended' });
  const credentials = await app.credentials(link);
  return {
    link: name,
    sides,
    state: shownLinkState(row.state),
    reason: row.reason,
    pairs: (await store.counts(name)).pairs,
    openConflicts: (await store.conflicts(name, { all: false })).filter(isOpen).length,
    rejected: row.rejections,
    alone: await listAlone(store, name),
    lastRun: run === undefined ? null : lastRunOf(run),
    underWay: underWay.find((one) => one.link === name) ?? null,
    readAtMs: bySide((side) => readAt(row.cursors[side])),
    budget: await app.budget(link),
    isConnected: SIDES.every((side) => credentials[side] !== null),
  };
};

const progressToJson = ({ listed, planned, written, leftMs }: LinkProgress) => ({ listed, planned, written, leftMs });

/** As the README documents it, in the words of the link. */
const toJson = ({ lastRun, readAtMs, ...status }: LinkStatus): unknown =>
  inWordsOf(status.sides, {
    link: status.link,
    state: status.state,
    reason: status.reason,
    pairs: status.pairs,
    openConflicts: status.openConflicts,
    rejected: status.rejected.map(({ side, leftId, rightId, reason }) => ({ side, leftId, rightId, reason })),
    unpaired: status.alone,
    lastRun: lastRun && {
      run: lastRun.run,
      kind: lastRun.kind,
      outcome: lastRun.outcome,
      ...(lastRun.wasStopped && { stopped: true }),
      endedAt: isoOf(lastRun.endedAtMs),
    },
    ...(status.underWay && { underWay: progressToJson(status.underWay) }),
    cursors: { left: isoOf(readAtMs.left), right: isoOf(readAtMs.right) },
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
    const underWay = await readProgress(app.config.dataDir, systemClock.now());
    for (const link of links) statuses.push(await readStatus(app, link, underWay));
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
