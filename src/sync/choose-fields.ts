import { fieldsNamed, fieldsOf, keepChosen, nameOfFields } from '../contact/chosen.ts';
import { inFieldOrder, type SyncedField } from '../contact/contact.ts';
import type { Half } from '../contact/half.ts';
import { SIDES } from '../contact/side.ts';
import type { LinkContext, Session } from './context.ts';
import { discard } from './discard.ts';
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
const endConflicts = async (session: Session, chosen: ReadonlySet<SyncedField>): Promise<void> => {
  const open = await session.store.conflicts(session.link, { all: false });
  await endQuestions(
    session,
    open.filter(({ field }) => !chosen.has(field)),
  );
};

/**
 * Brings what is stored to the fields that the link syncs now. Of a field that leaves nothing stays stored, so that nothing
 * follows from what becomes of it; one that joins has empty bases, so that two contacts meet in it for the first time (R13).
 */
export const chooseFields = async (session: Session): Promise<void> => {
  const { fields, link, store, writer } = session;
  const { name, joining } = (await store.link(link)).fields;
  const next = nameOfFields(fields);
  if (name === next) return;
  const chosen = new Set(fieldsOf(fields));
  const before = new Set(fieldsNamed(name));
  if (before.difference(chosen).size > 0) {
    await endConflicts(session, chosen);
    for (const side of SIDES) {
      const ids = (await store.index(link, side)).map(({ id }) => id);
      for (let start = 0; start < ids.length; start += BATCH) {
        const some = ids.slice(start, start + BATCH);
        await writer.apply({ ids: { [side]: some } }, (set) => {
          for (const id of some) {
            const half = set.half(side, id);
            if (half !== null) set.put(withChosen(half, chosen));
          }
        });
      }
    }
  }
  // Pages that were listed for other fields say nothing of those that join.
  for (const side of SIDES) await discard(session, side);
  const joined = inFieldOrder([...(joining ?? []), ...chosen.difference(before)]).filter((field) => chosen.has(field));
  await writer.apply({}, (set) => set.add({ kind: 'link', patch: { fields: { name: next, joining: joined } } }));
};
