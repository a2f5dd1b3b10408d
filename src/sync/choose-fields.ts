import { fieldsNamed, fieldsOf, keepChosen, nameOfFields } from '../contact/chosen.ts';
import { inFieldOrder, type SyncedField } from '../contact/contact.ts';
import type { Half } from '../contact/half.ts';
import { SIDES } from '../contact/side.ts';
import type { LinkState } from '../store/store.ts';
import type { LinkContext, Session } from './context.ts';
import { discard } from './discard.ts';
import { chunks } from './execute/in-parallel.ts';
import { endQuestions } from './reviews.ts';

/** So many contacts are changed with one commit. */
const BATCH = 1_000;

/** The half without fields that the link syncs no more: should they join again, it meets them for the first time. */
const withChosen = (half: Half, chosen: ReadonlySet<SyncedField>): Half => {
  const { digest: _, ...record } = half.record;
  const base = half.base && { ...half.base, contact: keepChosen(half.base.contact, chosen) };
  return { ...half, record: { ...record, contact: keepChosen(record.contact, chosen) }, base };
};

/** Whether the link syncs other fields than when a run of it last completed: everything is read again then. */
export const hasOtherFields = async ({ fields, link, store }: LinkContext): Promise<boolean> => {
  const stored = (await store.link(link)).fields;
  return stored.joining !== null || stored.name !== nameOfFields(fields);
};

/** Ends what waits for a person in fields that the link syncs no more: nobody looks after these values. */
const endConflicts = async (session: Session, kept: ReadonlySet<SyncedField>): Promise<void> => {
  const open = await session.store.conflicts(session.link, { all: false });
  await endQuestions(
    session,
    open.filter(({ field }) => !kept.has(field)),
  );
};

const storeFields = async ({ writer }: Session, fields: LinkState['fields']): Promise<void> => {
  await writer.apply({}, (set) => set.add({ kind: 'link', patch: { fields } }));
};

/** Leaves no other fields in what is stored than those that are kept. */
const stripHalves = async ({ link, store, writer }: Session, kept: ReadonlySet<SyncedField>): Promise<void> => {
  for (const side of SIDES) {
    const ids = (await store.index(link, side)).map(({ id }) => id);
    for (const some of chunks(ids, BATCH)) {
      await writer.apply({ ids: { [side]: some } }, (set) => {
        for (const id of some) {
          const half = set.half(side, id);
          if (half !== null) set.put(withChosen(half, kept));
        }
      });
    }
  }
};

/**
 * Brings what is stored to the fields that the link syncs now. Of a field that leaves nothing stays stored, so that nothing
 * follows from what becomes of it; one that joins has empty bases, so that two contacts meet in it for the first time (R13).
 */
export const chooseFields = async (session: Session): Promise<void> => {
  const { fields, link, store } = session;
  const { name, joining } = (await store.link(link)).fields;
  const next = nameOfFields(fields);
  const chosen = new Set(fieldsOf(fields));
  const before = new Set(fieldsNamed(name));
  const begun = joining ?? [];
  // A process that ended in between has left these in some contacts.
  const unstripped = begun.filter((field) => !before.has(field));
  if (name === next && unstripped.length === 0) return;
  const kept = before.intersection(chosen);
  const leaving = [...before.difference(chosen), ...unstripped];
  if (leaving.length > 0) {
    // Said ahead, or a choice that is taken back after an end in between would find some contacts without these.
    await storeFields(session, {
      name: nameOfFields(inFieldOrder(kept)),
      joining: inFieldOrder([...begun, ...leaving]),
    });
    await endConflicts(session, kept);
    await stripHalves(session, kept);
  }
  // Pages that were listed for other fields say nothing of those that join.
  for (const side of SIDES) await discard(session, side);
  const joined = inFieldOrder([...begun.filter((field) => kept.has(field)), ...chosen.difference(kept)]);
  await storeFields(session, { name: next, joining: joined });
};
