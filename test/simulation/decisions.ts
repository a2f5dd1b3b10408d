import { decideConflicts } from '../../src/engine/history/conflicts.ts';
import type { ConflictTerms } from '../../src/core/reconcile/conflict-policy.ts';
import { isOpen } from '../../src/core/reconcile/recorded-conflicts.ts';
import type { ConflictRow } from '../../src/core/state/rows.ts';
import { scalarsOf, textIn, type SyncedField } from '../../src/core/contact/contact.ts';
import { otherSide, SIDES, type Side, type Sides } from '../../src/core/contact/side.ts';
import type { Row } from '../support/memory/book.ts';
import type { Answer } from './history.ts';
import { tokenOf, type Token } from './ledger.ts';
import type { World } from './world.ts';

// Decisions of a person: answers to conflicts.

const NAME_PARTS = ['firstName', 'middleName', 'lastName'] as const;

type PairIds = Pick<ConflictRow, 'leftId' | 'rightId'>;

/** Contacts that count as edited, so that a deletion does not apply to them (R6). */
const markEdited = ({ books, ledger }: World, { leftId, rightId }: PairIds): void => {
  for (const row of [books.left.find(leftId), books.right.find(rightId)]) {
    if (row !== undefined) ledger.changesOf(row.entity).edited = true;
  }
};

/** A contact with an open question counts as edited. */
export const rememberQuestions = (world: World): void => {
  for (const question of world.questions) markEdited(world, question);
};

/** Records the open questions. */
export const noteQuestions = async (world: World): Promise<void> => {
  const rows = (await world.store.conflicts(world.link, { all: false })).filter(isOpen);
  world.questions.splice(0, world.questions.length, ...rows);
  rememberQuestions(world);
};

/** A user decides a conflict for one side, an open one or a settled one: the other value may be lost. */
export const answerQuestion = async (world: World, terms: ConflictTerms, { which, take }: Answer): Promise<void> => {
  await noteQuestions(world);
  const recorded = await world.store.conflicts(world.link, { all: false });
  // A user who takes the other value of one part of a settled name knows the whole name; the one here would mix two.
  const rows = recorded.filter((each) => isOpen(each) || !NAME_PARTS.some((part) => part === each.field));
  const row = rows[which % Math.max(1, rows.length)];
  if (row === undefined) return;
  const newId = (): string => `${world.link}-${world.nextNumber()}`;
  const parts = { store: world.store, clock: world.clock, newId };
  const { ids } = await decideConflicts(parts, { name: world.link, ...terms }, [row.id], take);
  if (ids.length === 0) return;
  // Until both sides have the chosen value, it is an edit.
  markEdited(world, row);
  world.ledger.explain(tokenOf(row.field, row[otherSide(take)]));
  const chosen = tokenOf(row.field, row[take]);
  if (chosen !== null && row.winner !== null) world.ledger.decided.add(chosen);
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
