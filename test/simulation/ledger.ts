import { streetLines } from '../../src/core/contact/elements.ts';
import type { Contact, SyncedField } from '../../src/core/contact/contact.ts';
import { fieldsIn, listsOf, scalarsOf, textIn } from '../../src/core/contact/contact.ts';
import { listOf } from '../../src/core/contact/lists.ts';
import type { Side } from '../../src/core/contact/side.ts';
import type { Row } from '../support/memory/book.ts';
import { numberIn } from '../support/memory/manners.ts';

/** The name of one entered value: its field and its number. */
export type Token = string;

export const tokenOf = (field: SyncedField, text: string): Token | null => {
  const number = numberIn(text);
  return number === null ? null : `${field} ${number}`;
};

/** The values of one field. */
export const fieldTokens = (contact: Contact, field: SyncedField): ReadonlySet<Token> => {
  const texts = [
    ...scalarsOf([field]).map((name) => textIn(contact, name)),
    ...listsOf([field]).flatMap((name) =>
      listOf(contact, name).map((element) => ('street' in element ? streetLines(element) : element.value)),
    ),
  ];
  return new Set(texts.flatMap((text) => tokenOf(field, text) ?? []));
};

export const contactTokens = (contact: Contact): ReadonlySet<Token> => {
  return new Set(fieldsIn(contact).flatMap((field) => [...fieldTokens(contact, field)]));
};

/** Whether a person was edited or deleted since the last rest. */
export type PersonChanges = { edited: boolean; deleted: boolean };

/**
 * The record of all values that users entered, and of the reasons why one may be missing. A value may be missing
 * where a user saw and removed it, or where a conflict recorded it.
 */
export type Ledger = ReturnType<typeof createLedger>;

/** The state of both sides at rest. */
type Rest = {
  /** People with a refused write. */
  readonly refused: ReadonlySet<number>;
  /** The values of open questions. */
  readonly asked: ReadonlySet<Token>;
  /** The values of all contacts. */
  readonly present: ReadonlySet<Token>;
};

