import type { LinkState } from '../core/state/rows.ts';
import { fieldsNamed, keepChosen, nameOfFields } from '../core/contact/chosen.ts';
import { inFieldOrder, isSyncedField, type SyncedField } from '../core/contact/contact.ts';
import type { Half } from '../core/contact/half.ts';
import { SIDES } from '../core/contact/side.ts';
import { type Snapshot, withDeclined } from '../core/contact/snapshot.ts';
import { forgetRefusals } from '../core/state/unread.ts';
import type { LinkContext, Session } from './session.ts';
import { discard } from './discard.ts';
import { chunks } from '../util/batches.ts';
import { endConflictChanges } from './conflicts.ts';

/** Contacts per commit. */
const BATCH = 1_000;

/** Returns the base without other fields, and without the values of them that its side declined. */
const keepChosenIn = (base: Snapshot, chosen: ReadonlySet<SyncedField>): Snapshot => {
  const declined = Object.entries(base.declined ?? {}).filter(([field]) => isSyncedField(field) && chosen.has(field));
  return withDeclined({ ...base, contact: keepChosen(base.contact, chosen) }, Object.fromEntries(declined));
};

/** Returns the half without fields that the link no longer syncs. A field that is added again is treated as at a first sync. */
const withChosen = (half: Half, chosen: ReadonlySet<SyncedField>): Half => {
  const { digest: _, ...record } = half.record;
  const base = half.base && keepChosenIn(half.base, chosen);
  return { ...half, record: { ...record, contact: keepChosen(record.contact, chosen) }, base };
};

/** Whether the link syncs other fields than at its last completed run. If so, everything is read again. */
export const hasOtherFields = ({ fields }: LinkContext, { fields: stored }: LinkState): boolean =>
  stored.joining !== null || stored.name !== nameOfFields(fields);

/** Ends the conflicts in fields that the link no longer syncs. */
const endConflictsExcept = async (session: Session, kept: ReadonlySet<SyncedField>): Promise<void> => {
  const { clock, link, store, writer } = session;
  const recorded = await store.conflicts(link, { all: false });
  const ended = recorded.flatMap((row) => (kept.has(row.field) ? [] : [{ row, lapsed: true }]));
  if (ended.length > 0) await writer.apply({}, (set) => set.add(...endConflictChanges(ended, clock.now())));
};

/** Stores the fields. Refused writes may not be needed with other ones. */
const storeFields = async ({ state, writer }: Session, fields: LinkState['fields']): Promise<void> => {
  const forgotten = forgetRefusals(state().rejections);
  await writer.apply({}, (set) => set.add({ kind: 'link', patch: { fields } }, ...forgotten));
};

/** Removes all but the kept fields from stored halves. */
const stripHalves = async ({ link, store, writer }: Session, kept: ReadonlySet<SyncedField>): Promise<void> => {
  for (const side of SIDES) {
    const ids = (await store.index(link, side)).map(({ id }) => id);
    for (const some of chunks(ids, BATCH)) {
      await writer.apply({ ids: { [side]: some } }, (set) => {
        for (const id of some) set.change(side, id, (half) => withChosen(half, kept));
      });
    }
  }
};

/**
 * Updates stored halves to the fields that the link syncs now. A field that is no longer synced is removed. A new field has
 * empty bases, so it is merged as at the first match of a pair (R13).
 */
export const chooseFields = async (session: Session): Promise<void> => {
  const { fields } = session;
  const { name, joining } = session.state().fields;
  const next = nameOfFields(fields);
  const chosen = new Set(fields);
  const before = new Set(fieldsNamed(name));
  const started = joining ?? [];
  // Some contacts still have these fields if a process died in between.
  const unstripped = started.filter((field) => !before.has(field));
  if (name === next && unstripped.length === 0) return;
  const kept = before.intersection(chosen);
  const leaving = [...before.difference(chosen), ...unstripped];
  if (leaving.length > 0) {
    // Stored first: if the process dies and the choice is reverted, some contacts lack these fields.
    await storeFields(session, {
      name: nameOfFields(inFieldOrder(kept)),
      joining: inFieldOrder([...started, ...leaving]),
    });
    await endConflictsExcept(session, kept);
    await stripHalves(session, kept);
  }
  // Listed pages lack the new fields.
  for (const side of SIDES) await discard(session, side);
  const joined = inFieldOrder([...started.filter((field) => kept.has(field)), ...chosen.difference(kept)]);
  await storeFields(session, { name: next, joining: joined });
};
