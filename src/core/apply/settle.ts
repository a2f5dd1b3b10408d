import {
  type Contact,
  EMPTY_CONTACT,
  fieldsIn,
  type ListField,
  listsIn,
  listsOf,
  type ScalarField,
  scalarsIn,
  scalarsOf,
  type SyncedField,
  textIn,
  withValue,
} from '../contact/contact.ts';
import { type KeyedList, keyListsIn, withKeyed } from '../contact/lists.ts';
import type { ContactRecord } from '../contact/record.ts';
import { EMPTY_SNAPSHOT, type Snapshot, withDeclined } from '../contact/snapshot.ts';
import type { UpdateOperation } from '../reconcile/operation.ts';
import { resembles } from '../reconcile/similar.ts';
import { settleDeclined } from '../reconcile/declined.ts';
import { type Moves, shownFields, showsWrite } from './traces.ts';

/**
 * What a remote showed after an operation. `answer`: the response to its request, so the request was applied as a whole. `read`: a
 * later read of the contact, so only the values that it shows were applied, and the contact may contain later edits of its user.
 */
export type Evidence = { readonly kind: 'answer' | 'read'; readonly record: ContactRecord };

/** The bases of the half that an operation writes, and of the half that it is computed from. */
export type Bases = { readonly target: Snapshot; readonly source: Snapshot };

/** Returns the elements of the lists for which `isIn` is true: in the order and the spelling of the first list that contains them. */
const pick = (lists: readonly KeyedList[], isIn: (key: string) => boolean): Parameters<typeof withKeyed>[2] => {
  const elements = new Map<string, Parameters<typeof withKeyed>[2][number]>();
  for (const [key, element] of lists.flatMap((list) => [...list])) {
    if (!elements.has(key) && isIn(key)) elements.set(key, [key, element]);
  }
  return [...elements.values()];
};

/** The parts of an update that its settlement depends on. */
type Settling = Pick<UpdateOperation, 'desired'> & {
  readonly before: Contact;
  /** The contact that the update is computed from; null for an undo, which settles nothing on the other side. */
  readonly source: Contact | null;
};

/** Returns the text that a target settles: that of the response, or the part of what a read shows that comes from the update. */
const settledText = (field: ScalarField, { desired }: Settling, kind: Evidence['kind'], now: Contact): string => {
  const [is, wanted] = [textIn(now, field), textIn(desired, field)];
  return kind === 'answer' || is === '' || resembles(is, wanted) ? is : wanted;
};

const settleText = (
  field: ScalarField,
  update: Settling,
  kind: Evidence['kind'],
  now: Contact,
  bases: Bases,
): Bases => {
  const { desired, source } = update;
  const text = settledText(field, update, kind, now);
  const target = withText(bases.target, field, text);
  if (source === null) return { ...bases, target };
  const own = textIn(source, field);
  // The source does not have the value either: like an edit of the target's user, it is not agreed on yet (R12, R4).
  if (own !== textIn(desired, field)) return { ...bases, source: withText(bases.source, field, own) };
  // A read that shows no text: the update may not have been applied, so the source keeps its change (R9).
  return { target, source: withText(bases.source, field, kind === 'read' && text === '' ? '' : own) };
};

const withText = (base: Snapshot, field: ScalarField, text: string): Snapshot =>
  textIn(base.contact, field) === text ? base : { ...base, contact: withValue(base.contact, field, text) };

const settleList = (field: ListField, update: Settling, kind: Evidence['kind'], now: Contact, bases: Bases): Bases => {
  const { before, desired } = update;
  const lists = keyListsIn(field, {
    target: bases.target.contact,
    source: bases.source.contact,
    before,
    desired,
    now,
    from: update.source ?? EMPTY_CONTACT,
  });
  const isWritten = (key: string): boolean => lists.before.has(key) !== lists.desired.has(key);
  // Whatever a response shows was made by the request: a side may store other elements than were sent (R2).
  const isChanged = (key: string): boolean =>
    kind === 'answer' ? lists.before.has(key) !== lists.now.has(key) : isWritten(key);
  // An element that the other half does not have either is not agreed on yet, like an edit of the target's user (R12).
  const isFrom = (key: string): boolean => lists.from.has(key) === lists.desired.has(key);
  const isGiven = (key: string): boolean => update.source !== null && isWritten(key) && !isFrom(key);
  const hasArrived = (key: string): boolean => kind === 'answer' || lists.now.has(key) === lists.desired.has(key);
  const target = pick([lists.now, lists.target], (key) =>
    isChanged(key) && !isGiven(key) ? lists.now.has(key) : lists.target.has(key),
  );
  const source = pick([lists.from, lists.source], (key) =>
    update.source !== null && isWritten(key) && isFrom(key) && hasArrived(key)
      ? lists.from.has(key)
      : lists.source.has(key),
  );
  return {
    target: { ...bases.target, contact: withKeyed(bases.target.contact, field, target) },
    source: { ...bases.source, contact: withKeyed(bases.source.contact, field, source) },
  };
};

/** Returns the fields of an update that a read shows as written; all for a response. Lists are compared element by element. */
export const settledFields = (
  { fields, before, desired }: UpdateOperation,
  { kind, record }: Evidence,
): ReadonlySet<SyncedField> => {
  if (kind === 'answer') return new Set(fields);
  // The values of another contact are its own, and a missing value may be an edit of the contact's user. In both cases a different
  // text is no evidence that it replaced the text that was sent.
  const isKnown = record.id === before.id && showsWrite({ fields, before: before.contact, desired }, record.contact);
  return shownFields(fields, desired, record.contact, (isKnown ? before : record).contact);
};

