import type { SyncedField } from '../../src/core/contact/contact.ts';
import type { UpdateRequest } from '../../src/core/contact/requests.ts';
import type { Side } from '../../src/core/contact/side.ts';
import type { Row } from '../support/memory/book.ts';
import type { WriteOp } from '../support/memory/process.ts';
import { applyEdit } from './hard-edits.ts';
import type { Aim, RunStep } from './history.ts';
import { fieldTokens, type Token } from './ledger.ts';
import { tokensIn, type Delivered, type Destroyed, type World } from './world.ts';

// Handlers for the calls of a run: aimed faults, answers, unreadable rows and lost removals.

/** The faults of a run that are aimed at a kind of write; each occurs once. Calls `onFault` for each. */
export const followAims = (world: World, { aims = [] }: RunStep, onFault: () => void) => {
  const open = new Set(aims);
  const find = (op: WriteOp, side: Side): Aim | undefined =>
    [...open].find((aim) => aim.op === op && (aim.side ?? side) === side);
  return {
    aimedAt: (op: WriteOp, side: Side) => find(op, side)?.fault,
    afterAimed: (op: WriteOp, side: Side) => {
      const aim = find(op, side);
      if (aim === undefined) return;
      open.delete(aim);
      onFault();
      for (const edit of aim.after) applyEdit(world, edit);
    },
  };
};

/** Removes the effects of answered writes from `unanswered`. A process that dies may not have stored its answers: they are put back. */
export const followAnswers = ({ books, unanswered }: World) => {
  const answered = new Map<Row, Delivered>();
  return {
    onAnswered: (side: Side, id: string): void => {
      const row = books[side].find(id);
      const delivered = row && unanswered.get(row);
      if (row === undefined || delivered === undefined) return;
      answered.set(row, delivered);
      unanswered.delete(row);
    },
    onDeath: (): void => {
      for (const [row, delivered] of answered) if (!unanswered.has(row)) unanswered.set(row, delivered);
    },
  };
};

/** Makes some rows unreadable in a run, and records since when the link has not read a contact. */
export const followReads = ({ books, parts, unread }: World, { unreadable = null }: Pick<RunStep, 'unreadable'>) => {
  const read = new Set<Row>();
  return {
    isUnreadable: (side: Side, id: string): boolean => {
      const number = Number(/\d+$/u.exec(id)?.[0] ?? 0);
      const isHidden = unreadable !== null && unreadable.side === side && number % unreadable.each === 0;
      const row = books[side].find(id);
      if (row === undefined) return isHidden;
      if (!isHidden) read.add(row);
      else if (!unread.has(row)) unread.set(row, parts.readSinceMs);
      return isHidden;
    },
    /** Called when the run has stored its reads. */
    onStored: (): void => {
      for (const row of read) unread.delete(row);
    },
  };
};

/** Returns the test for contacts that a side loses for the time of a run. They are more than the guard allows, so that the run halts. */
export const followLost = ({ linked }: World, { lost = null }: Pick<RunStep, 'lost'>, deleteCount: number) => {
  const ids = lost === null ? [] : [...linked[lost.side]].filter((_, index) => index % lost.each === 0);
  const isTooMany = ids.length >= 2 && ids.length > deleteCount;
  const hidden = new Set(isTooMany ? ids : []);
  return (side: Side, id: string): boolean => side === lost?.side && hidden.has(id);
};

/** A removal by an update with an unknown outcome. */
export type UnconfirmedLoss = {
  readonly side: Side;
  readonly row: Row;
  readonly loss: SyncedField;
  readonly held: ReadonlySet<Token>;
  readonly atMs: number;
  readonly request: UpdateRequest;
};

/** Records the updates that empty a field and get no answer. */
export const followLosses = ({ books, clock, unconfirmedLosses }: World) => ({
  onAsked: (side: Side, requests: readonly UpdateRequest[]): void => {
    for (const request of requests) {
      const row = books[side].find(request.current.id);
      if (row === undefined) continue;
      for (const loss of request.fields) {
        const held = fieldTokens(request.current.contact, loss);
        const isEmptied = held.size > 0 && fieldTokens(request.desired, loss).size === 0;
        if (isEmptied) unconfirmedLosses.push({ side, row, loss, held, atMs: clock.now(), request });
      }
    }
  },
  onKnown: (requests: readonly UpdateRequest[]): void => {
    const rest = unconfirmedLosses.filter(({ request }) => !requests.includes(request));
    unconfirmedLosses.splice(0, unconfirmedLosses.length, ...rest);
  },
});

/**
 * Fields that users emptied like an update without an answer. They are indistinguishable from the update's effect,
 * so the link counts them as its own.
 */
export const countedAsOwn = ({ books, unconfirmedLosses, ledger }: World): readonly Destroyed[] =>
  unconfirmedLosses.filter(
    ({ side, row, loss, held }) =>
      tokensIn(books[side], row, loss).size === 0 && held.isSubsetOf(ledger.everRemoved[side]),
  );
