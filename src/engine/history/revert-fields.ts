import {
  listsOf,
  scalarsOf,
  textIn,
  withValue,
  type Contact,
  type ListField,
  type ScalarField,
  type SyncedField,
} from '../../core/contact/contact.ts';
import { keyLists, listOf, withList } from '../../core/contact/lists.ts';
import { isExtraField } from '../../core/contact/fields.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import type { CompleteWrite } from './follow.ts';

/** A contact on its way back: every write that is undone changes it. */
export type Draft = {
  contact: Contact;
  readonly groupIds: Set<string>;
  readonly fields: Set<SyncedField>;
  readonly refused: { readonly field: SyncedField; readonly reason: string }[];
};

const CHANGED = 'it was changed since';

export const draftOf = (record: ContactRecord): Draft => {
  return { contact: record.contact, groupIds: new Set(record.groupIds), fields: new Set(), refused: [] };
};

const undoScalar = (draft: Draft, field: ScalarField, before: Contact, after: Contact): void => {
  const [now, former, written] = [draft.contact, before, after].map((contact) => textIn(contact, field));
  if (former === undefined || former === written || now === former) return;
  if (now !== written) {
    draft.refused.push({ field, reason: CHANGED });
    return;
  }
  draft.contact = withValue(draft.contact, field, former);
  draft.fields.add(field);
};

/** What the write added goes where it is still there; what it removed comes back where it is missing. */
const undoList = (draft: Draft, field: ListField, before: Contact, after: Contact): void => {
  const lists = { before: listOf(before, field), after: listOf(after, field), now: listOf(draft.contact, field) };
  const keyed = keyLists(field, lists);
  const isAdded = (key: string): boolean => keyed.after.has(key) && !keyed.before.has(key);
  const kept = [...keyed.now].filter(([key]) => !isAdded(key));
  const back = [...keyed.before].filter(([key]) => !keyed.after.has(key) && !keyed.now.has(key));
  if (kept.length === keyed.now.size && back.length === 0) return;
  draft.contact = withList(
    draft.contact,
    field,
    [...kept, ...back].map(([, element]) => element),
  );
  draft.fields.add(field);
};

const undoMembership = (
  draft: Draft,
  write: Extract<CompleteWrite, { kind: 'membership' }>,
  groups: ReadonlySet<string>,
): void => {
  const { before, after } = write;
  if (after === null) return;
  const joined = write.join.filter((id) => after.groupIds.includes(id) && !before.groupIds.includes(id));
  const quit = write.leave.filter((id) => before.groupIds.includes(id) && !after.groupIds.includes(id));
  for (const id of joined.filter((group) => draft.groupIds.has(group))) {
    draft.groupIds.delete(id);
    draft.fields.add('buckets');
  }
  for (const id of quit.filter((group) => !draft.groupIds.has(group))) {
    if (groups.has(id)) {
      draft.groupIds.add(id);
      draft.fields.add('buckets');
    } else draft.refused.push({ field: 'buckets', reason: 'the group it left is deleted or no longer synced' });
  }
};

/** What a side computes is as it is: shown or not, there is nothing to go back to. */
const isNoExtra = (field: ScalarField): boolean => !isExtraField(field);

/**
 * Reverts one write in the draft; a value that changed since is refused. Fields of an update that `isReverted` excludes stay.
 */
export const undoWrite = (
  draft: Draft,
  write: CompleteWrite,
  groups: ReadonlySet<string>,
  isReverted: (field: SyncedField) => boolean = () => true,
): void => {
  if (write.kind === 'membership') undoMembership(draft, write, groups);
  if (write.kind !== 'update' || write.after === null) return;
  const [before, after] = [write.before.contact, write.after.contact];
  const fields = write.fields.filter(isReverted);
  for (const field of scalarsOf(fields).filter(isNoExtra)) undoScalar(draft, field, before, after);
  for (const field of listsOf(fields)) undoList(draft, field, before, after);
};
