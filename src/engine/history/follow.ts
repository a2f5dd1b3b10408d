import type { JournalRow } from '../../core/state/rows.ts';
import type { Half } from '../../core/contact/half.ts';
import { idAt } from '../../core/contact/pair.ts';
import { targetIdOf } from '../../core/reconcile/operation.ts';
import { bySide, SIDES } from '../../core/contact/side.ts';
import type { Store } from '../../store/store.ts';
import type { ContactIds, PeopleScope } from '../workload.ts';

/** A journaled write to a contact. */
export type JournaledWrite = Exclude<JournalRow, { kind: 'group-delete' }>;

export const isContactWrite = (write: JournalRow): write is JournaledWrite => write.kind !== 'group-delete';

/** The contact's id on the side that was written. For a create it comes from the answer. */
export const writtenId = (write: JournalRow): string => {
  const own = targetIdOf(write);
  return (write.kind === 'create' ? (write.after?.id ?? own) : own) ?? '';
};

/** The contacts in the write and in its answer. The same id at the other side may be that of another person. */
const contactsIn = (write: JournalRow): readonly Pick<Half, 'side' | 'id'>[] => {
  const named = SIDES.map((side) => ({ side, id: idAt(write, side) }));
  return [...named, { side: write.side, id: write.after?.id ?? null }].flatMap(({ side, id }) =>
    id === null || id === '' ? [] : [{ side, id }],
  );
};

/**
 * Returns all writes to the contacts, the oldest first, including those under former and later ids: a contact that was
 * deleted and restored has a new id.
 */
export const followContacts = async (
  store: Store,
  link: string,
  { ids, pairIds }: PeopleScope,
): Promise<{ readonly writes: readonly JournaledWrite[]; readonly ids: ContactIds }> => {
  const known = bySide((side) => new Set(ids[side]));
  const found = new Map<number, JournaledWrite>();
  let open = { ids: SIDES.flatMap((side) => ids[side]), pairIds };
  while (open.ids.length > 0 || open.pairIds.length > 0) {
    const { pairIds: pairs } = open;
    const isOwn = (write: JournaledWrite): boolean =>
      (write.pairId !== null && pairs.includes(write.pairId)) ||
      contactsIn(write).some(({ side, id }) => known[side].has(id));
    const writes = (await store.journal(link, open)).filter(isContactWrite).filter(isOwn);
    const fresh = writes.flatMap(contactsIn).filter(({ side, id }) => !known[side].has(id));
    for (const write of writes) found.set(write.id, write);
    for (const { side, id } of fresh) known[side].add(id);
    open = { ids: [...new Set(fresh.map(({ id }) => id))], pairIds: [] };
  }
  return { writes: [...found.values()].toSorted((a, b) => a.id - b.id), ids: bySide((side) => [...known[side]]) };
};
