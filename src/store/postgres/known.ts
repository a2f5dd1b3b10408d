import type { Sides } from '../../contact/side.ts';
import type { Half } from '../../contact/half.ts';
import { changedLink, withoutOldRejections } from '../link-state.ts';
import type { ConflictRow, HalfQuery, JournalRow, LinkState, RunRow, StoreChange } from '../store.ts';

// What a process that has a link's lease knows of the link: as nobody else commits anything, it stays true until a commit
// of its own changes it. What one that lost its lease knows is old, and none of its commits is made.

/** What most runs read, and more than once. */
export type Opening = {
  readonly link: LinkState;
  readonly open: readonly JournalRow[];
  readonly conflicts: readonly ConflictRow[];
  readonly completed: readonly RunRow[];
  readonly anyPresent: Sides<boolean>;
  /** Every half that is not settled; null where there are too many. */
  readonly unsettled: readonly Half[] | null;
  /** Every half whose pair is kept or dormant; null where there are too many. */
  readonly alone: readonly Half[] | null;
};

/** The parts that are known; null: not known. */
export type Known = { readonly [Part in keyof Opening]: Opening[Part] | null };

export const NOTHING_KNOWN: Known = {
  link: null,
  open: null,
  conflicts: null,
  completed: null,
  anyPresent: null,
  unsettled: null,
  alone: null,
};

/** The halves that are asked for; null where they are not known. */
export const knownHalves = ({ alone, unsettled }: Known, query: HalfQuery): readonly Half[] | null => {
  if (query.by === 'alone') return alone;
  if (query.by !== 'state' || query.states.includes('settled') || unsettled === null) return null;
  const { states, side } = query;
  return unsettled.filter((half) => states.includes(half.state) && (side ?? half.side) === half.side);
};

/** What is known once a change has been committed. */
export const knownAfter = (known: Known, change: StoreChange): Known => {
  switch (change.kind) {
    case 'put-half':
    case 'drop-half':
    case 'put-pair':
    case 'drop-pair':
      return { ...known, unsettled: null, alone: null, anyPresent: null };
    case 'cursor':
    case 'link':
    case 'group-pair':
    case 'drop-group-pair':
    case 'reject':
    case 'accept':
    case 'verdict':
    case 'drop-verdict':
      return { ...known, link: known.link && changedLink(known.link, change) };
    case 'intend':
    case 'journal':
    case 'drop-entry':
    case 'redact-entry':
      return { ...known, open: null };
    case 'conflict':
    case 'resolve-conflicts':
    case 'review-conflict':
    case 'drop-conflicts':
      return { ...known, conflicts: null };
    case 'run-ended':
    case 'run-reason':
      return { ...known, completed: null };
    case 'prune': {
      const link = known.link && withoutOldRejections(known.link, change.beforeMs);
      return { ...known, link, completed: null, conflicts: null };
    }
    case 'forget-mapping':
    case 'forget-link':
      return NOTHING_KNOWN;
    case 'shown':
    case 'forget-shown':
    case 'run-started':
      return known;
  }
};
