import { withValuesOf } from '../contact/chosen.ts';
import {
  type Contact,
  type ContactField,
  EMPTY_CONTACT,
  fieldsIn,
  type ListField,
  listsOf,
  type ScalarField,
  scalarsOf,
  type SyncedField,
  textIn,
  withValue,
} from '../contact/contact.ts';
import { type KeyedList, keyListsIn, withKeyed } from '../contact/lists.ts';
import type { ContactRecord } from '../contact/record.ts';
import { equalIn, type Snapshot, withDeclined } from '../contact/snapshot.ts';
import type { UpdateOperation } from '../reconcile/operation.ts';
import { resembles } from '../reconcile/similar.ts';
import { type Moves, shownFields, showsWrite } from './traces.ts';

/**
 * The state of a contact that its side showed after an operation. `answer`: the answer to the request, which was applied as a whole.
 * `read`: a later read, so only the values that it shows were applied, and the contact may contain later edits of its user.
 */
export type Evidence = { readonly kind: 'answer' | 'read'; readonly record: ContactRecord };

/** The bases of the half that an operation writes, and of the half that it is computed from. */
export type Bases = { readonly target: Snapshot; readonly source: Snapshot };

/** Values that were written to a contact, and the values that its side showed afterwards. */
type Shown = {
  readonly kind: Evidence['kind'];
  readonly before: Contact;
  readonly desired: Contact;
  readonly now: Contact;
  /** The contact that the values come from; null if they come from no other contact, as in an undo. */
  readonly source: Contact | null;
};

/** Returns the elements of the lists for which `isIn` is true: in the order and the spelling of the first list that contains them. */
const pick = (lists: readonly KeyedList[], isIn: (key: string) => boolean): Parameters<typeof withKeyed>[2] => {
  const elements = new Map<string, Parameters<typeof withKeyed>[2][number]>();
  for (const [key, element] of lists.flatMap((list) => [...list])) {
    if (!elements.has(key) && isIn(key)) elements.set(key, [key, element]);
  }
  return [...elements.values()];
};

/** Keys a list of all versions, with tests of its elements: whether one was written, and whether the source agrees with that. */
const keyed = (field: ListField, base: Contact, { before, desired, now, source }: Omit<Shown, 'kind'>) => {
  const lists = keyListsIn(field, { base, before, desired, now, source: source ?? desired });
  const isWritten = (key: string): boolean => lists.before.has(key) !== lists.desired.has(key);
  const isFromSource = (key: string): boolean => lists.source.has(key) === lists.desired.has(key);
  return { ...lists, isWritten, isFromSource };
};

/** Returns whether all that is written to a field comes from the source. A value of a contact that was merged away does not (R12). */
export const comesFrom = (source: Contact, before: Contact, desired: Contact): ((field: SyncedField) => boolean) => {
  return (field) => {
    const [text] = scalarsOf([field]);
    if (text !== undefined) return textIn(source, text) === textIn(desired, text);
    return listsOf([field]).every((list) => {
      const lists = keyed(list, desired, { before, desired, now: desired, source });
      const keys = [...lists.desired.keys(), ...lists.before.keys()];
      return keys.every((key) => !lists.isWritten(key) || lists.isFromSource(key));
    });
  };
};

/** Returns the shown text; but the sent text if a read shows one that is neither empty nor similar to it. */
const shownText = (field: ScalarField, { kind, desired, now }: Shown): string => {
  const [is, wanted] = [textIn(now, field), textIn(desired, field)];
  return kind === 'answer' || is === '' || resembles(is, wanted) ? is : wanted;
};

/**
 * Returns the target's base after a write of the fields: what the evidence shows of them. A value that the source lacks stays out of the
 * base, like an edit of the target's user (R12, R4).
 */
const targetBase = (base: Contact, fields: Iterable<SyncedField>, shown: Shown): Contact => {
  const { kind, desired, source } = shown;
  const all = [...fields];
  const texts = scalarsOf(all).filter((field) => source === null || textIn(source, field) === textIn(desired, field));
  const withTexts = texts.reduce((own, field) => withValue(own, field, shownText(field, shown)), base);
  return listsOf(all).reduce((own, field) => {
    const lists = keyed(field, base, shown);
    // Whatever an answer shows was made by the request: a side may store other elements than were sent (R2).
    const isChanged = (key: string): boolean =>
      kind === 'answer' ? lists.before.has(key) !== lists.now.has(key) : lists.isWritten(key);
    const isShown = (key: string): boolean => isChanged(key) && (!lists.isWritten(key) || lists.isFromSource(key));
    return withKeyed(
      own,
      field,
      pick([lists.now, lists.base], (key) => (isShown(key) ? lists.now : lists.base).has(key)),
    );
  }, withTexts);
};

