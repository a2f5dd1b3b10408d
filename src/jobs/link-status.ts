import type { App } from '../app/app.ts';
import type { LinkConfig } from '../config/config.ts';
import { bySide, SIDES, type Sides, type SideWords } from '../contact/side.ts';
import { readLinkRecord, type LinkRecord } from '../history/link-record.ts';
import type { Cursor } from '../store/store.ts';
import { shownLinkState } from '../sync/state/link.ts';
import type { LinkProgress } from './heartbeat.ts';

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
export type Service = { readonly underWay: readonly LinkProgress[]; readonly served: ReadonlyMap<string, number> };

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

/** How a link stands, from the store alone. */
export const readLinkStatus = async (
  app: Pick<App, 'store' | 'credentials' | 'budget'>,
  link: LinkConfig,
  { underWay, served }: Service,
  nowMs: number,
): Promise<LinkStatus> => {
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
    nextRunAtMs: nextRunOf(state, record.lastRun, served.get(name), nowMs),
    readAtMs: bySide((side) => readAt(row.cursors[side])),
    budget: await app.budget(link),
    isConnected: SIDES.every((side) => credentials[side] !== null),
  };
};
