import type { StoreChange } from '../../../src/core/state/rows.ts';
import { describe, expect, it } from 'vitest';
import { conflictOf, LINK, type StoreSubject } from './store-subject.ts';

/** Conflicts and budgets. */
export const conflictsContract = (name: string, subject: StoreSubject): void => {
  const { commit } = subject;

  describe(`${name}: conflicts`, () => {
    it('are stored in order, and are open until their field is resolved', async () => {
      await commit(conflictOf('l1', 'title'), conflictOf('l1', 'company'), conflictOf('l2', 'title'));
      const rows = await subject.store.conflicts(LINK, { all: false });
      expect(rows).toMatchObject([
        {
          run: 'run',
          leftId: 'l1',
          rightId: 'r1',
          field: 'title',
          left: 'one',
          right: 'two',
          winner: 'right',
          atMs: 3,
          resolvedAtMs: null,
          review: null,
          reviewedAtMs: null,
        },
        { leftId: 'l1', field: 'company' },
        { leftId: 'l2', field: 'title' },
      ]);
      expect(new Set(rows.map(({ id }) => id)).size).toBe(3);
      await commit({ kind: 'resolve-conflicts', leftId: 'l1', fields: ['title', 'buckets'], atMs: 9 });
      await commit({ kind: 'resolve-conflicts', leftId: 'l1', fields: ['title'], atMs: 10 });
      expect(await subject.store.conflicts(LINK, { all: false })).toEqual(rows.slice(1));
      const all = await subject.store.conflicts(LINK, { all: true });
      expect(all.map(({ resolvedAtMs }) => resolvedAtMs)).toEqual([9, null, null]);
      expect(await subject.store.conflicts('other', { all: true })).toEqual([]);
    });

    it('that are stored as resolved do not change the open conflict of their field', async () => {
      await commit(conflictOf('l1', 'title'));
      const open = await subject.store.conflicts(LINK, { all: false });
      await commit({ ...conflictOf('l1', 'title'), resolvedAtMs: 4 });
      expect(await subject.store.conflicts(LINK, { all: false })).toEqual(open);
      const all = await subject.store.conflicts(LINK, { all: true });
      expect(all.map(({ atMs, resolvedAtMs }) => [atMs, resolvedAtMs])).toEqual([
        [3, null],
        [3, 4],
      ]);
    });

    it('keep the review of the open conflict until it is removed', async () => {
      await commit(conflictOf('l1', 'title'));
      await commit({ kind: 'resolve-conflicts', leftId: 'l1', fields: ['title'], atMs: 9 });
      await commit(conflictOf('l1', 'title'), conflictOf('l1', 'company'), conflictOf('l2', 'title'));
      const review = { kind: 'review-conflict', leftId: 'l1', field: 'title' } as const;
      const reviews = async () =>
        (await subject.store.conflicts(LINK, { all: true })).map((row) => [row.review, row.reviewedAtMs]);
      const none = [null, null];
      await commit({ ...review, review: 'left', atMs: 12 });
      expect(await reviews()).toEqual([none, ['left', 12], none, none]);
      await commit({ ...review, review: 'dismissed', atMs: 13 });
      expect(await reviews()).toEqual([none, ['dismissed', 13], none, none]);
      await commit({ ...review, review: null, atMs: 14 });
      expect(await reviews()).toEqual([none, none, none, none]);
    });

    it('are pruned after they were dismissed', async () => {
      await commit(conflictOf('l1', 'title'), conflictOf('l1', 'company'), conflictOf('l2', 'title'));
      const review = (leftId: string, field: 'title' | 'company', of: 'dismissed' | 'left'): StoreChange => {
        return { kind: 'review-conflict', leftId, field, review: of, atMs: 10 };
      };
      await commit(review('l1', 'title', 'dismissed'), review('l1', 'company', 'left'), {
        kind: 'prune',
        beforeMs: 10,
      });
      expect(await subject.store.conflicts(LINK, { all: true })).toHaveLength(3);
      await commit({ kind: 'prune', beforeMs: 11 });
      expect(await subject.store.conflicts(LINK, { all: true })).toMatchObject([
        { leftId: 'l1', field: 'company', review: 'left' },
        { leftId: 'l2', review: null },
      ]);
    });

    it('of a contact are dropped together', async () => {
      await commit(conflictOf('l1', 'title'), conflictOf('l1', 'company'), conflictOf('l2', 'title'));
      await commit({ kind: 'resolve-conflicts', leftId: 'l1', fields: ['title'], atMs: 9 });
      await commit({ kind: 'drop', table: 'conflicts', where: { leftId: 'l1' } });
      expect(await subject.store.conflicts(LINK, { all: true })).toMatchObject([{ leftId: 'l2' }]);
    });
  });

  describe(`${name}: budgets`, () => {
    it('have the value that was last saved under their key', async () => {
      expect(await subject.store.budget('b')).toBeNull();
      await subject.store.saveBudget('b', '{"used":1}');
      await subject.store.saveBudget('c', '{}');
      await subject.store.saveBudget('b', '{"used":2}');
      expect(await subject.store.budget('b')).toBe('{"used":2}');
    });
  });
};
