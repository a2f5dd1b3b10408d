import { SYNCED_FIELDS } from '../contact/contact.ts';
import type { Side } from '../contact/side.ts';
import type { Pair } from '../reconcile/decision.ts';
import type { ReadAnswer } from '../providers/remote.ts';
import type { StoreChange } from '../store/store.ts';

/** What a read of a contact says about it, as changes of the store; `gone` is evidence of a deletion (R7). */
export const answerChanges = (
  side: Side,
  id: string,
  answer: ReadAnswer | undefined,
  atMs: number,
): readonly StoreChange[] => {
  switch (answer?.kind) {
    case 'found':
      return [{ kind: 'stage', side, record: answer.record, atMs }];
    case 'moved':
      return [{ kind: 'rename', side, from: id, record: answer.record, atMs }];
    case 'gone':
      return [{ kind: 'stage-tombstone', side, id, atMs }];
    case 'unreadable':
    case undefined:
      return [];
  }
};

/** What the mapping holds of a pair whose other contact an undo deleted: this half, for itself. */
export const keptAlone = (pair: Pair, side: Side, atMs: number): readonly StoreChange[] => {
  const half = pair[side];
  if (half.kind !== 'present') return pair.id === null ? [] : [{ kind: 'drop-pair', pairId: pair.id }];
  const { record } = half;
  const value = { record, base: half.base ?? { contact: record.contact, groupIds: record.groupIds }, unsettled: false };
  const sides = side === 'left' ? { left: value, right: null } : { left: null, right: value };
  const { left } = pair;
  const leftId = left.kind === 'present' ? left.record.id : '';
  return [
    { kind: 'resolve-conflicts', leftId, fields: SYNCED_FIELDS, atMs },
    { kind: 'pair', pairId: pair.id, status: 'kept', ...sides, writtenSide: null, atMs },
  ];
};
