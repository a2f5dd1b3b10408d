import { scalarsOf, type ScalarField } from '../contact/contact.ts';
import { stands } from '../contact/half.ts';
import type { Pair } from '../reconcile/decision.ts';
import { sidesToTake, takenSide, takenValue } from '../reconcile/review.ts';
import type { ConflictRow, StoreChange } from '../store/store.ts';
import type { Session } from './context.ts';

const isScalar = (field: ConflictRow['field']): field is ScalarField => scalarsOf([field]).length > 0;

type Fate = 'waits' | 'done' | 'lapsed';

/** What becomes of a value that a person took: it is still to be written, stands everywhere, or may not be taken any more. */
const fateOf = (row: ConflictRow, pair: Pair | undefined, { policy }: Session): Fate => {
  if (pair === undefined || !stands(pair.left) || !stands(pair.right) || !isScalar(row.field)) return 'lapsed';
  const halves = { left: pair.left, right: pair.right };
  const taken = takenValue(row.field, halves, [row]);
  if (taken === null) return 'lapsed';
  return sidesToTake(row.field, halves, taken, policy).length > 0 ? 'waits' : 'done';
};

/** The open conflicts of which a person took the value that had lost. */
export const takenConflicts = (open: readonly ConflictRow[]): readonly ConflictRow[] =>
  open.filter((row) => takenSide(row) !== null);

/**
 * Ends the reviews of which nothing remains to be written: a field that was changed since, or whose contact is gone, keeps
 * what it has. `pairs` are those that this plan looks at; a pair that waits for a read keeps its reviews.
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
    const fate = pair === undefined && paired.has(leftId) ? 'waits' : fateOf(row, pair, session);
    if (fate === 'waits') return [];
    const atMs = clock.now();
    const lapse: StoreChange[] = [{ kind: 'review-conflict', leftId, field, review: null, atMs }];
    return [...(fate === 'lapsed' ? lapse : []), { kind: 'resolve-conflicts', leftId, fields: [field], atMs }];
  });
  if (changes.length > 0) await writer.apply({}, (set) => set.add(...changes));
};

/** Ends open conflicts that are none any more. */
export const endQuestions = async ({ clock, writer }: Session, past: readonly ConflictRow[]): Promise<void> => {
  if (past.length === 0) return;
  const atMs = clock.now();
  await writer.apply({}, (set) =>
    set.add(
      ...past.map(({ leftId, field }): StoreChange => ({ kind: 'resolve-conflicts', leftId, fields: [field], atMs })),
    ),
  );
};
