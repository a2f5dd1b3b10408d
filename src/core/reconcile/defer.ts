import { contactFieldsOf } from '../contact/chosen.ts';
import { type ContactField, type SyncedField, valueIn, withValue } from '../contact/contact.ts';
import { isExtraField } from '../contact/fields.ts';
import { type Half, halfKey } from '../contact/half.ts';
import type { PairIds } from '../contact/pair.ts';
import type { ContactRecord } from '../contact/record.ts';
import { otherSide, type Side, SIDES, type Sides } from '../contact/side.ts';
import { snapshotText } from '../contact/snapshot.ts';
import {
  type Creation,
  type Decision,
  type Deletion,
  isMoved,
  type Merge,
  NO_WRITES,
  type SideWrites,
  writtenFields,
} from './decision.ts';

const FIRST_RETRY_MS = 5 * 60_000;
const LAST_RETRY_MS = 24 * 60 * 60_000;

/** Returns the delay before a retry, by the number of failed attempts: five minutes, doubling up to a day (R15). */
export const retryDelayMs = (attempts: number): number => Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1));

/** Returns whether a retry is due. A retry time further ahead than the longest delay was computed with a wrong clock and is due. */
export const isRetryDue = (retryAtMs: number, nowMs: number): boolean =>
  nowMs >= retryAtMs || retryAtMs - nowMs > LAST_RETRY_MS;

/** A write that a side refused, and the time of the next attempt (R15). */
export type Refusal = {
  /** The side that refused. */
  readonly side: Side;
  /** Identifies the refused write: {@link refusalKey}. */
  readonly key: string;
  /** The values that the write was computed from: {@link sourceFingerprint}. */
  readonly sourceFingerprint: string;
  readonly retryAtMs: number;
};

/** The parts of a pair that identify a refusal. */
type PairRecords = Sides<Pick<Half, 'id' | 'record'>>;

/** A decision whose writes a side may refuse. */
type Refusable = Merge | Creation | Deletion;

/** Separates the parts of a key. No id contains it; an id may contain spaces. */
const SEPARATOR = '\n';

/** Returns the key of a refused write to the contacts of a pair. */
export const pairRefusalKey = (leftId: string, rightId: string): string => `${leftId}${SEPARATOR}${rightId}`;

/** Returns the key of a refused deletion. */
export const deletionRefusalKey = (id: string): string => `delete${SEPARATOR}${id}`;

/**
 * Returns the key of a refused write: the ids of the contacts that it was computed from, and the kind of write. The kind is part of
 * the key because ids of the two sides may be equal texts.
 */
export const refusalKey = (decision: Refusable): string => {
  switch (decision.kind) {
    case 'merge':
      return pairRefusalKey(decision.pair.left.id, decision.pair.right.id);
    case 'create':
      return decision.source.id;
    case 'delete':
      return deletionRefusalKey(decision.record.id);
  }
};

/** Returns a text of the values that the writes to a pair are computed from. */
export const pairFingerprint = (pair: PairRecords): string =>
  SIDES.map((side) => snapshotText(pair[side].record)).join();

/** Returns a text of the values that a decision is computed from. While it stays the same, a refused write is not retried (R15). */
export const sourceFingerprint = (decision: Refusable): string => {
  switch (decision.kind) {
    case 'merge':
      return pairFingerprint(decision.pair);
    case 'create':
      return snapshotText(decision.source);
    case 'delete':
      return snapshotText(decision.record);
  }
};

/** Returns the key of a refused field, for a refusal after which the other fields are written. `key` is that of the whole write. */
export const fieldRefusalKey = (key: string, field: SyncedField): string => `${key}${SEPARATOR}${field}`;

/** Returns the key of the whole write for a key of {@link fieldRefusalKey} or {@link refusalKey}. */
export const wholeRefusalKey = (key: string): string => key.split(SEPARATOR).slice(0, 2).join(SEPARATOR);

/** Returns a text of the values that a write of the field is computed from. */
export const fieldFingerprint = (pair: PairRecords, field: ContactField): string =>
  JSON.stringify(SIDES.map((side) => valueIn(pair[side].record.contact, field)));

/** Removes fields from the update of a contact; the others stay. They keep their values in `record`. */
const lessOfUpdate = (
  update: NonNullable<SideWrites['update']>,
  record: ContactRecord,
  taken: ReadonlySet<SyncedField>,
): SideWrites['update'] => {
  const fields = update.fields.filter((field) => !taken.has(field));
  if (fields.length === 0) return null;
  const desired = update.fields
    .filter((field) => taken.has(field))
    .reduce((contact, field) => withValue(contact, field, valueIn(record.contact, field)), update.desired);
  return { fields, desired };
};

