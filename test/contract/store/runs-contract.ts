import type { StoreChange } from '../../../src/core/state/rows.ts';
import { describe, expect, it } from 'vitest';
import { FenceError, type Store } from '../../../src/store/store.ts';
import { newPair, operationOf, putHalf, rejectionOf } from '../../support/store/rows.ts';
import { LINK, type StoreSubject } from './store-subject.ts';

/** Runs. */
export const runsContract = (name: string, subject: StoreSubject): void => {
  const { acquire, commit, ids } = subject;

  describe(`${name}: runs`, () => {
    const start = (id: string, startedAtMs: number, undoes: string | null = null) =>
      commit({ kind: 'run-started', run: { id, kind: undoes === null ? 'full' : 'undo', undoes, startedAtMs } });
    const end = (id: string, outcome: 'completed' | 'failed' | 'halted', summary: object = {}) =>
      commit({
        kind: 'patch-run',
        id,
        set: { outcome, reason: outcome === 'completed' ? null : 'why', summary, endedAtMs: 50 },
      });
    const runIds = async (query: Parameters<Store['runs']>[1]) =>
      (await subject.store.runs(LINK, query)).map(({ id }) => id);

    it('run until they end', async () => {
      await start('r', 10);
      const row = { id: 'r', link: LINK, kind: 'full', undoes: null, startedAtMs: 10, override: null, wrote: null };
      expect(await subject.store.runs(LINK, { idPrefix: 'r' })).toEqual([
        { ...row, outcome: 'running', reason: null, endedAtMs: null },
      ]);
      await end('r', 'halted');
      expect(await subject.store.runs(LINK, { idPrefix: 'r' })).toEqual([
        { ...row, outcome: 'halted', reason: 'why', endedAtMs: 50 },
      ]);
    });

    it('that did not store an outcome have failed when the next run of the link starts', async () => {
      const other = await acquire('other');
      const run = { id: 'elsewhere', kind: 'full', undoes: null, startedAtMs: 5 } as const;
      await subject.store.commit('other', other, [{ kind: 'run-started', run }]);
      await start('ended', 5);
      await end('ended', 'completed');
      await start('died', 10, 'ended');
      await start('next', 70);
      expect(await subject.store.runs(LINK, { idPrefix: '' })).toMatchObject([
        { id: 'next', outcome: 'running', endedAtMs: null },
        { id: 'died', outcome: 'failed', reason: 'interrupted', endedAtMs: 70, undoes: 'ended' },
        { id: 'ended', outcome: 'completed', reason: null, endedAtMs: 50 },
      ]);
      expect(await subject.store.runs('other', { idPrefix: '' })).toMatchObject([{ outcome: 'running' }]);
      // The address of a page may contain a zero character.
      expect(await runIds({ idPrefix: 'died\0' })).toEqual([]);
    });

    it('that have ended contain the numbers of their writes', async () => {
      await start('r', 10);
      const left = { created: 1, updated: 2, deleted: 3, groupsChanged: 0, groupsDeleted: 4 };
      await end('r', 'completed', { left: { ...left, pulled: 9 }, right: { created: 5 } });
      const right = { created: 5, updated: 0, deleted: 0, groupsChanged: 0, groupsDeleted: 0 };
      expect((await subject.store.runs(LINK, { idPrefix: 'r' }))[0]?.wrote).toEqual({ left, right });
    });

    it('are found from the newest, with a limit, a start and a filter', async () => {
      for (const [id, startedAtMs] of [
        ['b', 20],
        ['a', 10],
        ['d', 40],
        ['c', 30],
      ] as const)
        await start(id, startedAtMs);
      expect(await runIds({ newest: 2 })).toEqual(['d', 'c']);
      expect(await runIds({ newest: 9 })).toEqual(['d', 'c', 'b', 'a']);
      const [, third, second] = await subject.store.runs(LINK, { newest: 9 });
      if (third === undefined || second === undefined) throw new Error('There are four runs.');
      expect(await runIds({ newest: 9, before: third })).toEqual(['b', 'a']);
      expect(await runIds({ newest: 1, before: second })).toEqual(['a']);
      const { kind, outcome } = third;
      const rows = await subject.store.runs(LINK, { newest: 9 });
      const alike = rows.filter((run) => run.kind === kind && run.outcome === outcome).map(({ id }) => id);
      expect(alike.length).toBeLessThan(4);
      expect(await runIds({ newest: 9, of: { kind, outcome } })).toEqual(alike);
      expect(await runIds({ newest: 9, of: { kind: 'undo' } })).toEqual([]);
      expect(await runIds({ newest: 9, before: third, of: { outcome } })).toEqual(
        rows
          .slice(2)
          .filter((run) => run.outcome === outcome)
          .map(({ id }) => id),
      );
    });

    it('are newer than those that started before, also if the clock was set back since', async () => {
      await start('ahead', 50);
      await subject.store.releaseLease(LINK, 'owner');
      const run = { id: 'late', kind: 'full', undoes: null, startedAtMs: 20 } as const;
      await subject.store.commit(LINK, await acquire(LINK), [{ kind: 'run-started', run }]);
      const [late] = await subject.store.runs(LINK, { newest: 1 });
      if (late === undefined) throw new Error('There are two runs.');
      expect([late.id, await runIds({ newest: 2, before: late })]).toEqual(['late', ['ahead']]);
      expect(await runIds({ latest: 'failed' })).toEqual(['ahead']);
    });

    it('that a guard halted keep the nonce that permits their plan [R8]', async () => {
      await start('r', 10);
      await end('r', 'halted', { override: 'nonce' });
      expect(await subject.store.runs(LINK, { latest: 'ended' })).toMatchObject([{ id: 'r', override: 'nonce' }]);
    });

    it('are stored if a text in their summary was truncated in the middle of a character', async () => {
      await start('r', 10);
      await end('r', 'failed', { reason: 'Ann \ud83d' });
      expect(await subject.store.runs(LINK, { idPrefix: 'r' })).toMatchObject([{ outcome: 'failed' }]);
    });

    it('are deleted with all other rows of a link that is forgotten, whose earlier tokens stay invalid', async () => {
      const other = await acquire('other');
      await subject.store.commit('other', other, [putHalf('l1')]);
      await start('r', 10);
      const verdict = { leftId: 'l1', rightId: 'r1', says: 'apart', atMs: 1 } as const;
      await commit(
        putHalf('l1'),
        { kind: 'put', table: 'rejections', row: rejectionOf() },
        { kind: 'put', table: 'verdicts', row: verdict },
      );
      await commit({ kind: 'link', patch: { reason: 'why' } }, { kind: 'forget-link' });
      expect((await subject.store.links()).map((link) => link.name)).toEqual(['other']);
      await expect(commit(putHalf('l2'))).rejects.toThrow(FenceError);
      const next = (await subject.store.acquireLease(LINK, 'next', 1_000_000, 2_000_000)) ?? 0;
      expect(next).toBeGreaterThan(subject.token);
      await expect(commit(putHalf('l2'))).rejects.toThrow(FenceError);
      expect(await subject.store.link(LINK)).toMatchObject({ reason: null, rejections: [], verdicts: [] });
      expect([await ids({ by: 'all' }), await runIds({ idPrefix: '' })]).toEqual([[], []]);
      expect(await subject.store.halves('other', { by: 'all' })).toHaveLength(1);
      await subject.store.compact();
      expect(await subject.store.halves('other', { by: 'all' })).toHaveLength(1);
    });

    it('that undo another run contain its id, from their start and after their end', async () => {
      await start('u', 10, 'r');
      expect(await subject.store.runs(LINK, { idPrefix: 'u' })).toMatchObject([{ kind: 'undo', undoes: 'r' }]);
      await end('u', 'completed', { undoes: 'r', counts: 3 });
      expect(await subject.store.runs(LINK, { idPrefix: 'u' })).toMatchObject([{ kind: 'undo', undoes: 'r' }]);
    });

    it('are found by a prefix of their id, the newest first', async () => {
      await start('ab1', 10);
      await start('ab2', 30);
      await start('b%', 20);
      expect(await runIds({ idPrefix: 'ab' })).toEqual(['ab2', 'ab1']);
      expect(await runIds({ idPrefix: '' })).toEqual(['ab2', 'b%', 'ab1']);
      expect(await runIds({ idPrefix: 'AB' })).toEqual([]);
      expect(await runIds({ idPrefix: '%' })).toEqual([]);
      expect(await subject.store.runs('other', { idPrefix: '' })).toEqual([]);
    });

    it('are found as the latest with an outcome', async () => {
      expect(await runIds({ latest: 'ended' })).toEqual([]);
      await start('one', 10);
      await start('two', 20);
      await start('three', 30);
      await end('one', 'completed');
      await end('two', 'failed');
      expect(await runIds({ latest: 'ended' })).toEqual(['two']);
      expect(await runIds({ latest: 'completed' })).toEqual(['one']);
      expect(await runIds({ latest: 'halted' })).toEqual([]);
    });

    describe('that have ended', () => {
      const intended = (run: string): StoreChange => ({
        kind: 'intend',
        run,
        operation: operationOf('update'),
        atMs: 1,
      });
      const settle = (id: number): Promise<unknown> =>
        commit({ kind: 'journal', id, state: 'done', after: null, error: null, atMs: 40 });
      const prune = (beforeMs: number) => commit({ kind: 'prune', beforeMs });
      const entriesOf = async (run: string): Promise<number> => (await subject.store.journal(LINK, { run })).length;

      /** Stores the runs `first`, `second` and `last`, completed at 50, each with a done write. */
      const threeRuns = async (): Promise<void> => {
        for (const [index, run] of ['first', 'second', 'last'].entries()) {
          await start(run, index);
          const [entry = 0] = await commit(intended(run));
          await settle(entry);
          await end(run, 'completed');
        }
      };

      it('are pruned with their writes, except the latest, of which only the writes are pruned', async () => {
        await threeRuns();
        await prune(51);
        expect(await runIds({ idPrefix: '' })).toEqual(['last']);
        expect(await subject.store.journal(LINK, { fromId: 0, limit: 10 })).toEqual([]);
        expect(await runIds({ latest: 'writing' })).toEqual([]);
      });

      it('and wrote nothing are pruned together, however many there are', async () => {
        await threeRuns();
        const idle = Array.from({ length: 1_200 }, (_, index) => `idle ${index}`);
        await commit(
          ...idle.flatMap((id): StoreChange[] => [
            { kind: 'run-started', run: { id, kind: 'incremental', undoes: null, startedAtMs: 10 } },
            { kind: 'patch-run', id, set: { outcome: 'completed', reason: null, summary: {}, endedAtMs: 50 } },
          ]),
        );
        await prune(51);
        await prune(51);
        expect(await runIds({ idPrefix: '' })).toHaveLength(1);
        expect(await subject.store.journal(LINK, { fromId: 0, limit: 10 })).toEqual([]);
      });

      it('are kept if they did not end before the given time', async () => {
        await threeRuns();
        await prune(50);
        expect(await runIds({ idPrefix: '' })).toEqual(['last', 'second', 'first']);
        expect(await entriesOf('first')).toBe(1);
      });

      it('are pruned except the latest that completed and the latest that ended', async () => {
        await threeRuns();
        await start('failed', 9);
        await end('failed', 'failed');
        await prune(51);
        expect(await runIds({ idPrefix: '' })).toEqual(['failed', 'last']);
      });

      it('are kept with all their writes while the outcome of one write is unknown', async () => {
        await start('half', 0);
        const [done = 0, unknown = 0] = await commit(intended('half'), intended('half'));
        await settle(done);
        await end('half', 'failed');
        await threeRuns();
        await prune(51);
        expect(await entriesOf('half')).toBe(2);
        await settle(unknown);
        await prune(51);
        expect([await entriesOf('half'), await runIds({ idPrefix: 'half' })]).toEqual([0, []]);
      });

      it('are kept while they run', async () => {
        await start('running', 0);
        await commit(intended('running'));
        await prune(1_000);
        expect([await entriesOf('running'), await runIds({ idPrefix: '' })]).toEqual([1, ['running']]);
      });

      it('are pruned with ended conflicts and with rejections whose retry time has passed', async () => {
        const conflict = (field: 'title' | 'company', winner: 'left' | null): StoreChange => ({
          kind: 'conflict',
          run: 'first',
          leftId: 'l1',
          rightId: 'r1',
          conflict: { field, left: '1', right: '2', winner },
          atMs: 60,
        });
        await commit(conflict('title', 'left'), conflict('company', null));
        await commit({ kind: 'end-conflicts', leftId: 'l1', fields: ['title'], atMs: 60 });
        await commit({ kind: 'put', table: 'rejections', row: rejectionOf({ retryAtMs: 60 }) });
        await commit({ kind: 'put', table: 'rejections', row: rejectionOf({ key: 'later', retryAtMs: 90 }) });
        await prune(60);
        expect(await subject.store.conflicts(LINK, { all: true })).toHaveLength(2);
        await prune(61);
        expect(await subject.store.conflicts(LINK, { all: true })).toMatchObject([
          { field: 'company', endedAtMs: null },
        ]);
        expect((await subject.store.link(LINK)).rejections).toMatchObject([{ key: 'later' }]);
      });

      it('of another link, and the halves of this link, are kept', async () => {
        const other = await acquire('other');
        const run = { id: 'elsewhere', kind: 'full', undoes: null, startedAtMs: 0 } as const;
        const ending = { outcome: 'completed', reason: null, summary: {}, endedAtMs: 1 } as const;
        const next = { ...run, id: 'next', startedAtMs: 2 };
        await subject.store.commit('other', other, [
          { kind: 'run-started', run },
          intended('elsewhere'),
          { kind: 'patch-run', id: 'elsewhere', set: ending },
          { kind: 'run-started', run: next },
          { kind: 'patch-run', id: 'next', set: ending },
        ]);
        await commit(...newPair('l1', 'r1'), putHalf('l2', { state: 'gone' }));
        await threeRuns();
        await prune(1_000);
        expect(await subject.store.runs('other', { idPrefix: '' })).toHaveLength(2);
        expect(await ids({ by: 'all' })).toEqual(['l1', 'l2', 'r1']);
      });
    });

    it('are found as the latest with a done write', async () => {
      await start('one', 10);
      await start('two', 20);
      expect(await runIds({ latest: 'writing' })).toEqual([]);
      const intended = (run: string): StoreChange => ({
        kind: 'intend',
        run,
        operation: operationOf('update'),
        atMs: 1,
      });
      const [first = 0, second = 0] = await commit(intended('one'), intended('two'));
      const done = (id: number, state: 'done' | 'failed'): StoreChange => ({
        kind: 'journal',
        id,
        state,
        after: null,
        error: null,
        atMs: 2,
      });
      await commit(done(first, 'done'), done(second, 'failed'));
      expect(await runIds({ latest: 'writing' })).toEqual(['one']);
    });
  });
};
