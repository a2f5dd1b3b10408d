import { listsOf, scalarsOf, type SyncedField, textIn } from '../../core/contact/contact.ts';
import { keyListsIn } from '../../core/contact/lists.ts';
import type { JournalRow } from '../../core/state/rows.ts';
import { fieldsOf } from '../../core/reconcile/operation.ts';
import type { Store } from '../../store/store.ts';
import { isContactWrite, writtenId, type JournaledWrite } from './follow.ts';

/** The number of the latest undos that are searched. */
const MOST_UNDOS = 500;

const keyOf = ({ side }: JournaledWrite, id: string): string => `${side} ${id}`;

/** The contact that a write of an undo reverts: a contact that the undo created again had another id. */
const revertedKey = (write: JournaledWrite): string => {
  const former = write.side === 'left' ? write.leftId : write.rightId;
  return keyOf(write, write.kind === 'create' ? (former ?? '') : writtenId(write));
};

/** Whether a list has none of the elements that a write added, and all those that it removed. */
const lacksChange = (before: ReadonlySet<string>, after: ReadonlySet<string>, now: ReadonlySet<string>): boolean =>
  [...after.difference(before)].every((key) => !now.has(key)) &&
  [...before.difference(after)].every((key) => now.has(key));

/** Whether an undo took back what the write did to a field. */
const isReverted = (undo: JournaledWrite, write: JournaledWrite, field: SyncedField): boolean => {
  if (!fieldsOf(undo).includes(field)) return false;
  if (undo.kind === 'membership' && write.kind === 'membership') {
    const memberships = [write.before, write.after, undo.after].map((record) => new Set(record?.groupIds));
    const [before = new Set(), after = new Set(), now = new Set()] = memberships;
    return lacksChange(before, after, now);
  }
  // Of an operation with damaged values, only the fields are known.
  if (undo.kind !== 'update' || write.kind !== 'update' || undo.after === null || write.after === null) return true;
  const [before, after, now] = [write.before.contact, write.after.contact, undo.after.contact];
  const [text] = scalarsOf([field]);
  if (text !== undefined) return textIn(undo.before.contact, text) === textIn(after, text);
  return listsOf([field]).every((list) => {
    const keyed = keyListsIn(list, { before, after, now });
    return lacksChange(new Set(keyed.before.keys()), new Set(keyed.after.keys()), new Set(keyed.now.keys()));
  });
};

/** Whether these writes of undos to one contact revert the whole write. */
const areReverting = (undos: readonly JournaledWrite[], write: JournaledWrite): boolean => {
  if (undos.some(({ kind }) => kind === 'create' || kind === 'delete')) return true;
  const own = fieldsOf(write);
  return own.length > 0 && own.every((field) => undos.some((undo) => isReverted(undo, write, field)));
};

const doneWrites = (rows: readonly JournalRow[]): readonly JournaledWrite[] =>
  rows.filter(({ state }) => state === 'done').filter(isContactWrite);

/** Returns the journal ids of the writes of a run that undos have reverted. An undo that was undone itself does not count. */
export const listUndone = async (store: Store, link: string, run: string): Promise<ReadonlySet<number>> => {
  const undos = await store.runs(link, { newest: MOST_UNDOS, of: { kind: 'undo' } });
  const reverting: JournaledWrite[] = [];
  for (const { id } of undos.filter(({ undoes }) => undoes === run)) {
    const undone = await listUndone(store, link, id);
    const writes = doneWrites(await store.journal(link, { run: id }));
    reverting.push(...writes.filter((write) => !undone.has(write.id)));
  }
  if (reverting.length === 0) return new Set();
  const byContact = Map.groupBy(reverting, revertedKey);
  const own = doneWrites(await store.journal(link, { run }));
  const isUndone = (write: JournaledWrite): boolean =>
    areReverting(byContact.get(keyOf(write, writtenId(write))) ?? [], write);
  return new Set(own.filter(isUndone).map(({ id }) => id));
};
