import { describe, expect, it } from 'vitest';
import { FenceError, type Store, type StoreChange } from '../../../src/store/store.ts';
import { entryOf, newPair, putHalf, recordOf, rejectionOf } from '../../support/store/rows.ts';
import { conflictOf, LINK, type StoreSubject } from './store-subject.ts';

/** The journal, runs, conflicts and budgets. */
export const journalContract = (name: string, subject: StoreSubject): void => {
  const { acquire, commit, ids } = subject;

  describe(`${name}: the journal`, () => {
    const intend = async (run: string, entry = entryOf()): Promise<number> => {
      const [id = 0] = await commit({ kind: 'intend', run, entry, atMs: 10 });
      return id;
    };
    const settle = (id: number, change: Partial<Extract<StoreChange, { kind: 'journal' }>> = {}) =>
      commit({ kind: 'journal', id, state: 'done', after: null, error: null, atMs: 20, ...change });
    const entryIds = async (query: Parameters<Store['journal']>[1]) =>
      (await subject.store.journal(LINK, query)).map(({ id }) => id);

    it('holds an intent whole, open until its outcome is known', async () => {
      const id = await intend('run');
      const unknown = { state: 'intended', after: null, error: null, settledAtMs: null };
      const row = { ...entryOf(), id, run: 'run', intendedAtMs: 10, ...unknown };
      expect(await subject.store.journal(LINK, { open: true })).toEqual([row]);
      await settle(id, { state: 'failed', error: 'refused', after: recordOf('l1', { version: '2' }) });
      expect(await subject.store.journal(LINK, { open: true })).toEqual([]);
      const outcome = { state: 'failed', error: 'refused', after: recordOf('l1', { version: '2' }), settledAtMs: 20 };
      expect(await subject.store.journal(LINK, { run: 'run' })).toEqual([{ ...row, ...outcome }]);
    });

    it('holds the deletion of a group with its members', async () => {
      const group = { id: 'g1', name: 'Choir', members: ['l1', 'l2'] };
      const blank = { leftId: null, rightId: null, before: null, destroys: true };
      const entry = entryOf({ ...blank, kind: 'group-delete', intent: { ...entryOf().intent, group } });
      await intend('run', entry);
      expect(await subject.store.journal(LINK, { open: true })).toMatchObject([entry]);
      expect(await subject.store.journal(LINK, { deletions: true })).toEqual([]);
    });

    it('is read by what is destroyed since a time: the writes that are done alone', async () => {
      const destroying = (atMs: number, change = {}) =>
        commit({ kind: 'intend', run: 'run', entry: entryOf({ destroys: true, ...change }), atMs });
      const [early = 0] = await destroying(9);
      const [first = 0] = await destroying(10, { kind: 'delete' });
      const [second = 0] = await destroying(11);
      const [unanswered = 0] = await destroying(12);
      const [failed = 0] = await destroying(13);
      const [harmless = 0] = await destroying(14, { destroys: false });
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

    it('is read by run, the oldest entry first', async () => {
      const [one, , three] = [await intend('a'), await intend('b'), await intend('a')];
      expect(await entryIds({ run: 'a' })).toEqual([one, three]);
      expect(await subject.store.journal('other', { run: 'a' })).toEqual([]);
    });

    it('is read by run in parts: of some kinds, from an entry on, so many at most', async () => {
      const kinds = ['create', 'update', 'delete', 'update', 'create'] as const;
      const made: number[] = [];
      for (const kind of kinds) made.push(await intend('a', entryOf({ kind })));
      await intend('b', entryOf({ kind: 'membership' }));
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

    it('is rid of entries that are dropped, whatever their state', async () => {
      const [open, done] = [await intend('a'), await intend('a')];
      await settle(done);
      await commit({ kind: 'drop-entry', id: open }, { kind: 'drop-entry', id: done });
      await settle(open);
      expect(await subject.store.journal(LINK, { run: 'a' })).toEqual([]);
    });

    it('keeps of an entry that is redacted its kind, its outcome and the intent that is given', async () => {
      const id = await intend('a', entryOf({ kind: 'delete', destroys: true, pairId: 4 }));
      await settle(id, { after: recordOf('l9'), error: 'said by l9' });
      const [before] = await subject.store.journal(LINK, { run: 'a' });
      const intent = { ...entryOf().intent, fields: [], desired: null, source: null };
      await commit({ kind: 'redact-entry', id, intent }, { kind: 'redact-entry', id: id + 999, intent });
      const blank = { pairId: null, leftId: null, rightId: null, before: null, after: null, error: null };
      expect(await subject.store.journal(LINK, { run: 'a' })).toEqual([{ ...before, ...blank, intent }]);
      expect(await entryIds({ destroyedSinceMs: 0 })).toEqual([id]);
      expect(await entryIds({ ids: ['l1', 'l9'], pairIds: [4] })).toEqual([]);
    });

    it('is read by the contacts and pairs that entries name or were answered with', async () => {
      const blank = { leftId: null, rightId: null, before: null };
      const left = await intend('a', entryOf({ ...blank, leftId: 'l7' }));
      const right = await intend('a', entryOf({ ...blank, rightId: 'r7' }));
      const created = await intend('a', entryOf({ ...blank, kind: 'create' }));
      const ofPair = await intend('a', entryOf({ ...blank, pairId: 12 }));
      await intend('a', entryOf({ ...blank }));
      await settle(created, { after: recordOf('l8') });
      expect(await entryIds({ ids: ['l7', 'r7'], pairIds: [] })).toEqual([left, right]);
      expect(await entryIds({ ids: ['l8'], pairIds: [12] })).toEqual([created, ofPair]);
      expect(await entryIds({ ids: [], pairIds: [] })).toEqual([]);
    });

    it('tells which deletes are done', async () => {
      const deleted = await intend('a', entryOf({ kind: 'delete' }));
      const refused = await intend('a', entryOf({ kind: 'delete' }));
      const updated = await intend('a');
      await intend('a', entryOf({ kind: 'delete' }));
      await settle(deleted);
      await settle(refused, { state: 'failed' });
      await settle(updated);
      expect(await entryIds({ deletions: true })).toEqual([deleted]);
    });
  });

  describe(`${name}: runs`, () => {
    const start = (id: string, startedAtMs: number, undoes: string | null = null) =>
      commit({ kind: 'run-started', run: { id, kind: undoes === null ? 'full' : 'undo', undoes, startedAtMs } });
    const end = (id: string, outcome: 'completed' | 'failed' | 'halted', summary: object = {}) =>
      commit({
        kind: 'run-ended',
        id,
        end: { outcome, reason: outcome === 'completed' ? null : 'why', summary, endedAtMs: 50 },
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

    it('that did not store how they ended have failed when the next one of the link starts', async () => {
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
    });

    it('that have ended say what they wrote', async () => {
      await start('r', 10);
      const left = { created: 1, updated: 2, deleted: 3, groupsDeleted: 4 };
      await end('r', 'completed', { left: { ...left, pulled: 9 }, right: { created: 5 } });
      const right = { created: 5, updated: 0, deleted: 0, groupsDeleted: 0 };
      expect((await subject.store.runs(LINK, { idPrefix: 'r' }))[0]?.wrote).toEqual({ left, right });
    });

    it('are found as the newest ones', async () => {
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

    it('that a guard halted keep the nonce that lets their plan pass [R8]', async () => {
      await start('r', 10);
      await end('r', 'halted', { override: 'nonce' });
      expect(await subject.store.runs(LINK, { latest: 'ended' })).toMatchObject([{ id: 'r', override: 'nonce' }]);
    });

    it('may get another reason, and keep how they ended', async () => {
      await start('r', 10);
      await end('r', 'halted', { override: 'nonce', reason: 'why' });
      await commit({ kind: 'run-reason', id: 'r', reason: 'another' });
      expect(await subject.store.runs(LINK, { idPrefix: 'r' })).toMatchObject([
        { outcome: 'halted', reason: 'another', override: 'nonce', endedAtMs: 50 },
      ]);
    });

    it('are gone with everything else of a link that is forgotten, whose tokens are void for ever', async () => {
      const other = await acquire('other');
      await subject.store.commit('other', other, [putHalf('l1')]);
      await start('r', 10);
      const verdict = { leftId: 'l1', rightId: 'r1', says: 'apart', atMs: 1 } as const;
      await commit(putHalf('l1'), { kind: 'reject', rejection: rejectionOf() }, { kind: 'verdict', verdict });
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

    it('that undo another name it, from their start and by their summary', async () => {
      await start('u', 10, 'r');
      expect(await subject.store.runs(LINK, { idPrefix: 'u' })).toMatchObject([{ kind: 'undo', undoes: 'r' }]);
      await end('u', 'completed', { undoes: 'r', counts: 3 });
      expect(await subject.store.runs(LINK, { idPrefix: 'u' })).toMatchObject([{ kind: 'undo', undoes: 'r' }]);
    });

    it('are found by the beginning of their id, the newest first', async () => {
      await start('ab1', 10);
      await start('ab2', 30);
      await start('b%', 20);
      expect(await runIds({ idPrefix: 'ab' })).toEqual(['ab2', 'ab1']);
      expect(await runIds({ idPrefix: '' })).toEqual(['ab2', 'b%', 'ab1']);
      expect(await runIds({ idPrefix: 'AB' })).toEqual([]);
      expect(await runIds({ idPrefix: '%' })).toEqual([]);
      expect(await subject.store.runs('other', { idPrefix: '' })).toEqual([]);
    });

    it('are found by how the latest of them ended', async () => {
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

    describe('that are over', () => {
      const intended = (run: string, change: Parameters<typeof entryOf>[0] = {}): StoreChange => ({
        kind: 'intend',
        run,
        entry: entryOf(change),
        atMs: 1,
      });
      const settle = (id: number): Promise<unknown> =>
        commit({ kind: 'journal', id, state: 'done', after: null, error: null, atMs: 40 });
      const prune = (beforeMs: number) => commit({ kind: 'prune', beforeMs });
      const entriesOf = async (run: string): Promise<number> => (await subject.store.journal(LINK, { run })).length;

      /** `first`, `second` and `last` completed at 50, each with a write that is done. */
      const threeRuns = async (): Promise<void> => {
        for (const [index, run] of ['first', 'second', 'last'].entries()) {
          await start(run, index);
          const [entry = 0] = await commit(intended(run));
          await settle(entry);
          await end(run, 'completed');
        }
      };

      it('are pruned with what they wrote, but the latest of them only of that', async () => {
        await threeRuns();
        await prune(51);
        expect(await runIds({ idPrefix: '' })).toEqual(['last']);
        expect(await subject.store.journal(LINK, { fromId: 0, limit: 10 })).toEqual([]);
        expect(await runIds({ latest: 'writing' })).toEqual([]);
      });

      it('are kept as long as they have not ended before the time', async () => {
        await threeRuns();
        await prune(50);
        expect(await runIds({ idPrefix: '' })).toEqual(['last', 'second', 'first']);
        expect(await entriesOf('first')).toBe(1);
      });

      it('keep the latest that completed besides the latest that ended', async () => {
        await threeRuns();
        await start('failed', 9);
        await end('failed', 'failed');
        await prune(51);
        expect(await runIds({ idPrefix: '' })).toEqual(['failed', 'last']);
      });

      it('are kept whole while the outcome of one of their writes is unknown', async () => {
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

      it('take the conflicts with them that were settled, and refusals that nobody tried again', async () => {
        const conflict = (field: 'title' | 'company'): StoreChange => ({
          kind: 'conflict',
          run: 'first',
          leftId: 'l1',
          rightId: 'r1',
          conflict: { field, left: '1', right: '2', winner: 'left' },
          atMs: 1,
        });
        await commit(conflict('title'), conflict('company'));
        await commit({ kind: 'resolve-conflicts', leftId: 'l1', fields: ['title'], atMs: 60 });
        await commit({ kind: 'reject', rejection: rejectionOf({ retryAtMs: 60 }) });
        await commit({ kind: 'reject', rejection: rejectionOf({ key: 'later', retryAtMs: 90 }) });
        await prune(60);
        expect(await subject.store.conflicts(LINK, { all: true })).toHaveLength(2);
        await prune(61);
        expect(await subject.store.conflicts(LINK, { all: true })).toMatchObject([
          { field: 'company', resolvedAtMs: null },
        ]);
        expect((await subject.store.link(LINK)).rejections).toMatchObject([{ key: 'later' }]);
      });

      it('of another link, and the halves of this one, are left alone', async () => {
        const other = await acquire('other');
        const run = { id: 'elsewhere', kind: 'full', undoes: null, startedAtMs: 0 } as const;
        const ending = { outcome: 'completed', reason: null, summary: {}, endedAtMs: 1 } as const;
        const next = { ...run, id: 'next', startedAtMs: 2 };
        await subject.store.commit('other', other, [
          { kind: 'run-started', run },
          intended('elsewhere'),
          { kind: 'run-ended', id: 'elsewhere', end: ending },
          { kind: 'run-started', run: next },
          { kind: 'run-ended', id: 'next', end: ending },
        ]);
        await commit(newPair('l1', 'r1'), putHalf('l2', { state: 'gone' }));
        await threeRuns();
        await prune(1_000);
        expect(await subject.store.runs('other', { idPrefix: '' })).toHaveLength(2);
        expect(await ids({ by: 'all' })).toEqual(['l1', 'l2', 'r1']);
      });
    });

    it('are found by the latest write that is done', async () => {
      await start('one', 10);
      await start('two', 20);
      expect(await runIds({ latest: 'writing' })).toEqual([]);
      const intended = (run: string): StoreChange => ({ kind: 'intend', run, entry: entryOf(), atMs: 1 });
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

  describe(`${name}: conflicts`, () => {
    it('are recorded in their order and open until their field is settled', async () => {
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

    it('keep what a person said of the open one, until that is taken back', async () => {
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

    it('are pruned once a person has dismissed them', async () => {
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

    it('of a contact are forgotten together', async () => {
      await commit(conflictOf('l1', 'title'), conflictOf('l1', 'company'), conflictOf('l2', 'title'));
      await commit({ kind: 'resolve-conflicts', leftId: 'l1', fields: ['title'], atMs: 9 });
      await commit({ kind: 'drop-conflicts', leftId: 'l1' });
      expect(await subject.store.conflicts(LINK, { all: true })).toMatchObject([{ leftId: 'l2' }]);
    });
  });

  describe(`${name}: budgets`, () => {
    it('are what was last saved under their key', async () => {
      expect(await subject.store.budget('b')).toBeNull();
      await subject.store.saveBudget('b', '{"used":1}');
      await subject.store.saveBudget('c', '{}');
      await subject.store.saveBudget('b', '{"used":2}');
      expect(await subject.store.budget('b')).toBe('{"used":2}');
    });
  });
};
