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

/** Whether these writes of undos to one contact revert the whole write. */
const areReverting = (undos: readonly JournaledWrite[], write: JournaledWrite): boolean => {
  if (undos.some(({ kind }) => kind === 'create' || kind === 'delete')) return true;
  const fields = new Set(undos.flatMap(fieldsOf));
  const own = fieldsOf(write);
  return own.length > 0 && own.every((field) => fields.has(field));
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