export const createLedger = () => {
  const entered = new Set<Token>();
  const explained = new Set<Token>();
  /** Values that a user removed since the last rest, with the person: these must be missing. */
  const removed = new Map<Token, number>();
  /** Values that were on both sides at the last rest. */
  const settled = new Set<Token>();
  /** Values that a write of the link added, so that both sides had them. */
  const delivered = new Set<Token>();
  /** The subset that a user removed afterwards: these must be missing. */
  const undone = new Set<Token>();
  /**
   * Values that won a recorded conflict for a side whose user kept them. Where the answer to a write is lost, it is unknown
   * whether the other side's user replaced the written or the former value: that is a conflict (R4).
   */
  const decided = new Set<Token>();
  /** When a user removed a value on a side. */
  const removedAtMs: Record<Side, Map<Token, number>> = { left: new Map(), right: new Map() };
  /** Every value that a user ever removed on a side, also where it was entered again. */
  const everRemoved: Record<Side, Set<Token>> = { left: new Set(), right: new Set() };
  /** Values that a backup removed since the last rest. */
  const removedByBackup = new Set<Token>();
  /** When a user entered a value at a side. */
  const enteredAtMs: Record<Side, Map<Token, number>> = { left: new Map(), right: new Map() };
  /** The person of each value. After a merge, the values of both people belong to the survivor. */
  const ownerOf = new Map<Token, number>();
  const personChanges = new Map<number, PersonChanges>();
  /** People with two contacts on a side for a reason that the engine cannot detect. */
  const ambiguous = new Set<number>();
  /** People that a merge made of two: one side may keep two contacts. */
  const mergedPeople = new Set<number>();
  const changesOf = (entity: number): PersonChanges => {
    const changes = personChanges.get(entity) ?? { edited: false, deleted: false };
    personChanges.set(entity, changes);
    return changes;
  };
  return {
    entered,
    explained,
    removed,
    settled,
    delivered,
    undone,
    decided,
    removedAtMs,
    everRemoved,
    enteredAtMs,
    removedByBackup,
    ownerOf,
    personChanges,
    ambiguous,
    mergedPeople,
    changesOf,
    /** Groups that a user deleted on either side: none of their memberships must remain. */
    deletedGroups: new Set<number>(),
    /** A user replaced a set of values by another one. */
    changed: (entity: number, before: ReadonlySet<Token>, after: ReadonlySet<Token>): void => {
      for (const token of before) {
        if (after.has(token)) continue;
        explained.add(token);
        removed.set(token, entity);
        if (delivered.delete(token)) undone.add(token);
      }
      for (const token of after) {
        if (before.has(token)) continue;
        entered.add(token);
        ownerOf.set(token, entity);
        // A value from the last rest, or of the deleted contact, is no edit that restores the contact on the other side: a
        // run may have found it on both sides before it found the deletion.
        const isDeleted = personChanges.get(entity)?.deleted === true;
        const isAgreed = isDeleted && (settled.has(token) || removed.get(token) === entity);
        removed.delete(token);
        undone.delete(token);
        if (!isAgreed) explained.delete(token);
      }
    },
    /** The engine replaced a value that it could not have read. */
    overwritten: (before: ReadonlySet<Token>, after: ReadonlySet<Token>): void => {
      for (const token of before) if (!after.has(token)) explained.add(token);
      for (const token of after) removed.delete(token);
    },
    /** Two people became one. */
    mergePeople: (loser: number, survivor: number): void => {
      const from = `member ${loser} of `;
      if (loser === survivor) return void mergedPeople.add(survivor);
      for (const token of entered) {
        if (!token.startsWith(from)) continue;
        const renamed = token.replace(from, `member ${survivor} of `);
        if (explained.has(token)) explained.add(renamed);
        else entered.add(renamed);
        explained.add(token);
      }
      mergedPeople.delete(loser);
      mergedPeople.add(survivor);
      for (const [token, owner] of ownerOf) if (owner === loser) ownerOf.set(token, survivor);
    },
    /**
     * A user removed a written value before the answer to the write was received. This is indistinguishable from a lost write,
     * so the value of the other side stays (R5).
     */
    reverted: (tokens: ReadonlySet<Token>): void => {
      for (const token of tokens) undone.delete(token);
    },
    /** Values that a user removed from a person may return from the other side. */
    allowReturn: (entity: number): void => {
      for (const [token, of] of removed) if (of === entity) removed.delete(token);
    },
    /** A user changed values on a side. */
    changedAt: (side: Side, atMs: number, before: ReadonlySet<Token>, after: ReadonlySet<Token>): void => {
      for (const token of before) {
        if (after.has(token)) continue;
        removedAtMs[side].set(token, atMs);
        everRemoved[side].add(token);
      }
      for (const token of after) {
        if (before.has(token)) continue;
        removedAtMs[side].delete(token);
        enteredAtMs[side].set(token, atMs);
      }
    },
    explain: (token: Token | null): void => {
      if (token !== null) explained.add(token);
    },
    /**
     * At rest, earlier edits are settled, except the deletions of people with a refused
     * write, and the values of open questions: each of these is on its own side only, and counts as delivered when a later
     * write adds it. A value that no contact has any more is settled no longer: no base contains it.
     */
    rest: ({ refused, asked, present }: Rest): void => {
      for (const token of entered) {
        if (!present.has(token)) settled.delete(token);
        else if (!asked.has(token)) settled.add(token);
      }
      removedByBackup.clear();
      undone.clear();
      removed.clear();
      for (const entity of personChanges.keys()) if (!refused.has(entity)) personChanges.delete(entity);
    },
  };
};

/** The group of a membership's token; null for any other token. */
export const groupOf = (token: Token): number | null => {
  const group = /^member \S+ of (\S+)$/u.exec(token)?.[1];
  return group === undefined ? null : Number(group);
};

export const membershipToken = (row: Pick<Row, 'entity'>, groupEntity: number): Token =>
  `member ${row.entity} of ${groupEntity}`;
