import type { JournalRow } from '../../core/state/rows.ts';
import { operationKind } from '../../core/reconcile/operation.ts';
import type { ContactScope, Store } from '../../store/store.ts';

/** A journaled write to a contact. */
export type JournaledWrite = Exclude<JournalRow, { kind: 'group-delete' }>;

/** A journaled write to a contact with all its values. */
export type CompleteWrite = Exclude<JournaledWrite, { kind: 'incomplete' }>;

export const isComplete = (write: JournaledWrite): write is CompleteWrite => write.kind !== 'incomplete';

export const isContactWrite = (write: JournalRow): write is JournaledWrite => operationKind(write) !== 'group-delete';

/** The contact's id on the side that was written. For a create it comes from the answer. */
export const writtenId = (write: JournalRow): string => {
  const own = write.side === 'left' ? write.leftId : write.rightId;
  return (write.kind === 'create' ? (write.after?.id ?? own) : own) ?? '';
};

/** The ids of all contacts in the write and in its answer. */
const idsIn = (write: JournalRow): readonly string[] => {
  return [write.leftId, write.rightId, write.after?.id].flatMap((id) => (id ? [id] : []));
};

/**
 * Returns all writes to the contacts, the oldest first, including those under former and later ids: a contact that was
 * deleted and restored has a new id.
 */
export const followContacts = async (
  store: Store,
  link: string,
  scope: ContactScope,
): Promise<{ readonly writes: readonly JournaledWrite[]; readonly ids: readonly string[] }> => {
  const ids = new Set(scope.ids);
  let open: ContactScope = scope;
  const found = new Map<number, JournaledWrite>();
  while (open.ids.length > 0 || open.pairIds.length > 0) {
    const writes = (await store.journal(link, open)).filter(isContactWrite);
    const fresh = new Set(writes.flatMap(idsIn).filter((id) => !ids.has(id)));
    for (const write of writes) found.set(write.id, write);
    for (const id of fresh) ids.add(id);
    open = { ids: [...fresh], pairIds: [] };
  }
  return { writes: [...found.values()].toSorted((a, b) => a.id - b.id), ids: [...ids] };
};
