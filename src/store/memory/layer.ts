import type { Half } from '../../contact/half.ts';
import type { Side } from '../../contact/side.ts';
import type { PairStatus } from '../../reconcile/decision.ts';
import {
  NO_CURSOR,
  type ConflictRow,
  type HalfPut,
  type JournalRow,
  type LinkState,
  type RunRow,
  type Store,
} from '../store.ts';
import { NO_ACTIVITY } from '../activity.ts';
import { NO_CHOICE } from '../link-fields.ts';
import { NOTHING_TOLD } from '../told.ts';

/** What an overlay keeps of one link: the rows that differ from the store below. */
export type Layer = {
  readonly below: Store;
  readonly link: string;
  state: LinkState;
  /** Whether what the store below holds of the mapping and the journal counts no more. */
  isForgotten: boolean;
  /** Whether nothing of the link that the store below holds counts any more, its runs neither. */
  isDropped: boolean;
  /** By {@link halfKey}; null for a half that was dropped. */
  readonly halves: Map<string, HalfPut | null>;
  /** Null for a pair that was dropped. */
  readonly pairs: Map<number, PairStatus | null>;
  readonly shown: Record<Side, { isForgotten: boolean; readonly ids: string[] }>;
  /** Null for an entry that was dropped. */
  readonly journal: Map<number, JournalRow | null>;
  /** Runs whose entries below count no more. */
  readonly prunedRuns: Set<string>;
  /** Null for a run that was dropped. */
  readonly runs: Map<string, RunRow | null>;
  /** All of the link's; null where they are as below. */
  conflicts: readonly ConflictRow[] | null;
};

export const halfKey = ({ side, id }: Pick<Half, 'side' | 'id'>): string => `${side} ${id}`;

/** A link that no store holds yet. */
export const newState = (name: string): LinkState => ({
  name,
  state: 'active',
  reason: null,
  accounts: { left: null, right: null },
  accountsKey: null,
  credentials: { left: null, right: null },
  acceptedDeletes: null,
  selection: null,
  told: NOTHING_TOLD,
  pausedByHandAtMs: null,
  fields: NO_CHOICE,
  activity: NO_ACTIVITY,
  forgottenAtMs: null,
  cursors: { left: NO_CURSOR, right: NO_CURSOR },
  groupPairs: [],
  rejections: [],
  verdicts: [],
});

/** An empty layer over the link as the store below holds it; the link is not made there. */
export const openLayer = async (below: Store, link: string): Promise<Layer> => ({
  below,
  link,
  state: (await below.links()).find(({ name }) => name === link) ?? newState(link),
  isForgotten: false,
  isDropped: false,
  halves: new Map(),
  pairs: new Map(),
  shown: { left: { isForgotten: false, ids: [] }, right: { isForgotten: false, ids: [] } },
  journal: new Map(),
  prunedRuns: new Set(),
  runs: new Map(),
  conflicts: null,
});
