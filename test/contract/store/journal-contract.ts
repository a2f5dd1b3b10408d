import { describe, expect, it } from 'vitest';
import { type Store, type StoreChange } from '../../../src/store/store.ts';
import { entryOf, recordOf } from '../../support/store/rows.ts';
import { LINK, type StoreSubject } from './store-subject.ts';

/** The journal. */
export const journalContract = (name: string, subject: StoreSubject): void => {
  const { commit } = subject;

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

    it('holds an answer with what no text of the database holds: zero characters, and halves of characters', async () => {
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
};