/** Returns the source's base after a write of the fields: its own values at the plan; after a read, only those that arrived (R2, R9). */
const sourceBase = (
  base: Contact,
  fields: Iterable<SyncedField>,
  shown: Shown & { readonly source: Contact },
): Contact => {
  const { kind, desired, source } = shown;
  const all = [...fields];
  const withTexts = scalarsOf(all).reduce((own, field) => {
    const text = textIn(source, field);
    // A read shows no text: perhaps nothing was written, and an empty base keeps the source's change.
    const isMissing = kind === 'read' && text === textIn(desired, field) && shownText(field, shown) === '';
    return withValue(own, field, isMissing ? '' : text);
  }, base);
  return listsOf(all).reduce((own, field) => {
    const lists = keyed(field, base, shown);
    const hasArrived = (key: string): boolean => kind === 'answer' || lists.now.has(key) === lists.desired.has(key);
    const isSettled = (key: string): boolean => lists.isWritten(key) && lists.isFromSource(key) && hasArrived(key);
    return withKeyed(
      own,
      field,
      pick([lists.source, lists.base], (key) => (isSettled(key) ? lists.source : lists.base).has(key)),
    );
  }, withTexts);
};

/** Returns the fields of an update that a read shows as written; all for an answer. Lists are compared element by element. */
export const settledFields = (
  { fields, before, desired }: UpdateOperation,
  { kind, record }: Evidence,
): ReadonlySet<SyncedField> => {
  if (kind === 'answer') return new Set(fields);
  // If the read returned another contact, or shows no written value, only texts that equal the sent ones count.
  const isKnown = record.id === before.id && showsWrite({ fields, before: before.contact, desired }, record.contact);
  return shownFields(fields, desired, record.contact, (isKnown ? before : record).contact);
};

/**
 * Returns both bases after an update of a contact. The target's base gets what the evidence shows of the written fields. The source's
 * base gets its own values at the plan (R2: a side that stores another value is not written again); after a read, only those that
 * arrived (R9). All other values stay as they are: a change that is not written yet remains a change (R5). Pure.
 */
export const settleUpdate = (operation: UpdateOperation, evidence: Evidence, bases: Bases): Bases => {
  const { before, desired, source } = operation;
  const shown = { kind: evidence.kind, before: before.contact, desired, now: evidence.record.contact };
  const fields = settledFields(operation, evidence);
  const target = targetBase(bases.target.contact, fields, { ...shown, source: source?.contact ?? null });
  const own = { ...bases, target: { ...bases.target, contact: target } };
  if (source === null) return own;
  const contact = sourceBase(bases.source.contact, fields, { ...shown, source: source.contact });
  return { ...own, source: { ...bases.source, contact } };
};

/**
 * Returns the contact as an update left it, for a contact that a later read shows: without what its user changed in the written
 * fields since. An undo compares the contact with it, so that it reverts no edit (R5).
 */
export const updatedContact = (operation: UpdateOperation, { kind, record }: Evidence): Contact => {
  const before = operation.before.contact;
  const shown: Shown = { kind, before, desired: operation.desired, now: record.contact, source: null };
  const written = targetBase(before, settledFields(operation, { kind, record }), shown);
  return withValuesOf(record.contact, written, operation.fields);
};

/** Returns the base with the changes of a contact from `before` to `now` that are no edits of its user. */
export const changedBase = (
  base: Snapshot,
  before: Contact,
  now: Contact,
  fields: readonly ContactField[] = fieldsIn(before, now),
): Snapshot => {
  const changed = fields.filter((field) => !equalIn(field, before, now));
  const shown: Shown = { kind: 'answer', before, desired: before, now, source: null };
  return { ...base, contact: targetBase(base.contact, changed, shown) };
};

/** Returns the base of a contact after its side changed its groups: the moved ones are as they are now. */
export const settleGroups = (base: Snapshot, moved: readonly string[], now: readonly string[]): Snapshot => {
  if (moved.length === 0) return base;
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

/** Returns the base of a contact that was created with the values `desired` in the groups `join`. */
export const createdBase = (desired: Contact, { kind, record }: Evidence, join: readonly string[]): Snapshot => {
  const { contact, groupIds } = record;
  if (kind === 'answer') return { contact, groupIds };
  const shown: Shown = { kind, before: EMPTY_CONTACT, desired, now: contact, source: null };
  const own = targetBase(EMPTY_CONTACT, fieldsIn(desired, contact), shown);
  return settleGroups({ contact: own, groupIds: [] }, join, groupIds);
};

/**
 * Returns the base of the contact that another one was created from: the values that were sent, or of a read only those that arrived
 * (R9). A value that was left out of the create is no part of it, whether it is written later or never.
 */
export const copiedBase = (desired: Contact, { kind, record }: Evidence): Snapshot => {
  if (kind === 'answer') return { contact: desired, groupIds: [] };
  const shown = { kind, before: EMPTY_CONTACT, desired, now: record.contact, source: desired };
  return { contact: sourceBase(EMPTY_CONTACT, fieldsIn(desired), shown), groupIds: [] };
};
