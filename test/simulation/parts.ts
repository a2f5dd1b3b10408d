import type { SyncedField } from '../../src/core/contact/contact.ts';
import type { Side, Sides } from '../../src/core/contact/side.ts';
import type { PairStatus } from '../../src/core/reconcile/decision.ts';
import type { Policy } from '../../src/core/reconcile/policy.ts';
import type { Row } from '../support/memory/book.ts';
import type { Ledger } from './ledger.ts';

/** What is known of who takes part, beside what the users' books say. */
export type Parts = {
  /** Which contacts take part now, by patterns, and whether they were ever chosen. */
  contacts: Sides<readonly string[]>;
  selects: boolean;
  /** When the last run began that has read every membership of a side: what stood there before is past. */
  readonly knownSinceMs: Record<Side, number>;
  /** When the last run began that has completed: what contacts said before is past. */
  readSinceMs: number;
  /** How the pairs of contacts stood at the end of the last run. */
  readonly statuses: Map<Row, PairStatus>;
  /** Contacts that writes of unknown outcome were about at the end of the last run. */
  readonly open: Set<Row>;
  /** People to whom the run under way may write nothing. */
  readonly untouchable: Set<number>;
  /** Whether the run under way is a merge that a person asked for: it writes that side, whichever way fields go. */
  byHand: boolean;
  /** Contacts into which a side merged others in the run under way, or unheard of before: they are given back what they held. */
  readonly merged: Set<Row>;
  /** People whose contact of a side was deleted while they were set apart: nobody makes it again there. */
  readonly lostApart: Sides<Set<number>>;
  /** People of whom one contact went when the other one may have been of no interest to its side: it may stay alone. */
  readonly mayStayAlone: Set<number>;
};

export const createParts = (): Parts => ({
  contacts: { left: ['*'], right: ['*'] },
  selects: false,
  knownSinceMs: { left: -Infinity, right: -Infinity },
  readSinceMs: -Infinity,
  statuses: new Map(),
  open: new Set(),
  untouchable: new Set(),
  byHand: false,
  merged: new Set(),
  lostApart: { left: new Set(), right: new Set() },
  mayStayAlone: new Set(),
});

/** Whether a person is one contact at each side, as far as the link can tell. */
export const isSimple = ({ ledger }: { readonly ledger: Ledger }, entity: number): boolean =>
  !ledger.blurred.has(entity) && !ledger.peopleOfTwo.has(entity);

type Judging = { readonly complaints: string[]; readonly ledger: Ledger; readonly parts: Parts };

/** Complains of what was done to people whom no side selects (R18). */
export const judgeWrite = ({ complaints, parts }: Judging, side: Side, row: Row, what: string): void => {
  if (parts.untouchable.has(row.entity)) complaints.push(`${side}: ${row.id} was ${what} although no side selects it`);
};

/** Complains of a contact that is made again for a person who lost it there while set apart (R18). */
export const judgeCreated = (world: Judging, side: Side, row: Row): void => {
  judgeWrite(world, side, row, 'created');
  if (world.parts.lostApart[side].has(row.entity) && isSimple(world, row.entity)) {
    world.complaints.push(`${side}: ${row.id} was created for one who was deleted there while set apart`);
  }
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
