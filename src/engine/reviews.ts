import type { ConflictRow, StoreChange } from '../core/state/rows.ts';
import { scalarsOf, type ScalarField } from '../core/contact/contact.ts';
import { isPresent } from '../core/contact/half.ts';
import type { Pair } from '../core/reconcile/decision.ts';
import { sidesToTake, takenSide, takenValue } from '../core/reconcile/review.ts';
import type { Session } from './context.ts';

const isScalar = (field: ConflictRow['field']): field is ScalarField => scalarsOf([field]).length > 0;

type Outcome = 'waits' | 'done' | 'lapsed';

/** Returns the state of a value that a user took: still to be written, written everywhere, or no longer allowed. */
const outcomeOf = (row: ConflictRow, pair: Pair | undefined, { policy }: Session): Outcome => {
  if (pair === undefined || !isPresent(pair.left) || !isPresent(pair.right) || !isScalar(row.field)) return 'lapsed';
  const halves = { left: pair.left, right: pair.right };
  const taken = takenValue(row.field, halves, [row]);
  if (taken === null) return 'lapsed';
  return sidesToTake(row.field, halves, taken.value, policy).length > 0 ? 'waits' : 'done';
};

/** Returns the open conflicts in which a user took the value that had lost. */
export const takenConflicts = (open: readonly ConflictRow[]): readonly ConflictRow[] =>
  open.filter((row) => takenSide(row) !== null);

/**
 * Ends reviews that need no further write. A field that was changed since, or whose contact is deleted, keeps its value. `pairs`
 * are those of this plan; a pair that waits for a read keeps its reviews.
 */
export const endReviews = async (
  session: Session,
  taken: readonly ConflictRow[],
  pairs: readonly Pair[],
): Promise<void> => {
  if (taken.length === 0) return;
  const { clock, link, store, writer } = session;
  const ids = taken.map(({ leftId }) => leftId);
  const halves = await store.halves(link, { by: 'id', side: 'left', ids });
  const paired = new Set(halves.filter(({ pair }) => pair !== null).map(({ id }) => id));
  const changes = taken.flatMap((row): StoreChange[] => {
    const { leftId, field } = row;
    const pair = pairs.find(({ left }) => left?.id === leftId);
    const outcome = pair === undefined && paired.has(leftId) ? 'waits' : outcomeOf(row, pair, session);
    if (outcome === 'waits') return [];
    const atMs = clock.now();
    const lapse: StoreChange[] = [{ kind: 'review-conflict', leftId, field, review: null, atMs }];
    return [...(outcome === 'lapsed' ? lapse : []), { kind: 'resolve-conflicts', leftId, fields: [field], atMs }];
  });
  if (changes.length > 0) await writer.apply({}, (set) => set.add(...changes));
};

/** Resolves open conflicts that no longer exist. */
export const endQuestions = async ({ clock, writer }: Session, past: readonly ConflictRow[]): Promise<void> => {
  if (past.length === 0) return;
  const atMs = clock.now();
  await writer.apply({}, (set) =>
    set.add(
      ...past.map(({ leftId, field }): StoreChange => ({ kind: 'resolve-conflicts', leftId, fields: [field], atMs })),
    ),
  );
};
