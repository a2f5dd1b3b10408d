import type { StoreChange } from '../../../src/core/state/rows.ts';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../src/core/reconcile/operation.ts';
import { type Store } from '../../../src/store/store.ts';
import { operationOf, recordOf, rowOf } from '../../support/store/rows.ts';
import { LINK, type StoreSubject } from './store-subject.ts';

/** The journal. */
export const journalContract = (name: string, subject: StoreSubject): void => {
  const { commit } = subject;

  describe(`${name}: the journal`, () => {
    const intend = async (run: string, operation: Operation = operationOf('update')): Promise<number> => {
      const [id = 0] = await commit({ kind: 'intend', run, operation, atMs: 10 });
      return id;
    };
    const settle = (id: number, change: Partial<Extract<StoreChange, { kind: 'journal' }>> = {}) =>
      commit({ kind: 'journal', id, state: 'done', after: null, error: null, atMs: 20, ...change });
    const entryIds = async (query: Parameters<Store['journal']>[1]) =>
      (await subject.store.journal(LINK, query)).map(({ id }) => id);

    it('returns an operation with all its values, open until its outcome is known', async () => {
      const id = await intend('run');
      const row = rowOf(operationOf('update'), { id, intendedAtMs: 10 });
      expect(await subject.store.journal(LINK, { open: true })).toEqual([row]);
      await settle(id, { state: 'failed', error: 'refused', after: recordOf('l1', { version: '2' }) });
      expect(await subject.store.journal(LINK, { open: true })).toEqual([]);
      const outcome = { state: 'failed', error: 'refused', after: recordOf('l1', { version: '2' }), settledAtMs: 20 };
      expect(await subject.store.journal(LINK, { run: 'run' })).toEqual([{ ...row, ...outcome }]);
    });

    it('returns the deletion of a group with its members', async () => {
      const group = { id: 'g1', name: 'Choir', members: ['l1', 'l2'] };
      const operation = operationOf('group-delete', { group });
      await intend('run', operation);
      expect(await subject.store.journal(LINK, { open: true })).toMatchObject([operation]);
      expect(await subject.store.journal(LINK, { deletions: true })).toEqual([]);
    });

    it('returns the done operations since a time that destroyed data', async () => {
      const emptying = operationOf('update', { empties: ['title'] });
      const destroying = (atMs: number, operation: Operation = emptying) =>
        commit({ kind: 'intend', run: 'run', operation, atMs });
      const [early = 0] = await destroying(9);
      const [first = 0] = await destroying(10, operationOf('delete'));
      const [second = 0] = await destroying(11);
      const [unanswered = 0] = await destroying(12);
      const [failed = 0] = await destroying(13);
      const [harmless = 0] = await destroying(14, operationOf('update'));
      for (const id of [early, first, second, harmless]) await settle(id);
      await settle(failed, { state: 'failed' });
      expect(await entryIds({ destroyedSinceMs: 10 })).toEqual([first, second]);
      expect(await entryIds({ destroyedSinceMs: 9 })).toEqual([early, first, second]);
      expect(await subject.store.journal('other', { destroyedSinceMs: 0 })).toEqual([]);
      expect(await entryIds({ open: true })).toEqual([unanswered]);
    });

    it('keeps the first outcome of an entry', async () => {
      const id = await intend('run');
      await settle(id, { state: 'abandoned' });
      await settle(id, { atMs: 30 });
      await settle(999_999);
      expect(await subject.store.journal(LINK, { run: 'run' })).toMatchObject([
        { state: 'abandoned', settledAtMs: 20 },
      ]);
    });

    it('stores an answer with characters that a database text cannot contain: null characters and lone surrogates', async () => {
      const id = await intend('run');
      await settle(id, { after: recordOf('new', { marks: ['tag:\0', 'tag:\ud83d', String.raw`tag:\ud83d`] }) });
      expect(await entryIds({ ids: ['new'], pairIds: [] })).toEqual([id]);
      const [row] = await subject.store.journal(LINK, { run: 'run' });
      expect(row?.after?.marks?.[2]).toBe(String.raw`tag:\ud83d`);
    });

    it('is read by run, the oldest entry first', async () => {
      const [one, , three] = [await intend('a'), await intend('b'), await intend('a')];
      expect(await entryIds({ run: 'a' })).toEqual([one, three]);
      expect(await subject.store.journal('other', { run: 'a' })).toEqual([]);
    });

    it('is read by run in parts: by kinds, from an entry on, with a limit', async () => {
      const kinds = ['create', 'update', 'delete', 'update', 'create'] as const;
      const made: number[] = [];
      for (const kind of kinds) made.push(await intend('a', operationOf(kind)));
      await intend('b', operationOf('membership'));
      expect(await entryIds({ run: 'a', kinds: ['create', 'delete'] })).toEqual([made[0], made[2], made[4]]);
      expect(await entryIds({ run: 'a', kinds: ['update'], limit: 1 })).toEqual([made[1]]);
      expect(await entryIds({ run: 'a', fromId: made[2] ?? 0, limit: 2 })).toEqual([made[2], made[3]]);
      expect(await entryIds({ run: 'a', kinds: [] })).toEqual([]);
      expect(await subject.store.writeCounts(LINK, 'a')).toEqual({ create: 2, update: 2, delete: 1 });
      expect(await subject.store.writeCounts(LINK, 'none')).toEqual({});
      expect(await subject.store.writeCounts('other', 'a')).toEqual({});
    });

    it('is read page by page, the oldest entry first', async () => {
      const [first, second, third] = [await intend('a'), await intend('b'), await intend('a')];
      const page = async (fromId: number) =>
        (await subject.store.journal(LINK, { fromId, limit: 2 })).map(({ id }) => id);
      expect(await page(0)).toEqual([first, second]);
      expect(await page(second + 1)).toEqual([third]);
      expect(await page(third + 1)).toEqual([]);
    });

    it('loses dropped entries in any state', async () => {
      const [open, done] = [await intend('a'), await intend('a')];
      await settle(done);
      await commit(
        { kind: 'drop', table: 'journal', where: { id: open } },
        { kind: 'drop', table: 'journal', where: { id: done } },
      );
      await settle(open);
      expect(await subject.store.journal(LINK, { run: 'a' })).toEqual([]);
    });

    it('is read by the contacts and pairs in its entries and their answers', async () => {
      const blank = { leftId: null, rightId: null };
      const left = await intend('a', operationOf('update', { ...blank, leftId: 'l7' }));
      const right = await intend('a', operationOf('update', { ...blank, side: 'right', rightId: 'r7' }));
      const created = await intend('a', operationOf('create', blank));
      const ofPair = await intend('a', operationOf('update', { ...blank, pairId: 12 }));
      await intend('a', operationOf('update', blank));
      await settle(created, { after: recordOf('l8') });
      expect(await entryIds({ ids: ['l7', 'r7'], pairIds: [] })).toEqual([left, right]);
      expect(await entryIds({ ids: ['l8'], pairIds: [12] })).toEqual([created, ofPair]);
      expect(await entryIds({ ids: [], pairIds: [] })).toEqual([]);
    });

    it('returns the done deletes', async () => {
      const deleted = await intend('a', operationOf('delete'));
      const refused = await intend('a', operationOf('delete'));
      const updated = await intend('a');
      await intend('a', operationOf('delete'));
      await settle(deleted);
      await settle(refused, { state: 'failed' });
      await settle(updated);
      expect(await entryIds({ deletions: true })).toEqual([deleted]);
    });
  });
};
