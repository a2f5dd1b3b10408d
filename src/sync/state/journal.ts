import type { Contact } from '../../contact/contact.ts';
import type { ContactRecord } from '../../contact/record.ts';
import { otherSide } from '../../contact/side.ts';
import type { DeletedGroup, JournalRow, JournalState } from '../../store/store.ts';

/** What becomes known of a journaled write. */
export type JournalEvent =
  /** The remote answered that it was done. */
  | 'answered'
  /** The remote answered that it was not done, or could not be asked. */
  | 'refused'
  /** No answer came: recovery has to find out. */
  | 'unanswered'
  /** Recovery found that it was done. */
  | 'found'
  /** Recovery found that it was not done, or cannot find out: the plan decides again. */
  | 'not-found';

/** A journal entry is written as `intended`; each of the other states is final. */
export const JOURNAL_TRANSITIONS: Readonly<Record<JournalState, Readonly<Record<JournalEvent, JournalState>>>> = {
  intended: {
    answered: 'done',
    refused: 'failed',
    unanswered: 'intended',
    found: 'done',
    'not-found': 'abandoned',
  },
  done: { answered: 'done', refused: 'done', unanswered: 'done', found: 'done', 'not-found': 'done' },
  failed: { answered: 'failed', refused: 'failed', unanswered: 'failed', found: 'failed', 'not-found': 'failed' },
  abandoned: {
    answered: 'abandoned',
    refused: 'abandoned',
    unanswered: 'abandoned',
    found: 'abandoned',
    'not-found': 'abandoned',
  },
};

/** A write whose outcome is unknown, with everything that recovery needs, by kind. */
export type OpenWrite =
  /** `sourceId` names the contact of the other side that the new one follows from. */
  | { readonly kind: 'create'; readonly row: JournalRow; readonly desired: Contact; readonly sourceId: string }
  /** An undo brings a deleted contact back; `image` is its last one. */
  | { readonly kind: 'restore'; readonly row: JournalRow; readonly desired: Contact; readonly image: ContactRecord }
  | {
      readonly kind: 'update';
      readonly row: JournalRow;
      readonly id: string;
      readonly before: ContactRecord;
      readonly desired: Contact;
      /** What the write follows from on the other side; null for an undo, by which nothing is propagated. */
      readonly source: ContactRecord | null;
    }
  | { readonly kind: 'membership'; readonly row: JournalRow; readonly id: string; readonly before: ContactRecord }
  | {
      readonly kind: 'delete';
      readonly row: JournalRow;
      readonly id: string;
      /** Where it goes by merging it: the contact itself, and the merge survivor, both as they stood. */
      readonly merge: { readonly mergedAway: ContactRecord; readonly survivor: ContactRecord } | null;
    }
  | { readonly kind: 'group-delete'; readonly row: JournalRow; readonly group: DeletedGroup }
  /** The entry lacks what its kind needs: it can only be given up. */
  | { readonly kind: 'incomplete'; readonly row: JournalRow; readonly lacks: string };

const ownId = (row: JournalRow): string | null => (row.side === 'left' ? row.leftId : row.rightId);

const sourceIdOf = (row: JournalRow): string | null => (otherSide(row.side) === 'left' ? row.leftId : row.rightId);

const openCreate = (row: JournalRow): OpenWrite => {
  const { desired, source, undoes } = row.intent;
  if (desired === null) return { kind: 'incomplete', row, lacks: 'the contact to be created' };
  if (undoes) {
    if (source === null) return { kind: 'incomplete', row, lacks: 'the image to be restored' };
    return { kind: 'restore', row, desired, image: source };
  }
  const sourceId = sourceIdOf(row);
  if (sourceId === null) return { kind: 'incomplete', row, lacks: 'the contact that it follows from' };
  return { kind: 'create', row, desired, sourceId };
};

const openDelete = (row: JournalRow, id: string): OpenWrite => {
  const { before: mergedAway, intent } = row;
  const { source: survivor } = intent;
  const merge = mergedAway === null || survivor === null ? null : { mergedAway, survivor };
  return { kind: 'delete', row, id, merge };
};

/** A journal entry whose outcome is unknown, by kind. */
export const openWriteOf = (row: JournalRow): OpenWrite => {
  if (row.kind === 'create') return openCreate(row);
  if (row.kind === 'group-delete') {
    const { group } = row.intent;
    return group === null ? { kind: 'incomplete', row, lacks: 'the group' } : { kind: 'group-delete', row, group };
  }
  const id = ownId(row);
  if (id === null) return { kind: 'incomplete', row, lacks: 'the id of the contact' };
  const { before } = row;
  if (row.kind === 'delete') return openDelete(row, id);
  if (before === null) return { kind: 'incomplete', row, lacks: 'the contact before the write' };
  if (row.kind === 'membership') return { kind: 'membership', row, id, before };
  const { desired, source } = row.intent;
  if (desired === null) return { kind: 'incomplete', row, lacks: 'the contact as it was to be' };
  if (source === null && !row.intent.undoes) return { kind: 'incomplete', row, lacks: 'what it follows from' };
  return { kind: 'update', row, id, before, desired, source };
};
