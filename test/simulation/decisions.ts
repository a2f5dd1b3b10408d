import { reviewConflicts } from '../../src/engine/history/conflicts.ts';
import type { ConflictRow } from '../../src/core/state/rows.ts';
import { scalarsOf, textIn, type SyncedField } from '../../src/core/contact/contact.ts';
import { otherSide, SIDES, type Side, type Sides } from '../../src/core/contact/side.ts';
import type { Row } from '../support/memory/book.ts';
import type { MergeOrder } from '../../src/engine/history/merge-duplicates.ts';
import type { Answer, MergeRequest } from './history.ts';
import { tokenOf, type Token } from './ledger.ts';
import { liveRows, type World } from './world.ts';

// Decisions of a person: answers to conflicts, and requested merges.

const isOpen = ({ winner, review, resolvedAtMs }: ConflictRow): boolean =>
  winner === null && review === null && resolvedAtMs === null;

/** A contact with an open question counts as edited, so that a deletion does not apply to it (R6). */
export const rememberQuestions = (world: World): void => {
  for (const { leftId, rightId } of world.questions) {
    for (const row of [world.books.left.find(leftId), world.books.right.find(rightId)]) {
      if (row !== undefined) world.ledger.changesOf(row.entity).edited = true;
    }
  }
};

/** Records the open questions. */
export const noteQuestions = async (world: World): Promise<void> => {
  const rows = (await world.store.conflicts(world.link, { all: false })).filter(isOpen);
  world.questions.splice(0, world.questions.length, ...rows);
  rememberQuestions(world);
};

/** A person decides an open conflict for one side: the other value may be lost. */
export const answerQuestion = async (world: World, { which, take }: Answer): Promise<void> => {
  await noteQuestions(world);
  const row = world.questions[which % Math.max(1, world.questions.length)];
  if (row === undefined) return;
  const newId = (): string => `${world.link}-${world.nextNumber()}`;
  await reviewConflicts({ store: world.store, clock: world.clock, newId }, world.link, [row], take);
  world.ledger.explain(tokenOf(row.field, row[otherSide(take)]));
};

/** Whether there is an open question about a field of these two contacts, so that they may differ. */
export const isAskedOf = (world: World, { left, right }: Sides<Row>, field: SyncedField): boolean =>
  world.questions.some((row) => row.field === field && row.leftId === left.id && row.rightId === right.id);

const tokensOf = (row: ConflictRow): readonly Token[] => SIDES.flatMap((side) => tokenOf(row.field, row[side]) ?? []);

/** All values of open questions. */
export const allAsked = ({ questions }: World): ReadonlySet<Token> => new Set(questions.flatMap(tokensOf));

/** The values of a contact with an open question: the sides agreed on neither, and each keeps its own (R4). */
export const tokensAsked = ({ questions }: World, side: Side, id: string): ReadonlySet<Token> =>
  new Set(questions.filter((row) => row[`${side}Id`] === id).flatMap(tokensOf));

/** While a question is open, both sides keep their values. */
export const checkQuestions = (world: World): string[] =>
  world.questions.flatMap((row) =>
    SIDES.flatMap((side) => {
      const id = side === 'left' ? row.leftId : row.rightId;
      const held = world.books[side].find(id);
      if (held?.state !== 'live') return [`${id} has an open question but does not exist`];
      return scalarsOf([row.field])
        .map((field) => textIn(held.contact, field))
        .filter((value) => tokenOf(row.field, value) !== tokenOf(row.field, row[side]))
        .map((value) => `${id} has ${value} in ${row.field}, but the question is about ${row[side]}`);
    }),
  );

/**
 * Makes the order for a requested merge; null where there are no two contacts. The two are one person from now on. An order that
 * was interrupted is repeated.
 */
export const orderOf = (world: World, { side, who, into }: MergeRequest): MergeOrder | null => {
  const linked = new Set(world.pairs.map((ids) => ids[side]));
  const rows = liveRows(world.books[side]).filter(({ id }) => linked.has(id));
  const survivor = rows[into % Math.max(1, rows.length)];
  const others = rows.filter((row) => row !== survivor);
  const other = others[who % Math.max(1, others.length)];
  if (survivor === undefined || other === undefined) return null;
  const [from, to] = [other.entity, survivor.entity];
  for (const row of SIDES.flatMap((each) => world.books[each].rows)) if (row.entity === from) row.entity = to;
  world.ledger.mergePeople(from, to);
  return { side, survivorId: survivor.id, otherIds: [other.id] };
};
