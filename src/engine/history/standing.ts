import { syncedIn, type SyncedField } from '../../core/contact/contact.ts';
import { stands, type Half } from '../../core/contact/half.ts';
import { contactsOf } from '../../core/contact/snapshot.ts';
import { bySide, SIDES, type Side, type Sides } from '../../core/contact/side.ts';
import { valuesOf, type GroupNames } from '../../core/view/values.ts';
import type { Standing, Why, Write } from '../../core/view/views.ts';

/** The side that a value came from, by the reason for its last write; an undo brings back what its own side had. */
const sideOf = (why: Why, written: Side): Side | null => {
  switch (why.kind) {
    case 'undo':
      return written;
    case 'conflict':
      return why.winner;
    case 'new':
    case 'changed':
    case 'deleted':
    case 'first-meeting':
    case 'edit-beats-delete':
    case 'merged':
    case 'taken':
    case 'kept':
    case 'dormant':
      return why.at;
    case 'asked':
    case 'alike':
    case 'by-hand':
    case 'gone':
    case 'paired-again':
    case 'unselected':
    case 'selected':
      return null;
  }
};

/** The last write that changed the field, and why it did. */
const lastChange = (field: SyncedField, entries: readonly Write[]): Pick<Standing, 'from' | 'sinceMs' | 'why'> => {
  for (const { state, side, atMs, changes } of entries.toReversed()) {
    const change = state === 'done' ? changes.find((each) => each.field === field) : undefined;
    if (change !== undefined) return { from: sideOf(change.why, side), sinceMs: atMs, why: change.why };
  }
  return { from: null, sinceMs: null, why: null };
};

/**
 * Whose value of each field stands, and since when: by the writes to the contact, the oldest first, and by what `unsynced`
 * says that no run has taken to the other side yet. Fields that neither side fills are left out. Pure.
 */
export const standingsOf = (
  halves: Sides<Half | null>,
  entries: readonly Write[],
  unsynced: Sides<readonly SyncedField[]>,
  names: Sides<GroupNames>,
): readonly Standing[] =>
  syncedIn(...contactsOf(halves.left?.record, halves.right?.record)).flatMap((field): Standing[] => {
    const values = bySide((side) => {
      const half = halves[side];
      return valuesOf(stands(half) ? half.record : null, field, names[side]);
    });
    if (SIDES.every((side) => values[side].length === 0)) return [];
    const [edited, ...others] = SIDES.filter((side) => unsynced[side].includes(field));
    if (edited === undefined || others.length > 0) return [{ field, ...values, ...lastChange(field, entries) }];
    const sinceMs = halves[edited]?.record.modifiedAtMs ?? null;
    return [{ field, ...values, from: edited, sinceMs, why: { kind: 'changed', at: edited } }];
  });
