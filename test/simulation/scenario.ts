import type { ListField, ScalarField } from '../../src/core/contact/contact.ts';
import type { Side } from '../../src/core/contact/side.ts';
import { sampled } from '../support/extent.ts';
import { PLAIN_HABITS } from '../support/memory/book.ts';
import { PLAIN_MANNERS } from '../support/memory/manners.ts';
import { DEFAULT_PLAYERS, type Edit, type Hardness, type History, type Players, type RunStep } from './history.ts';

// Builders for histories that a test writes out. `who`, `into` and `group` are positions among the current contacts
// and groups of the side.

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

export const GOOGLE_CARDDAV: Players = { left: 'google', right: 'carddav' };
export const TWO_GOOGLES: Players = { left: 'google', right: 'google' };
export const TWO_SERVICES: Players = { left: 'service', right: 'service' };

/** All pairs of providers that are played. */
export const PAIRS: readonly Players[] = [DEFAULT_PLAYERS, TWO_GOOGLES, GOOGLE_CARDDAV, TWO_SERVICES];

/** The position of these providers in {@link PAIRS}. */
export const pairIndex = ({ left, right }: Players): number =>
  PAIRS.findIndex((pair) => pair.left === left && pair.right === right);

/** The numbers from `first` to `last`, such as the steps at which a process dies. `npm test` plays one of `each`, from `offset` on. */
export const numbersBetween = (first: number, last: number, each: number, offset = 0): readonly number[] =>
  sampled(
    Array.from({ length: last - first + 1 }, (_, index) => first + index),
    each,
    offset,
  );

/** A run without faults, edits or a crash, except for the given parts. */
export const run = (given: Partial<RunStep> = {}): RunStep => ({
  before: [],
  gapMs: 0,
  full: false,
  during: [],
  faults: [],
  crash: null,
  salt: 0,
  ...given,
});

/** A history between two sides with plain manners, except for the given parts. */
export const history = (phases: History['phases'], given: Partial<Omit<History, 'phases'>> = {}): History => ({
  players: DEFAULT_PLAYERS,
  manners: { left: PLAIN_MANNERS, right: PLAIN_MANNERS },
  conflicts: 'newest',
  deleteCount: 50,
  skewMs: 0,
  lagMs: 0,
  ...given,
  phases,
});

/** Hardness without lags and with plain habits, except for the given parts. The guard's decisions are checked too. */
export const hardness = (given: Partial<Hardness> = {}): Hardness => ({
  direction: 'both',
  listingLagMs: 0,
  feedLagMs: 0,
  habits: PLAIN_HABITS,
  ...given,
});

export const create = (side: Side): Edit => ({ kind: 'create', side, rich: false });
export const createRich = (side: Side): Edit => ({ kind: 'create', side, rich: true });

/** The same person on both sides; the titles differ where `differs` is set. */
export const twin = (differs = false): Edit => ({ kind: 'twin', differs });

export const set = (side: Side, who: number, field: ScalarField): Edit => ({ kind: 'set', side, who, field });
export const clear = (side: Side, who: number, field: 'company' | 'title' | 'notes'): Edit => {
  return { kind: 'clear', side, who, field };
};
export const add = (side: Side, who: number, field: ListField): Edit => ({ kind: 'add', side, who, field });
export const drop = (side: Side, who: number, field: ListField, at = 0): Edit => ({
  kind: 'drop',
  side,
  who,
  field,
  at,
});
export const remove = (side: Side, who = 0): Edit => ({ kind: 'delete', side, who });
export const archive = (who = 0): Edit => ({ kind: 'archive', who });
export const changeId = (who = 0): Edit => ({ kind: 'new-id', who });

type Merge = { readonly who: number; readonly into: number };
type Move = { readonly who: number; readonly group: number };

export const merge = (side: Side, { who, into }: Merge): Edit => ({ kind: 'merge', side, who, into });
export const join = (side: Side, { who, group }: Move): Edit => ({ kind: 'join', side, who, group });
export const leave = (side: Side, { who, group }: Move): Edit => ({ kind: 'leave', side, who, group });

/** A new group on one side. */
export const addGroup = (side: Side): Edit => ({ kind: 'group', side, both: false });
/** A new group that each side has. */
export const addSharedGroup = (side: Side): Edit => ({ kind: 'group', side, both: true });

/** The link syncs another selection of fields (`choices.ts`). */
export const choose = (choice: number): Edit => ({ kind: 'choose', choice });

/** An edit, on the other side, of the contact that a user deleted or archived last. */
export const editOther = (field: ScalarField): Edit => ({ kind: 'edit-other', field });
