import type { ConflictRow } from '../../src/core/state/rows.ts';
import { scalarsOf, textIn, type SyncedField } from '../../src/core/contact/contact.ts';
import { otherSide, SIDES, type Side, type Sides } from '../../src/core/contact/side.ts';
import { reviewConflicts } from '../../src/engine/history/review.ts';
import type { Row } from '../support/memory/book.ts';
import type { Answer } from './history.ts';
import { tokenOf, type Token } from './ledger.ts';
import type { World } from './world.ts';

const isOpen = ({ winner, review, resolvedAtMs }: ConflictRow): boolean =>
  winner === null && review === null && resolvedAtMs === null;

/** A contact that a person is asked about was edited, and is no deletion's to take (R6). */
export const rememberQuestions = (world: World): void => {
  for (const { leftId, rightId } of world.questions) {
    for (const row of [world.books.left.find(leftId), world.books.right.find(rightId)]) {
      if (row !== undefined) world.ledger.fateOf(row.entity).edited = true;
    }
  }
};

/** Keeps in mind what people are asked now. */
export const noteQuestions = async (world: World): Promise<void> => {
  const rows = (await world.store.conflicts(world.link, { all: false })).filter(isOpen);
  world.questions.splice(0, world.questions.length, ...rows);
  rememberQuestions(world);
};

/** A person takes one side's value of a conflict that waits: the other one may go. */
export const answerQuestion = async (world: World, { which, take }: Answer): Promise<void> => {
  await noteQuestions(world);
  const row = world.questions[which % Math.max(1, world.questions.length)];
  if (row === undefined) return;
  const newId = (): string => `${world.link}-${world.nextNumber()}`;
  await reviewConflicts({ store: world.store, clock: world.clock, newId }, world.link, [row], take);
  world.ledger.explain(tokenOf(row.field, row[otherSide(take)]));
};

/** Whether a person is asked about a field of these two contacts, so that they may differ. */
export const isAskedOf = (world: World, { left, right }: Sides<Row>, field: SyncedField): boolean =>
  world.questions.some((row) => row.field === field && row.leftId === left.id && row.rightId === right.id);

const tokensOf = (row: ConflictRow): readonly Token[] => SIDES.flatMap((side) => tokenOf(row.field, row[side]) ?? []);

/** Everything that people are asked about. */
export const allAsked = ({ questions }: World): ReadonlySet<Token> => new Set(questions.flatMap(tokensOf));

/** What a person is asked about of a contact: the sides have agreed on neither value, and each keeps its own (R4). */
export const tokensAsked = ({ questions }: World, side: Side, id: string): ReadonlySet<Token> =>
  new Set(questions.filter((row) => row[`${side}Id`] === id).flatMap(tokensOf));

/** While a person is asked, both sides keep what they had. */
export const checkQuestions = (world: World): string[] =>
  world.questions.flatMap((row) =>
    SIDES.flatMap((side) => {
      const id = side === 'left' ? row.leftId : row.rightId;
      const held = world.books[side].find(id);
      if (held?.state !== 'live') return [`${id} is asked about and does not stand`];
      return scalarsOf([row.field])
        .map((field) => textIn(held.contact, field))
        .filter((value) => tokenOf(row.field, value) !== tokenOf(row.field, row[side]))
        .map((value) => `${id} holds ${value} in ${row.field}, but people are asked about ${row[side]}`);
    }),
  );