/**
 * Returns both bases after an update of a contact. The target's base gets what the evidence shows of the written fields. The source's
 * base gets what was sent if the evidence is a response (R2: a side that stores another value is not written again), and only what
 * arrived if it is a read (R9). All other values stay as they are: a change that is not written yet remains a change (R5). Pure.
 */
export const settleUpdate = (operation: UpdateOperation, evidence: Evidence, bases: Bases): Bases => {
  const { kind, record } = evidence;
  const update = { ...operation, before: operation.before.contact, source: operation.source?.contact ?? null };
  const fields = settledFields(operation, evidence);
  const texts = scalarsOf(fields).reduce(
    (settled, field) => settleText(field, update, kind, record.contact, settled),
    bases,
  );
  return listsOf(fields).reduce((settled, field) => settleList(field, update, kind, record.contact, settled), texts);
};

/** Returns the base with the changes of a contact from `before` to `now` that are no edits of its user. */
export const changedBase = (
  base: Snapshot,
  before: Contact,
  now: Contact,
  fields: readonly SyncedField[] = fieldsIn(before, now),
): Snapshot => {
  const update: Settling = { desired: before, before, source: null };
  let bases: Bases = { target: base, source: EMPTY_SNAPSHOT };
  for (const field of scalarsOf(fields)) {
    if (textIn(before, field) !== textIn(now, field)) bases = settleText(field, update, 'answer', now, bases);
  }
  for (const field of listsOf(fields)) bases = settleList(field, update, 'answer', now, bases);
  return bases.target;
};

/** Returns the base of a contact after its side changed its groups: the moved ones are as they are now. */
export const settleGroups = (base: Snapshot, moved: readonly string[], now: readonly string[]): Snapshot => {
  const joined = moved.filter((id) => now.includes(id));
  const others = base.groupIds.filter((id) => !moved.includes(id));
  const { buckets = [], ...declined } = base.declined ?? {};
  const kept = buckets.filter((id) => !moved.includes(id));
  const groupIds = [...new Set([...others, ...joined])].toSorted();
  return withDeclined({ ...base, groupIds }, { ...declined, ...(kept.length > 0 && { buckets: kept }) });
};

/** Returns the base of the source after the moves of its groups were written to the other side. */
export const withMoves = (base: Snapshot, { join, leave }: Moves): Snapshot =>
  settleGroups(base, [...join, ...leave], join);

/** Returns the base of a contact that was created with the values `desired`. */
export const createdBase = (desired: Contact, { kind, record }: Evidence, join: readonly string[]): Snapshot => {
  const { contact, groupIds } = record;
  if (kind === 'answer') return { contact, groupIds };
  const update: Settling = { desired, before: EMPTY_CONTACT, source: null };
  let bases: Bases = { target: EMPTY_SNAPSHOT, source: EMPTY_SNAPSHOT };
  for (const field of scalarsIn(desired, contact)) bases = settleText(field, update, kind, contact, bases);
  for (const field of listsIn(desired)) bases = settleList(field, update, kind, contact, bases);
  return settleGroups(bases.target, join, groupIds);
};

/**
 * Returns the base of the contact that another one was created from: the values that were sent, or of a read only those that arrived
 * (R9). A value that was left out of the create is no part of it, whether it is written later or never.
 */
export const copiedBase = (own: Contact, desired: Contact, { kind, record }: Evidence): Snapshot => {
  const found = record.contact;
  let contact = EMPTY_CONTACT;
  for (const field of scalarsIn(desired)) {
    const hasArrived = kind === 'answer' || textIn(found, field) !== '';
    if (hasArrived) contact = withValue(contact, field, textIn(desired, field));
  }
  for (const field of listsIn(desired)) {
    const lists = keyListsIn(field, { own, desired, found });
    const isIn = (key: string): boolean => lists.desired.has(key) && (kind === 'answer' || lists.found.has(key));
    contact = withKeyed(contact, field, pick([lists.own, lists.desired], isIn));
  }
  return { contact, groupIds: [] };
};

/** The values of a half after an operation that decide which differences from the other side are settled. */
type Answered = {
  readonly written: ReadonlySet<SyncedField>;
  /** The values that were to be written; null if the half is to keep its own. */
  readonly wanted: Contact | null;
  readonly now: Contact;
  readonly other: Contact | null;
  /** The groups of the half in which its membership is to differ. */
  readonly groups: readonly string[];
};

/** Returns the base with the differences from the other side that the operation settled: values that the side did not accept (R2). */
export const withSettledDifferences = (base: Snapshot, answered: Answered): Snapshot => {
  const { written, wanted, now, other, groups } = answered;
  if (other === null || (written.size === 0 && base.declined === undefined)) return withDeclined(base, {});
  const declined = settleDeclined({ former: base.declined, written, wanted: wanted ?? other, now, other, groups });
  return withDeclined(base, declined);
};

/** Returns all fields that a create writes. */
export const createdFields = (desired: Contact, now: Contact): ReadonlySet<SyncedField> =>
  new Set<SyncedField>(fieldsIn(desired, now));
