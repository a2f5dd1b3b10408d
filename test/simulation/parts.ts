import type { SyncedField } from '../../src/core/contact/contact.ts';
import type { Side, Sides } from '../../src/core/contact/side.ts';
import type { PairStatus } from '../../src/core/contact/pair.ts';
import type { Policy } from '../../src/core/reconcile/policy.ts';
import type { Row } from '../support/memory/book.ts';
import type { Ledger } from './ledger.ts';

/** The state of the selection, in addition to the address books. */
export type Parts = {
  /** The direction of the link in the current phase. */
  direction: Policy['direction'];
  /** The patterns of the selection, and whether a selection was ever made. */
  contacts: Sides<readonly string[]>;
  selects: boolean;
  /** Start of the last run that read every membership of a side: earlier states are outdated. */
  readonly knownSinceMs: Record<Side, number>;
  /** Start of the last completed run: earlier states are outdated. */
  readSinceMs: number;
  /** The status of each contact's pair at the end of the last run. */
  readonly statuses: Map<Row, PairStatus>;
  /** The contacts of pairs that are unlinked, because no side selected them, at the end of the last run. */
  readonly unlinked: Set<Row>;
  /** People of pairs that were unlinked since the last rest: a value or a contact that a user removed on one side may come back. */
  readonly reunited: Set<number>;
  /** Contacts with a write of unknown outcome at the end of the last run. */
  readonly open: Set<Row>;
  /** People to which the current run must not write. */
  readonly untouchable: Set<number>;
  /** Survivors of merges in the current run, or of merges without an answer: their former values are restored. */
  readonly merged: Set<Row>;
  /** People with one deleted contact, where the side of the other one may not have selected it: that one may stay alone. */
  readonly mayStayAlone: Set<number>;
  /** People whose contact at the target was deleted while the link went one way: it stays deleted until the source changes. */
  readonly dormant: Set<number>;
};

export const createParts = (): Parts => ({
  direction: 'both',
  contacts: { left: ['*'], right: ['*'] },
  selects: false,
  knownSinceMs: { left: -Infinity, right: -Infinity },
  readSinceMs: -Infinity,
  statuses: new Map(),
  unlinked: new Set(),
  reunited: new Set(),
  open: new Set(),
  untouchable: new Set(),
  merged: new Set(),
  mayStayAlone: new Set(),
  dormant: new Set(),
});

/** Whether a person has one contact on each side, as far as the link can detect. */
export const isSimple = ({ ledger }: { readonly ledger: Ledger }, entity: number): boolean =>
  !ledger.ambiguous.has(entity) && !ledger.mergedPeople.has(entity);

type Checking = { readonly complaints: string[]; readonly ledger: Ledger; readonly parts: Parts };

/** Reports a write to people that no side selects (R18). */
export const checkWrite = ({ complaints, parts }: Checking, side: Side, row: Row, what: string): void => {
  if (parts.untouchable.has(row.entity)) complaints.push(`${side}: ${row.id} was ${what} although no side selects it`);
};

/** The side from which a field goes one way in a link that writes both sides; null where it goes both ways. */
export const sourceOf = (
  { directions }: { readonly directions: NonNullable<Policy['directions']> },
  field: SyncedField,
): Side | null => {
  const direction = directions[field] ?? 'both';
  if (direction === 'both') return null;
  return direction === 'to-left' ? 'right' : 'left';
};
