import type { Side } from '../../src/core/contact/side.ts';
import type { Row } from '../support/memory/book.ts';
import type { RunStep } from './history.ts';
import type { World } from './world.ts';

/** Lets a run read no rows of a kind, and keeps in mind since when the link has not read a contact. */
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
    /** What the run has read is stored. */
    onStored: (): void => {
      for (const row of read) unread.delete(row);
    },
  };
};