/** Removes fields from the writes to a contact. */
const lessOf = (writes: SideWrites, record: ContactRecord, taken: ReadonlySet<SyncedField>): SideWrites => {
  const { joins, leaves } = taken.has('buckets') ? NO_WRITES : writes;
  return { ...writes, update: writes.update && lessOfUpdate(writes.update, record, taken), joins, leaves };
};

/** Removes fields that a decision writes to that side. Their change stays outstanding. */
const withoutFields = (decision: Merge, side: Side, fields: readonly SyncedField[]): Merge => {
  if (fields.length === 0) return decision;
  const from = otherSide(side);
  // While a write is outstanding, a side that selects the contact continues to select it (R18).
  if (decision.unlinks === true && !fields.every(isExtraField)) {
    const { unlinks: _, ...linked } = decision;
    const moved = SIDES.filter((each) => isMoved(linked.writes[each]));
    const unmoved = moved.reduce((merge, each) => withoutFields(merge, each, ['buckets']), linked);
    return withoutFields(
      unmoved,
      side,
      fields.filter((field) => field !== 'buckets'),
    );
  }
  const own = lessOf(decision.writes[side], decision.pair[side].record, new Set(fields));
  const still = new Set(writtenFields(own));
  // A losing value that is not overwritten yet still exists: its field stays outstanding like the winning value.
  const lost = decision.conflicts
    .filter(({ winner, field }) => winner === from && !still.has(field))
    .map(({ field }) => field);
  const { localFields } = decision;
  return {
    ...decision,
    writes: { ...decision.writes, [side]: own },
    localFields: { ...localFields, [from]: [...localFields[from], ...fields], [side]: [...localFields[side], ...lost] },
    deferred: true,
  };
};

const withoutWrite = (decision: Merge, side: Side): Merge =>
  withoutFields(decision, side, writtenFields(decision.writes[side]));

/** Removes the extras that decisions write to existing contacts. Their change stays outstanding. Pure. */
export const deferExtras = (decisions: readonly Decision[]): readonly Decision[] =>
  decisions.map((decision) => {
    if (decision.kind !== 'merge') return decision;
    return SIDES.reduce(
      (kept, side) => withoutFields(kept, side, writtenFields(kept.writes[side]).filter(isExtraField)),
      decision,
    );
  });

/** Returns the contacts that a decision concerns. */
export const contactsOfDecision = (decision: Decision): readonly { readonly side: Side; readonly id: string }[] => {
  const { pair } = decision;
  const halves = pair === null ? [] : SIDES.flatMap((side) => pair[side] ?? []);
  switch (decision.kind) {
    case 'create':
      return [...halves, { side: otherSide(decision.side), id: decision.source.id }];
    case 'delete':
      return [...halves, { side: decision.side, id: decision.record.id }];
    case 'merge':
    case 'unlink':
      return halves;
  }
};

/**
 * Removes the decisions about a contact of an earlier write with unknown outcome. That outcome must be determined before a decision
 * is made from the state of the contact (R9). Pure.
 */
export const deferUnanswered = (
  decisions: readonly Decision[],
  isUnanswered: (side: Side, id: string) => boolean,
): readonly Decision[] => {
  const isOpen = (decision: Decision): boolean =>
    contactsOfDecision(decision).some(({ side, id }) => isUnanswered(side, id));
  // If a contact of a kept pair meets another one, its own pair ends: both decisions wait.
  const waiting = new Set(
    decisions
      .filter((decision) => decision.kind === 'merge' && isOpen(decision))
      .flatMap((merge) => contactsOfDecision(merge).map(halfKey)),
  );
  const waits = (decision: Decision): boolean =>
    isOpen(decision) ||
    (decision.kind === 'unlink' && contactsOfDecision(decision).some((contact) => waiting.has(halfKey(contact))));
  return decisions.filter((decision) => !waits(decision));
};

