import { describe, expect, it } from 'vitest';
import { conflictOf, LINK, type StoreSubject } from './store-subject.ts';

/** Conflicts and budgets. */
export const conflictsContract = (name: string, subject: StoreSubject): void => {
  const { commit } = subject;

  describe(`${name}: conflicts`, () => {
    it('are stored in order, and last until their field is ended', async () => {
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
          endedAtMs: null,
          decided: null,
        },
        { leftId: 'l1', field: 'company' },
        { leftId: 'l2', field: 'title' },
      ]);
      expect(new Set(rows.map(({ id }) => id)).size).toBe(3);
      await commit({ kind: 'end-conflicts', leftId: 'l1', fields: ['title', 'buckets'], atMs: 9 });
      await commit({ kind: 'end-conflicts', leftId: 'l1', fields: ['title'], atMs: 10 });
      expect(await subject.store.conflicts(LINK, { all: false })).toEqual(rows.slice(1));
      const all = await subject.store.conflicts(LINK, { all: true });
      expect(all.map(({ endedAtMs }) => endedAtMs)).toEqual([9, null, null]);
      expect(await subject.store.conflicts('other', { all: true })).toEqual([]);
    });

    it('of a contact all end together, and those of other contacts last', async () => {
      await commit(conflictOf('l1', 'title'), conflictOf('l1', 'company'), conflictOf('l2', 'title'));
      await commit({ kind: 'end-conflicts', leftId: 'l1', fields: 'all', atMs: 9 });
      const all = await subject.store.conflicts(LINK, { all: true });
      expect(all.map(({ leftId, endedAtMs }) => [leftId, endedAtMs])).toEqual([
        ['l1', 9],
        ['l1', 9],
        ['l2', null],
      ]);
    });

    it('that are stored as ended do not change the other conflict of their field', async () => {
      await commit(conflictOf('l1', 'title'));
      const open = await subject.store.conflicts(LINK, { all: false });
      await commit({ ...conflictOf('l1', 'title'), endedAtMs: 4 });
      expect(await subject.store.conflicts(LINK, { all: false })).toEqual(open);
      const all = await subject.store.conflicts(LINK, { all: true });
      expect(all.map(({ atMs, endedAtMs }) => [atMs, endedAtMs])).toEqual([
        [3, null],
        [3, 4],
      ]);
    });

    it('keep the choice of a user until it is removed, except those that have ended', async () => {
      await commit(conflictOf('l1', 'title'));
      await commit({ kind: 'end-conflicts', leftId: 'l1', fields: ['title'], atMs: 9 });
      await commit(conflictOf('l1', 'title'), conflictOf('l1', 'company'), conflictOf('l2', 'title'));
      const decide = (decided: 'left' | 'right' | null) =>
        commit({ kind: 'decide-conflict', leftId: 'l1', field: 'title', decided });
      const choices = async () => (await subject.store.conflicts(LINK, { all: true })).map(({ decided }) => decided);
      await decide('left');
      expect(await choices()).toEqual([null, 'left', null, null]);
      await decide('right');
      expect(await choices()).toEqual([null, 'right', null, null]);
      await decide(null);
      expect(await choices()).toEqual([null, null, null, null]);
    });

    it('with a winner by rule are pruned by their age, and open or decided ones are not', async () => {
      const open = conflictOf('l2', 'title');
      await commit(conflictOf('l1', 'title'), conflictOf('l1', 'company'), {
        ...open,
        conflict: { ...open.conflict, winner: null },
      });
      await commit(
        { kind: 'decide-conflict', leftId: 'l1', field: 'company', decided: 'left' },
        { kind: 'prune', beforeMs: open.atMs },
      );
      expect(await subject.store.conflicts(LINK, { all: true })).toHaveLength(3);
      await commit({ kind: 'prune', beforeMs: open.atMs + 1 });
      expect(await subject.store.conflicts(LINK, { all: true })).toMatchObject([
        { leftId: 'l1', field: 'company', decided: 'left' },
        { leftId: 'l2', winner: null },
      ]);
    });

    it('of a contact are dropped together', async () => {
      await commit(conflictOf('l1', 'title'), conflictOf('l1', 'company'), conflictOf('l2', 'title'));
      await commit({ kind: 'end-conflicts', leftId: 'l1', fields: ['title'], atMs: 9 });
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
