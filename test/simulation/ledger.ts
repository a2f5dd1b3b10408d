import {
  fieldsIn,
  listsOf,
  scalarsOf,
  textIn,
  type Contact,
  type SyncedField,
} from '../../src/core/contact/contact.ts';
import { listOf } from '../../src/core/contact/lists.ts';
import type { Side } from '../../src/core/contact/side.ts';
import type { Row } from '../support/memory/book.ts';
import { numberIn } from '../support/memory/manners.ts';

/** Names one value that somebody entered: its field and its number. */
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
      listOf(contact, name).map((element) => ('street' in element ? element.street : element.value)),
    ),
  ];
  return new Set(texts.flatMap((text) => tokenOf(field, text) ?? []));
};

export const contactTokens = (contact: Contact): ReadonlySet<Token> => {
  return new Set(fieldsIn(contact).flatMap((field) => [...fieldTokens(contact, field)]));
};

/** What one person did and underwent since everything was at rest. */
export type Fate = { edited: boolean; deleted: boolean };

/**
 * The books of what must still be there: every value that a user entered, and why one may be missing. A value may be missing
 * where a user removed it while it stood before them, or where a conflict recorded it.
 */
export type Ledger = ReturnType<typeof createLedger>;

export const createLedger = () => {
  const entered = new Set<Token>();
  const explained = new Set<Token>();
  /** Values that a user removed since everything was at rest, and of whom: these must be gone. */
  const removed = new Map<Token, number>();
  /** Values that stood on both sides when everything was at rest last. */
  const settled = new Set<Token>();
  /** Values that a write of the link brought to a contact, so that both sides held them. */
  const delivered = new Set<Token>();
  /** Of those, the ones that a user took away afterwards: these must be gone. */
  const undone = new Set<Token>();
  /**
   * Values that won a recorded conflict for a side whose user kept them. Where the answer to a write is lost, nobody can tell
   * whether the other side's user replaced what it brought, or what stood before: that is a conflict (R4).
   */
  const decided = new Set<Token>();
  /** When a user took a value away at a side where it stood. */
  const takenAtMs: Record<Side, Map<Token, number>> = { left: new Map(), right: new Map() };
  /** Every value that a user ever took away at a side, also where it was put back. */
  const everTaken: Record<Side, Set<Token>> = { left: new Set(), right: new Set() };
  /** Values that a backup took away since everything was at rest. */
  const rewound = new Set<Token>();
  /** When a user entered a value at a side. */
  const putAtMs: Record<Side, Map<Token, number>> = { left: new Map(), right: new Map() };
  /** Whose a value is. */
  const ownerOf = new Map<Token, number>();
  const fates = new Map<number, Fate>();
  /** People of whom a side brought two into being for a reason that the engine cannot see. */
  const blurred = new Set<number>();
  /** People made of two by a merge: one side may hold them as two for a while, or for good. */
  const united = new Set<number>();
  const fateOf = (entity: number): Fate => {
    const fate = fates.get(entity) ?? { edited: false, deleted: false };
    fates.set(entity, fate);
    return fate;
  };
  return {
    entered,
    explained,
    removed,
    settled,
    delivered,
    undone,
    decided,
    takenAtMs,
    everTaken,
    putAtMs,
    rewound,
    ownerOf,
    fates,
    blurred,
    peopleOfTwo: united,
    fateOf,
    /** Groups that a user deleted on either side: no membership of theirs must stay. */
    deadGroups: new Set<number>(),
    /** A user made of one set of values another one. */
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
        // What stood at rest, or on the deleted contact, is no edit that could outlive the deletion on the other side: a
        // run may have seen both sides agree on it before it saw the deletion.
        const isDeleted = fates.get(entity)?.deleted === true;
        const isAgreed = isDeleted && (settled.has(token) || removed.get(token) === entity);
        removed.delete(token);
        undone.delete(token);
        if (!isAgreed) explained.delete(token);
      }
    },
    /** The engine replaced what it could not have known. */
    overwritten: (before: ReadonlySet<Token>, after: ReadonlySet<Token>): void => {
      for (const token of before) if (!after.has(token)) explained.add(token);
      for (const token of after) removed.delete(token);
    },
    /** One of two people became the other. */
    united: (loser: number, survivor: number): void => {
      const from = `member ${loser} of `;
      if (loser === survivor) return void united.add(survivor);
      for (const token of entered) {
        if (!token.startsWith(from)) continue;
        const renamed = token.replace(from, `member ${survivor} of `);
        if (explained.has(token)) explained.add(renamed);
        else entered.add(renamed);
        explained.add(token);
      }
      united.delete(loser);
      united.add(survivor);
    },
    /**
     * A user took back what a write had brought, before its answer was heard: nobody can tell this from a value that did not
     * arrive, and so the other side's stays (R5).
     */
    takenBack: (tokens: ReadonlySet<Token>): void => {
      for (const token of tokens) undone.delete(token);
    },
    /** What a user removed of a person may come back from the other side. */
    comeBack: (entity: number): void => {
      for (const [token, of] of removed) if (of === entity) removed.delete(token);
    },
    /** A user at a side changed what stood there. */
    changedAt: (side: Side, atMs: number, before: ReadonlySet<Token>, after: ReadonlySet<Token>): void => {
      for (const token of before) {
        if (after.has(token)) continue;
        takenAtMs[side].set(token, atMs);
        everTaken[side].add(token);
      }
      for (const token of after) {
        if (before.has(token)) continue;
        takenAtMs[side].delete(token);
        putAtMs[side].set(token, atMs);
      }
    },
    explain: (token: Token | null): void => {
      if (token !== null) explained.add(token);
    },
    /**
     * Everything is at rest: what happened before is settled, but for what happened to people who are set apart, for the
     * fate of those of whom something is refused, and for values that people are asked about: each stands on its own side
     * alone. What a write brings of them later counts as delivered.
     */
    rest: (apart: ReadonlySet<number>, refused: ReadonlySet<number>, asked: ReadonlySet<Token>): void => {
      for (const token of entered) if (!asked.has(token)) settled.add(token);
      rewound.clear();
      const isOfApart = (token: Token): boolean => apart.has(removed.get(token) ?? Number.NaN);
      for (const token of undone) if (!isOfApart(token)) undone.delete(token);
      for (const token of removed.keys()) if (!isOfApart(token)) removed.delete(token);
      for (const entity of fates.keys()) if (!apart.has(entity) && !refused.has(entity)) fates.delete(entity);
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