/** Removes the refused writes that are not due for a retry (R15); the rest is performed. Pure. */
export const deferRefused = (
  decisions: readonly Decision[],
  refusals: readonly Refusal[],
  nowMs: number,
): readonly Decision[] => {
  const byKey = new Map(refusals.map((refusal) => [`${refusal.side} ${refusal.key}`, refusal]));
  const isDeferred = (side: Side, decision: Refusable): boolean => {
    const refusal = byKey.get(`${side} ${refusalKey(decision)}`);
    if (refusal === undefined || isRetryDue(refusal.retryAtMs, nowMs)) return false;
    return refusal.sourceFingerprint === sourceFingerprint(decision);
  };
  const deferredFields = (side: Side, { pair, writes }: Merge): readonly SyncedField[] =>
    contactFieldsOf(writtenFields(writes[side])).filter((field) => {
      const refusal = byKey.get(`${side} ${fieldRefusalKey(pairRefusalKey(pair.left.id, pair.right.id), field)}`);
      if (refusal === undefined || isRetryDue(refusal.retryAtMs, nowMs)) return false;
      return refusal.sourceFingerprint === fieldFingerprint(pair, field);
    });
  const deferFields = (decision: Merge, side: Side): Merge =>
    withoutFields(decision, side, deferredFields(side, decision));
  if (byKey.size === 0) return decisions;
  return decisions.flatMap((decision): readonly Decision[] => {
    if (decision.kind === 'unlink') return [decision];
    if (decision.kind !== 'merge') return isDeferred(decision.side, decision) ? [] : [decision];
    const without = (kept: Merge, side: Side): Merge =>
      isDeferred(side, decision) ? withoutWrite(kept, side) : deferFields(kept, side);
    return [SIDES.reduce(without, decision)];
  });
};

type RefusedWrite = Pick<Refusal, 'side' | 'key'> & PairIds;

/** Returns the contacts that a refused write needs: of a create its source, of a deletion the contact itself, else both. */
const contactsOfRefusal = ({ side, key, leftId, rightId }: RefusedWrite): Sides<string | null> => {
  const ids = { left: leftId, right: rightId };
  const from = otherSide(side);
  if (key === deletionRefusalKey(ids[side] ?? '')) return { ...ids, [from]: null };
  return key === ids[from] ? { ...ids, [side]: null } : ids;
};

/** Returns the refusals of writes to contacts that do not exist any more. `exists` is asked for the contacts of the writes. Pure. */
export const orphanedRefusals = (
  refusals: readonly RefusedWrite[],
  exists: (side: Side, id: string) => boolean,
): readonly RefusedWrite[] =>
  refusals.filter((refusal) => {
    const ids = contactsOfRefusal(refusal);
    return SIDES.some((side) => ids[side] !== null && !exists(side, ids[side]));
  });

/** Returns the pairs of decisions that write to both contacts or to neither, by the keys of refused writes to them. */
const writesByPair = (decisions: readonly Decision[]): ReadonlyMap<string, Sides<SideWrites>> =>
  new Map(
    decisions.flatMap((decision) => {
      const { left, right } = decision.pair ?? { left: null, right: null };
      if (left === null || right === null || (decision.kind !== 'merge' && decision.kind !== 'unlink')) return [];
      const writes = decision.kind === 'merge' ? decision.writes : { left: NO_WRITES, right: NO_WRITES };
      return [[pairRefusalKey(left.id, right.id), writes] as const];
    }),
  );

/**
 * Returns the refusals of writes to contacts of the decisions that the decisions no longer contain: the source or the side changed,
 * or the contact has a counterpart now. Pure.
 */
export const pastRefusals = (
  decisions: readonly Decision[],
  refusals: readonly Pick<Refusal, 'side' | 'key'>[],
): readonly Pick<Refusal, 'side' | 'key'>[] => {
  if (refusals.length === 0) return [];
  const byPair = writesByPair(decisions);
  const keyOf = ({ side, key }: Pick<Refusal, 'side' | 'key'>): string => `${side} ${key}`;
  // A create for a contact, or its deletion.
  const possible = new Set(
    decisions
      .flatMap(contactsOfDecision)
      .flatMap(({ side, id }) => [
        keyOf({ side: otherSide(side), key: id }),
        keyOf({ side, key: deletionRefusalKey(id) }),
      ]),
  );
  const planned = new Set(
    decisions.flatMap((decision) =>
      decision.kind === 'create' || decision.kind === 'delete'
        ? [keyOf({ side: decision.side, key: refusalKey(decision) })]
        : [],
    ),
  );
  return refusals.filter((refusal) => {
    const { side, key } = refusal;
    if (possible.has(keyOf(refusal))) return !planned.has(keyOf(refusal));
    const whole = wholeRefusalKey(key);
    const writes = byPair.get(whole);
    if (writes === undefined) return false;
    const fields = writtenFields(writes[side]);
    return key === whole ? fields.length === 0 : !fields.some((field) => fieldRefusalKey(whole, field) === key);
  });
};
