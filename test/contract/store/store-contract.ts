import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EMPTY_CONTACT } from '../../../src/contact/contact.ts';
import type { Half } from '../../../src/contact/half.ts';
import type { Side } from '../../../src/contact/side.ts';
import { FenceError, NO_CURSOR, type HalfQuery, type Store, type StoreChange } from '../../../src/store/store.ts';
import { entryOf, halfOf, newPair, putHalf, putOf, recordOf, rejectionOf } from '../../support/store/rows.ts';

const LINK = 'default';
const FAR = 1_000_000;

export type StoreUnderTest = { readonly store: Store; close(): Promise<void> };

/** What every store does, whatever keeps its rows: `open` makes one of which the links used here are unknown. */
export const storeContract = (name: string, open: () => Promise<StoreUnderTest>): void => {
  let opened: StoreUnderTest;
  let store: Store;
  let token: number;

  const acquire = async (link: string, owner = 'owner'): Promise<number> => {
    const taken = await store.acquireLease(link, owner, 0, FAR);
    if (taken === null) throw new Error('The lease is taken.');
    return taken;
  };
  const commit = (...changes: StoreChange[]) => store.commit(LINK, token, changes);
  const ids = async (query: HalfQuery): Promise<string[]> => (await store.halves(LINK, query)).map(({ id }) => id);
  const halfNamed = async (id: string, side: Side = 'left'): Promise<Half | undefined> =>
    (await store.halves(LINK, { by: 'id', side, ids: [id] }))[0];
  const pairIdOf = async (id: string): Promise<number> => {
    const half = await halfNamed(id);
    if (half === undefined || half.pair === null) throw new Error(`${id} has no pair.`);
    return half.pair;
  };

  beforeEach(async () => {
    opened = await open();
    ({ store } = opened);
    token = await acquire(LINK);
  });
  afterEach(() => opened.close());

  describe(`${name}: the lease`, () => {
    it('is refused to another owner while it lasts, and free to take once it has expired', async () => {
      expect(await store.acquireLease('leased', 'one', 0, 100)).not.toBeNull();
      expect(await store.acquireLease('leased', 'two', 99, 200)).toBeNull();
      expect(await store.acquireLease('leased', 'two', 100, 200)).not.toBeNull();
      expect(await store.acquireLease('long expired', 'one', 0, 100)).not.toBeNull();
      expect(await store.acquireLease('long expired', 'two', 5_000, 6_000)).not.toBeNull();
      expect(await store.acquireLease('leased', 'one', 150, 300)).toBeNull();
    });

    it('keeps its token when its owner renews it, even after it expired', async () => {
      const first = await store.acquireLease('leased', 'one', 0, 100);
      expect(await store.acquireLease('leased', 'one', 50, 150)).toBe(first);
      expect(await store.acquireLease('leased', 'one', 500, 600)).toBe(first);
    });

    it('names its owner until it is freed, also when it has expired', async () => {
      expect(await store.leaseOwner('leased')).toBeNull();
      await store.acquireLease('leased', 'one', 0, 100);
      expect(await store.leaseOwner('leased')).toBe('one');
      await store.acquireLease('leased', 'two', 100, 200);
      expect(await store.leaseOwner('leased')).toBe('two');
      await store.releaseLease('leased', 'two');
      expect(await store.leaseOwner('leased')).toBeNull();
    });

    it('gets a greater token with every change of owner', async () => {
      const first = await acquire('leased', 'one');
      await store.releaseLease('leased', 'one');
      const second = await acquire('leased', 'two');
      await store.releaseLease('leased', 'two');
      const third = await acquire('leased', 'one');
      expect(second).toBeGreaterThan(first);
      expect(third).toBeGreaterThan(second);
    });

    it('is released by its owner alone', async () => {
      await acquire('leased', 'one');
      await store.releaseLease('leased', 'two');
      expect(await store.acquireLease('leased', 'two', 1, 2)).toBeNull();
    });

    it('of one link does not concern another', async () => {
      await acquire('one', 'one');
      expect(await store.acquireLease('two', 'two', 0, 1)).not.toBeNull();
    });
  });

  describe(`${name}: a commit`, () => {
    const summary: Record<string, unknown> = {};
    summary['itself'] = summary;
    const unstorable: StoreChange = {
      kind: 'run-ended',
      id: 'run',
      end: { outcome: 'completed', reason: null, summary, endedAtMs: 1 },
    };

    it('with the token of an earlier owner changes nothing and says so', async () => {
      const later = await store.acquireLease(LINK, 'another', FAR, 2 * FAR);
      const error = await commit(putHalf('l1')).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(FenceError);
      expect(error).toMatchObject({ link: LINK, token });
      expect(await ids({ by: 'all' })).toEqual([]);
      await store.commit(LINK, later ?? 0, [putHalf('l1')]);
      expect(await ids({ by: 'all' })).toEqual(['l1']);
    });

    it('with a token that nobody was given, or after the lease was released, changes nothing', async () => {
      await expect(store.commit(LINK, token + 1, [putHalf('l1')])).rejects.toThrow(FenceError);
      await expect(store.commit('never leased', 0, [putHalf('l1')])).rejects.toThrow(FenceError);
      await store.releaseLease(LINK, 'owner');
      await expect(commit(putHalf('l1'))).rejects.toThrow(FenceError);
      expect(await ids({ by: 'all' })).toEqual([]);
    });

    it('is possible after the lease expired, as long as nobody else took it', async () => {
      const kept = await store.acquireLease(LINK, 'owner', 0, 1);
      await store.commit(LINK, kept ?? 0, [putHalf('l1')]);
      expect(await ids({ by: 'all' })).toEqual(['l1']);
    });

    it('is done wholly or not at all', async () => {
      await commit(putHalf('l1'), { kind: 'cursor', side: 'left', cursor: { ...NO_CURSOR, cursor: 'c' } });
      await expect(
        commit(
          putHalf('l2'),
          { kind: 'drop-half', side: 'left', id: 'l1' },
          { kind: 'cursor', side: 'left', cursor: NO_CURSOR },
          { kind: 'forget-mapping' },
          unstorable,
        ),
      ).rejects.toThrow(/circular/u);
      expect(await ids({ by: 'all' })).toEqual(['l1']);
      expect((await store.link(LINK)).cursors.left.cursor).toBe('c');
    });

    it('that fails leaves others that were asked for beside it as they are', async () => {
      const outcomes = await Promise.allSettled([
        commit(putHalf('l1')),
        commit(putHalf('l2'), unstorable),
        store.commit(LINK, token + 1, [putHalf('l3')]),
        commit(putHalf('l4')),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
      expect(await ids({ by: 'all' })).toEqual(['l1', 'l4']);
    });

    it('makes its changes in their order, and answers the ids of its new pairs and intents in theirs', async () => {
      const [first = 0, second = 0, ...others] = await commit(
        { kind: 'intend', run: 'run', entry: entryOf(), atMs: 1 },
        putHalf('l1', { absences: 1 }),
        { kind: 'intend', run: 'run', entry: entryOf({ side: 'right' }), atMs: 1 },
        putHalf('l1', { absences: 2 }),
      );
      expect(others).toEqual([]);
      const rows = await store.journal(LINK, { run: 'run' });
      expect(rows.map(({ id, side }) => [id, side])).toEqual([
        [first, 'left'],
        [second, 'right'],
      ]);
      expect(await halfNamed('l1')).toMatchObject({ absences: 2 });
      expect(await commit()).toEqual([]);
    });
  });

  describe(`${name}: halves`, () => {
    it('come back as they were put, each part of them', async () => {
      const record = recordOf('l1', {
        modifiedAtMs: null,
        groupIds: ['g1'],
        originId: 'r9',
        digest: 'd',
        raw: '"Zoë ☃"',
      });
      const half = halfOf('l1', {
        state: 'gone',
        record,
        base: null,
        mergedInto: 'l2',
        absences: 3,
        lastListedAtMs: 4,
        writtenAtMs: 7,
        heardAtMs: 8,
      });
      await commit({ kind: 'put-half', half, digest: null }, putHalf('r1', { side: 'right' }));
      expect(await store.halves(LINK, { by: 'all' })).toEqual([half, halfOf('r1', { side: 'right' })]);
    });

    it('have a base of their own, whether it says what the record says or not', async () => {
      const record = recordOf('l1');
      const { contact, groupIds } = record;
      const changed = { ...contact, title: 'Countess' };
      await commit(
        putHalf('l1', { base: { contact: { ...contact }, groupIds: [...groupIds] } }),
        putHalf('l2', { base: { contact: changed, groupIds } }),
        putHalf('l3', { base: { contact, groupIds: ['g1'] } }),
        putHalf('l4', { base: null }),
      );
      const bases = (await store.halves(LINK, { by: 'all' })).map(({ base }) => base);
      expect(bases).toEqual([
        { contact, groupIds },
        { contact: changed, groupIds },
        { contact, groupIds: ['g1'] },
        null,
      ]);
    });

    it('are replaced whole by side and id', async () => {
      await commit(putHalf('x', { absences: 3, mergedInto: 'y', writtenAtMs: 4 }), putHalf('x', { side: 'right' }));
      const next = halfOf('x', { state: 'changed', base: null, record: recordOf('x', { version: '2' }) });
      await commit({ kind: 'put-half', half: next, digest: null });
      expect(await store.halves(LINK, { by: 'all' })).toEqual([next, halfOf('x', { side: 'right' })]);
    });

    it('are dropped by side and id', async () => {
      await commit(putHalf('x'), putHalf('x', { side: 'right' }), { kind: 'drop-half', side: 'left', id: 'x' });
      expect(await store.halves(LINK, { by: 'all' })).toEqual([halfOf('x', { side: 'right' })]);
      await commit({ kind: 'drop-half', side: 'left', id: 'unknown' });
    });

    it('belong to one link', async () => {
      await commit(putHalf('x'));
      const other = await acquire('other');
      await store.commit('other', other, [putHalf('x', { absences: 9 }), putHalf('y')]);
      expect(await store.halves(LINK, { by: 'all' })).toEqual([halfOf('x')]);
      expect(await store.counts(LINK)).toEqual({ pairs: 0, present: { left: 1, right: 0 } });
    });

    it('are found by id on one side, each once, the left before the right and by id', async () => {
      await commit(...['l3', 'l1', 'l2', 'r1'].map((id) => putHalf(id)), putHalf('l1', { side: 'right' }));
      expect(await ids({ by: 'id', side: 'left', ids: ['l3', 'l1', 'unknown', 'l1'] })).toEqual(['l1', 'l3']);
      expect(await ids({ by: 'id', side: 'right', ids: ['l1', 'l2'] })).toEqual(['l1']);
      expect(await ids({ by: 'id', side: 'left', ids: [] })).toEqual([]);
    });

    it('are found by many ids at once', async () => {
      const many = Array.from({ length: 2_500 }, (_, index) => `l${String(index).padStart(4, '0')}`);
      await commit(...many.map((id) => putHalf(id)));
      expect(await ids({ by: 'id', side: 'left', ids: many })).toEqual(many);
    });

    it('are found by their pair', async () => {
      await commit(newPair('l1', 'r1'), newPair('l2', 'r2'), putHalf('l3'));
      const pair = await pairIdOf('l2');
      expect(await ids({ by: 'pair', pairs: [pair, pair, 999_999] })).toEqual(['l2', 'r2']);
      expect(await ids({ by: 'pair', pairs: [] })).toEqual([]);
    });

    it('are found by state, on one side or both', async () => {
      await commit(
        putHalf('l1', { state: 'changed' }),
        putHalf('l2', { state: 'missing' }),
        putHalf('l3'),
        putHalf('r1', { side: 'right', state: 'changed' }),
        putHalf('r2', { side: 'right', state: 'settling' }),
        putHalf('r3', { side: 'right', state: 'gone' }),
      );
      expect(await ids({ by: 'state', states: ['changed'] })).toEqual(['l1', 'r1']);
      expect(await ids({ by: 'state', states: ['changed'], side: 'right' })).toEqual(['r1']);
      expect(await ids({ by: 'state', states: ['missing', 'settling', 'gone'] })).toEqual(['l2', 'r2', 'r3']);
      expect(await ids({ by: 'state', states: ['settled'] })).toEqual(['l3']);
      expect(await ids({ by: 'state', states: ['settled', 'gone'], side: 'right' })).toEqual(['r3']);
      expect(await ids({ by: 'state', states: [] })).toEqual([]);
    });

    it('are no longer found by a state that they have left', async () => {
      await commit(putHalf('l1', { state: 'changed' }));
      await commit(putHalf('l1'));
      expect(await ids({ by: 'state', states: ['changed'] })).toEqual([]);
    });

    it('of kept and dormant pairs are alone, those of linked pairs and of none are not', async () => {
      await commit(newPair('l1', 'r1'), newPair('l2', 'r2', 'kept'), newPair('l3', 'r3', 'dormant'), putHalf('l4'));
      expect(await ids({ by: 'alone' })).toEqual(['l2', 'l3', 'r2', 'r3']);
    });

    it('of linked pairs are found by the groups that their record names', async () => {
      const member = (id: string, groupIds: string[], title = '') => {
        return { record: recordOf(id, { groupIds, contact: { ...EMPTY_CONTACT, title } }) };
      };
      const pairOf = (id: string, status: 'linked' | 'kept', half: Partial<Half>): StoreChange => ({
        kind: 'put-pair',
        id: null,
        status,
        halves: [putOf(id, half)],
      });
      await commit(
        pairOf('l1', 'linked', member('l1', ['g1', 'g2'])),
        pairOf('l2', 'linked', member('l2', ['g"3"'])),
        pairOf('l3', 'linked', member('l3', ['g11'], 'g1')),
        pairOf('l4', 'kept', member('l4', ['g1'])),
        pairOf('r1', 'linked', { side: 'right', ...member('r1', ['g1']) }),
        putHalf('l5', member('l5', ['g1'])),
      );
      expect(await ids({ by: 'group', ids: ['g1'] })).toEqual(['l1', 'r1']);
      expect(await ids({ by: 'group', ids: ['g2', 'g"3"'] })).toEqual(['l1', 'l2']);
      expect(await ids({ by: 'group', ids: [] })).toEqual([]);
    });

    it('are listed in brief for one side', async () => {
      await commit(
        putHalf('l2', { state: 'missing', absences: 2, heardAtMs: 9 }),
        newPair('l1', 'r1'),
        putHalf('l3', { state: 'changed' }),
      );
      const pair = await pairIdOf('l1');
      const keys = await store.index(LINK, 'left');
      expect(keys.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual([
        { id: 'l1', pair, state: 'settled', absences: 0, heardAtMs: 5 },
        { id: 'l2', pair: null, state: 'missing', absences: 2, heardAtMs: 9 },
        { id: 'l3', pair: null, state: 'changed', absences: 0, heardAtMs: 5 },
      ]);
      expect(await store.index(LINK, 'right')).toMatchObject([{ id: 'r1', pair }]);
    });

    it('are counted as present unless they are missing or gone', async () => {
      await commit(
        newPair('l1', 'r1'),
        newPair('l2', 'r2', 'kept'),
        putHalf('l3', { state: 'missing' }),
        putHalf('l4', { state: 'gone' }),
        putHalf('l5', { state: 'settling' }),
        putHalf('r3', { side: 'right', state: 'changed' }),
      );
      expect(await store.counts(LINK)).toEqual({ pairs: 1, present: { left: 3, right: 3 } });
    });
  });

  describe(`${name}: known rows`, () => {
    const known = async (...rows: { id: string; digest: string }[]): Promise<string[]> => [
      ...(await store.known(LINK, 'left', rows)),
    ];

    it('are those whose digest the half of that very id holds, on that side of that link', async () => {
      const other = await acquire('other');
      await store.commit('other', other, [putHalf('l1', {}, 'elsewhere')]);
      await commit(putHalf('l1', {}, 'd1'), putHalf('l2', {}, 'd2'), putHalf('r1', { side: 'right' }, 'd3'));
      expect(await known({ id: 'l1', digest: 'd1' }, { id: 'l2', digest: 'd2' })).toEqual(['d1', 'd2']);
      expect(await known({ id: 'l1', digest: 'd2' }, { id: 'l2', digest: 'another' })).toEqual([]);
      expect(await known({ id: 'r1', digest: 'd3' }, { id: 'l1', digest: 'elsewhere' })).toEqual([]);
      expect([...(await store.known(LINK, 'right', [{ id: 'r1', digest: 'd3' }]))]).toEqual(['d3']);
      expect(await known()).toEqual([]);
    });

    it('may share a digest', async () => {
      await commit(putHalf('l1', {}, 'd'), putHalf('l2', {}, 'd'));
      expect(await known({ id: 'l2', digest: 'd' }, { id: 'unknown', digest: 'd' })).toEqual(['d']);
    });

    it('are those of the last put alone, and none where that gave no digest or the half was dropped', async () => {
      await commit(putHalf('l1', {}, 'd1'), putHalf('l2', {}, 'd2'), putHalf('l3', {}, 'd3'));
      await commit(putHalf('l1', {}, 'next'), putHalf('l2'), { kind: 'drop-half', side: 'left', id: 'l3' });
      const rows = ['d1', 'd2', 'd3', 'next'].map((digest) => ({
        id: digest === 'next' ? 'l1' : `l${digest[1]}`,
        digest,
      }));
      expect(await known(...rows)).toEqual(['next']);
    });
  });

  describe(`${name}: pairs`, () => {
    it('get ids of their own, which their halves carry', async () => {
      const made = await commit(newPair('l1', 'r1'), newPair('l2', 'r2', 'kept'));
      const [one, two] = [await pairIdOf('l1'), await pairIdOf('l2')];
      expect(made).toEqual([one, two]);
      expect(one).not.toBe(two);
      expect(await halfNamed('r1', 'right')).toMatchObject({ pair: one });
      expect(await store.pairs(LINK, [two, one, 999_999])).toEqual(
        [
          { id: one, status: 'linked' },
          { id: two, status: 'kept' },
        ].toSorted((a, b) => a.id - b.id),
      );
      expect(await store.pairs(LINK, [])).toEqual([]);
      expect(await store.pairs('other', [one])).toEqual([]);
    });

    it('change their status and take further halves by their id', async () => {
      await commit(newPair('l1', 'r1'), putHalf('l2'));
      const id = await pairIdOf('l1');
      await commit({ kind: 'put-pair', id, status: 'dormant', halves: [putOf('l2', { pair: null })] });
      expect(await store.pairs(LINK, [id])).toEqual([{ id, status: 'dormant' }]);
      expect(await ids({ by: 'pair', pairs: [id] })).toEqual(['l1', 'l2', 'r1']);
      expect(await ids({ by: 'alone' })).toEqual(['l1', 'l2', 'r1']);
      expect(await store.counts(LINK)).toMatchObject({ pairs: 0 });
    });

    it('are dropped without their halves, and their ids are not given again', async () => {
      await commit(newPair('l1', 'r1'));
      const id = await pairIdOf('l1');
      await commit({ kind: 'drop-pair', id });
      expect(await store.pairs(LINK, [id])).toEqual([]);
      expect(await ids({ by: 'pair', pairs: [id] })).toEqual(['l1', 'r1']);
      expect(await ids({ by: 'alone' })).toEqual([]);
      expect(await store.counts(LINK)).toEqual({ pairs: 0, present: { left: 1, right: 1 } });
      await commit(newPair('l2', 'r2'));
      expect(await pairIdOf('l2')).toBeGreaterThan(id);
    });
  });

  describe(`${name}: a link`, () => {
    it('is made on first use, active and with nothing read', async () => {
      expect(await store.link('new')).toEqual({
        name: 'new',
        state: 'active',
        reason: null,
        accounts: { left: null, right: null },
        credentials: { left: null, right: null },
        acceptedDeletes: null,
        cursors: { left: NO_CURSOR, right: NO_CURSOR },
        groupPairs: [],
        rejections: [],
      });
    });

    it('is changed by patches and listed by name among the others', async () => {
      await store.link('zebra');
      await store.link('antelope');
      await commit({ kind: 'link', patch: { state: 'paused', reason: 'revoked' } });
      await commit({
        kind: 'link',
        patch: { accounts: { left: 'a', right: null }, credentials: { left: null, right: 'c' } },
      });
      const patched = { state: 'paused', reason: 'revoked', accounts: { left: 'a', right: null } };
      expect(await store.link(LINK)).toMatchObject({ ...patched, credentials: { left: null, right: 'c' } });
      await commit({ kind: 'link', patch: { state: 'active', reason: null } });
      expect(await store.link(LINK)).toMatchObject({ ...patched, state: 'active', reason: null });
      const links = await store.links();
      expect(links.map(({ name: each }) => each)).toEqual(['antelope', LINK, 'zebra']);
      expect(links[1]).toEqual(await store.link(LINK));
    });

    it('remembers the run that was let past the guard, until another one is', async () => {
      const acceptedDeletes = { run: 'run', atMs: 5 };
      await commit({ kind: 'link', patch: { acceptedDeletes } });
      await commit({ kind: 'link', patch: { state: 'halted' } });
      expect(await store.link(LINK)).toMatchObject({ state: 'halted', acceptedDeletes });
      await commit({ kind: 'link', patch: { acceptedDeletes: null } });
      expect(await store.link(LINK)).toMatchObject({ state: 'halted', acceptedDeletes: null });
    });

    it('has a cursor for each side', async () => {
      const cursor = { cursor: 'c', readAtMs: 1, resume: 'r', listingStartedAtMs: 2, listedAtMs: 3 };
      await commit({ kind: 'cursor', side: 'right', cursor });
      expect((await store.link(LINK)).cursors).toEqual({ left: NO_CURSOR, right: cursor });
      await commit({ kind: 'cursor', side: 'right', cursor: NO_CURSOR }, { kind: 'cursor', side: 'left', cursor });
      expect((await store.link(LINK)).cursors).toEqual({ left: cursor, right: NO_CURSOR });
    });

    it('knows what a listing under way has shown on each side, until that is forgotten', async () => {
      await commit({ kind: 'shown', side: 'left', ids: ['l2', 'l1'] }, { kind: 'shown', side: 'right', ids: ['r1'] });
      await commit({ kind: 'shown', side: 'left', ids: ['l3'] }, { kind: 'shown', side: 'left', ids: [] });
      expect(await store.shown(LINK, 'left')).toEqual(['l2', 'l1', 'l3']);
      expect(await store.shown('other', 'left')).toEqual([]);
      await commit({ kind: 'forget-shown', side: 'left' });
      expect(await store.shown(LINK, 'left')).toEqual([]);
      expect(await store.shown(LINK, 'right')).toEqual(['r1']);
      await commit({ kind: 'shown', side: 'left', ids: ['l9'] });
      expect(await store.shown(LINK, 'left')).toEqual(['l9']);
    });

    it('holds pairs of groups by their key', async () => {
      const one = {
        key: 'b',
        left: { id: 'g', name: 'Friends' },
        right: null,
        status: 'kept',
        settled: false,
      } as const;
      const two = { ...one, key: 'a', right: { id: 'h', name: '' }, status: 'linked', settled: true } as const;
      await commit({ kind: 'group-pair', pair: one }, { kind: 'group-pair', pair: two });
      expect((await store.link(LINK)).groupPairs).toEqual([two, one]);
      const renamed = { ...one, left: null, right: { id: 'i', name: 'Family' } };
      await commit({ kind: 'group-pair', pair: renamed }, { kind: 'drop-group-pair', key: 'a' });
      expect((await store.link(LINK)).groupPairs).toEqual([renamed]);
    });

    it('remembers what was refused by side and key, until it is accepted', async () => {
      const onLeft = rejectionOf({ side: 'left', leftId: null });
      await commit({ kind: 'reject', rejection: rejectionOf() }, { kind: 'reject', rejection: onLeft });
      await commit({ kind: 'reject', rejection: rejectionOf({ attempts: 2, retryAtMs: 200 }) });
      expect((await store.link(LINK)).rejections).toEqual([onLeft, rejectionOf({ attempts: 2, retryAtMs: 200 })]);
      await commit({ kind: 'accept', side: 'left', key: onLeft.key }, { kind: 'accept', side: 'left', key: 'unknown' });
      expect((await store.link(LINK)).rejections).toEqual([rejectionOf({ attempts: 2, retryAtMs: 200 })]);
    });

    it('forgets its mapping and journal, but not itself nor its runs nor other links', async () => {
      const other = await acquire('other');
      const everything: StoreChange[] = [
        newPair('l1', 'r1'),
        putHalf('l2'),
        { kind: 'shown', side: 'left', ids: ['l1'] },
        { kind: 'cursor', side: 'left', cursor: { ...NO_CURSOR, cursor: 'c' } },
        { kind: 'group-pair', pair: { key: 'k', left: null, right: null, status: 'kept', settled: true } },
        { kind: 'reject', rejection: rejectionOf() },
        { kind: 'intend', run: 'run', entry: entryOf(), atMs: 1 },
        conflictOf('l1', 'title'),
        { kind: 'link', patch: { accounts: { left: 'a', right: 'b' } } },
      ];
      await store.commit('other', other, everything);
      const run = { id: 'run', kind: 'full', undoes: null, startedAtMs: 1 } as const;
      await commit(...everything, { kind: 'run-started', run });
      await commit({ kind: 'forget-mapping' });
      const { cursors, groupPairs, rejections, accounts } = await store.link(LINK);
      expect({ cursors, groupPairs, rejections }).toEqual({
        cursors: { left: NO_CURSOR, right: NO_CURSOR },
        groupPairs: [],
        rejections: [],
      });
      expect(accounts).toEqual({ left: 'a', right: 'b' });
      expect(await store.halves(LINK, { by: 'all' })).toEqual([]);
      expect(await store.index(LINK, 'left')).toEqual([]);
      expect(await store.shown(LINK, 'left')).toEqual([]);
      expect(await store.counts(LINK)).toEqual({ pairs: 0, present: { left: 0, right: 0 } });
      expect(await store.journal(LINK, { open: true })).toEqual([]);
      expect(await store.conflicts(LINK, { all: true })).toEqual([]);
      expect(await store.runs(LINK, { idPrefix: 'run' })).toHaveLength(1);
      expect(await store.halves('other', { by: 'all' })).toHaveLength(3);
      expect(await store.journal('other', { open: true })).toHaveLength(1);
      await commit(newPair('l1', 'r1'));
      expect(await store.counts(LINK)).toEqual({ pairs: 1, present: { left: 1, right: 1 } });
    });
  });

  describe(`${name}: the journal`, () => {
    const intend = async (run: string, entry = entryOf()): Promise<number> => {
      const [id = 0] = await commit({ kind: 'intend', run, entry, atMs: 10 });
      return id;
    };
    const settle = (id: number, change: Partial<Extract<StoreChange, { kind: 'journal' }>> = {}) =>
      commit({ kind: 'journal', id, state: 'done', after: null, error: null, atMs: 20, ...change });
    const entryIds = async (query: Parameters<Store['journal']>[1]) =>
      (await store.journal(LINK, query)).map(({ id }) => id);

    it('holds an intent whole, open until its outcome is known', async () => {
      const id = await intend('run');
      const unknown = { state: 'intended', after: null, error: null, settledAtMs: null };
      const row = { ...entryOf(), id, run: 'run', intendedAtMs: 10, ...unknown };
      expect(await store.journal(LINK, { open: true })).toEqual([row]);
      await settle(id, { state: 'failed', error: 'refused', after: recordOf('l1', { version: '2' }) });
      expect(await store.journal(LINK, { open: true })).toEqual([]);
      const outcome = { state: 'failed', error: 'refused', after: recordOf('l1', { version: '2' }), settledAtMs: 20 };
      expect(await store.journal(LINK, { run: 'run' })).toEqual([{ ...row, ...outcome }]);
    });

    it('holds the deletion of a group with its members', async () => {
      const group = { id: 'g1', name: 'Choir', members: ['l1', 'l2'] };
      const blank = { leftId: null, rightId: null, before: null, destroys: true };
      const entry = entryOf({ ...blank, kind: 'group-delete', intent: { ...entryOf().intent, group } });
      await intend('run', entry);
      expect(await store.journal(LINK, { open: true })).toMatchObject([entry]);
      expect(await store.journal(LINK, { deletions: true })).toEqual([]);
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
      expect(await store.journal('other', { destroyedSinceMs: 0 })).toEqual([]);
      expect(await entryIds({ open: true })).toEqual([unanswered]);
    });

    it('keeps the first outcome of an entry', async () => {
      const id = await intend('run');
      await settle(id, { state: 'abandoned' });
      await settle(id, { atMs: 30 });
      await settle(999_999);
      expect(await store.journal(LINK, { run: 'run' })).toMatchObject([{ state: 'abandoned', settledAtMs: 20 }]);
    });

    it('is read by run, the oldest entry first', async () => {
      const [one, , three] = [await intend('a'), await intend('b'), await intend('a')];
      expect(await entryIds({ run: 'a' })).toEqual([one, three]);
      expect(await store.journal('other', { run: 'a' })).toEqual([]);
    });

    it('is read page by page, the oldest entry first', async () => {
      const [first, second, third] = [await intend('a'), await intend('b'), await intend('a')];
      const page = async (fromId: number) => (await store.journal(LINK, { fromId, limit: 2 })).map(({ id }) => id);
      expect(await page(0)).toEqual([first, second]);
      expect(await page(second + 1)).toEqual([third]);
      expect(await page(third + 1)).toEqual([]);
    });

    it('is rid of entries that are dropped, whatever their state', async () => {
      const [open, done] = [await intend('a'), await intend('a')];
      await settle(done);
      await commit({ kind: 'drop-entry', id: open }, { kind: 'drop-entry', id: done });
      await settle(open);
      expect(await store.journal(LINK, { run: 'a' })).toEqual([]);
    });

    it('keeps of an entry that is redacted its kind, its outcome and the intent that is given', async () => {
      const id = await intend('a', entryOf({ kind: 'delete', destroys: true, pairId: 4 }));
      await settle(id, { after: recordOf('l9'), error: 'said by l9' });
      const [before] = await store.journal(LINK, { run: 'a' });
      const intent = { ...entryOf().intent, fields: [], desired: null, source: null };
      await commit({ kind: 'redact-entry', id, intent }, { kind: 'redact-entry', id: id + 999, intent });
      const blank = { pairId: null, leftId: null, rightId: null, before: null, after: null, error: null };
      expect(await store.journal(LINK, { run: 'a' })).toEqual([{ ...before, ...blank, intent }]);
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
    const runIds = async (query: Parameters<Store['runs']>[1]) => (await store.runs(LINK, query)).map(({ id }) => id);

    it('run until they end', async () => {
      await start('r', 10);
      const row = { id: 'r', link: LINK, kind: 'full', undoes: null, startedAtMs: 10, override: null };
      expect(await store.runs(LINK, { idPrefix: 'r' })).toEqual([
        { ...row, outcome: 'running', reason: null, endedAtMs: null },
      ]);
      await end('r', 'halted');
      expect(await store.runs(LINK, { idPrefix: 'r' })).toEqual([
        { ...row, outcome: 'halted', reason: 'why', endedAtMs: 50 },
      ]);
    });

    it('that did not store how they ended have failed when the next one of the link starts', async () => {
      const other = await acquire('other');
      const run = { id: 'elsewhere', kind: 'full', undoes: null, startedAtMs: 5 } as const;
      await store.commit('other', other, [{ kind: 'run-started', run }]);
      await start('ended', 5);
      await end('ended', 'completed');
      await start('died', 10, 'ended');
      await start('next', 70);
      expect(await store.runs(LINK, { idPrefix: '' })).toMatchObject([
        { id: 'next', outcome: 'running', endedAtMs: null },
        { id: 'died', outcome: 'failed', reason: 'interrupted', endedAtMs: 70, undoes: 'ended' },
        { id: 'ended', outcome: 'completed', reason: null, endedAtMs: 50 },
      ]);
      expect(await store.runs('other', { idPrefix: '' })).toMatchObject([{ outcome: 'running' }]);
    });

    it('that a guard halted keep the nonce that lets their plan pass [R8]', async () => {
      await start('r', 10);
      await end('r', 'halted', { override: 'nonce' });
      expect(await store.runs(LINK, { latest: 'ended' })).toMatchObject([{ id: 'r', override: 'nonce' }]);
    });

    it('may get another reason, and keep how they ended', async () => {
      await start('r', 10);
      await end('r', 'halted', { override: 'nonce', reason: 'why' });
      await commit({ kind: 'run-reason', id: 'r', reason: 'another' });
      expect(await store.runs(LINK, { idPrefix: 'r' })).toMatchObject([
        { outcome: 'halted', reason: 'another', override: 'nonce', endedAtMs: 50 },
      ]);
    });

    it('are gone with everything else of a link that is forgotten, whose tokens are void for ever', async () => {
      const other = await acquire('other');
      await store.commit('other', other, [putHalf('l1')]);
      await start('r', 10);
      await commit(putHalf('l1'), { kind: 'reject', rejection: rejectionOf() });
      await commit({ kind: 'link', patch: { reason: 'why' } }, { kind: 'forget-link' });
      expect((await store.links()).map((link) => link.name)).toEqual(['other']);
      await expect(commit(putHalf('l2'))).rejects.toThrow(FenceError);
      const next = (await store.acquireLease(LINK, 'next', 1_000_000, 2_000_000)) ?? 0;
      expect(next).toBeGreaterThan(token);
      await expect(commit(putHalf('l2'))).rejects.toThrow(FenceError);
      expect(await store.link(LINK)).toMatchObject({ reason: null, rejections: [] });
      expect([await ids({ by: 'all' }), await runIds({ idPrefix: '' })]).toEqual([[], []]);
      expect(await store.halves('other', { by: 'all' })).toHaveLength(1);
      await store.compact();
      expect(await store.halves('other', { by: 'all' })).toHaveLength(1);
    });

    it('that undo another name it, from their start and by their summary', async () => {
      await start('u', 10, 'r');
      expect(await store.runs(LINK, { idPrefix: 'u' })).toMatchObject([{ kind: 'undo', undoes: 'r' }]);
      await end('u', 'completed', { undoes: 'r', counts: 3 });
      expect(await store.runs(LINK, { idPrefix: 'u' })).toMatchObject([{ kind: 'undo', undoes: 'r' }]);
    });

    it('are found by the beginning of their id, the newest first', async () => {
      await start('ab1', 10);
      await start('ab2', 30);
      await start('b%', 20);
      expect(await runIds({ idPrefix: 'ab' })).toEqual(['ab2', 'ab1']);
      expect(await runIds({ idPrefix: '' })).toEqual(['ab2', 'b%', 'ab1']);
      expect(await runIds({ idPrefix: 'AB' })).toEqual([]);
      expect(await runIds({ idPrefix: '%' })).toEqual([]);
      expect(await store.runs('other', { idPrefix: '' })).toEqual([]);
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
      const entriesOf = async (run: string): Promise<number> => (await store.journal(LINK, { run })).length;

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
        expect(await store.journal(LINK, { fromId: 0, limit: 10 })).toEqual([]);
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
        expect(await store.conflicts(LINK, { all: true })).toHaveLength(2);
        await prune(61);
        expect(await store.conflicts(LINK, { all: true })).toMatchObject([{ field: 'company', resolvedAtMs: null }]);
        expect((await store.link(LINK)).rejections).toMatchObject([{ key: 'later' }]);
      });

      it('of another link, and the halves of this one, are left alone', async () => {
        const other = await acquire('other');
        const run = { id: 'elsewhere', kind: 'full', undoes: null, startedAtMs: 0 } as const;
        const ending = { outcome: 'completed', reason: null, summary: {}, endedAtMs: 1 } as const;
        const next = { ...run, id: 'next', startedAtMs: 2 };
        await store.commit('other', other, [
          { kind: 'run-started', run },
          intended('elsewhere'),
          { kind: 'run-ended', id: 'elsewhere', end: ending },
          { kind: 'run-started', run: next },
          { kind: 'run-ended', id: 'next', end: ending },
        ]);
        await commit(newPair('l1', 'r1'), putHalf('l2', { state: 'gone' }));
        await threeRuns();
        await prune(1_000);
        expect(await store.runs('other', { idPrefix: '' })).toHaveLength(2);
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
      const rows = await store.conflicts(LINK, { all: false });
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
        },
        { leftId: 'l1', field: 'company' },
        { leftId: 'l2', field: 'title' },
      ]);
      expect(new Set(rows.map(({ id }) => id)).size).toBe(3);
      await commit({ kind: 'resolve-conflicts', leftId: 'l1', fields: ['title', 'buckets'], atMs: 9 });
      await commit({ kind: 'resolve-conflicts', leftId: 'l1', fields: ['title'], atMs: 10 });
      expect(await store.conflicts(LINK, { all: false })).toEqual(rows.slice(1));
      const all = await store.conflicts(LINK, { all: true });
      expect(all.map(({ resolvedAtMs }) => resolvedAtMs)).toEqual([9, null, null]);
      expect(await store.conflicts('other', { all: true })).toEqual([]);
    });

    it('of a contact are forgotten together', async () => {
      await commit(conflictOf('l1', 'title'), conflictOf('l1', 'company'), conflictOf('l2', 'title'));
      await commit({ kind: 'resolve-conflicts', leftId: 'l1', fields: ['title'], atMs: 9 });
      await commit({ kind: 'drop-conflicts', leftId: 'l1' });
      expect(await store.conflicts(LINK, { all: true })).toMatchObject([{ leftId: 'l2' }]);
    });
  });

  describe(`${name}: budgets`, () => {
    it('are what was last saved under their key', async () => {
      expect(await store.budget('b')).toBeNull();
      await store.saveBudget('b', '{"used":1}');
      await store.saveBudget('c', '{}');
      await store.saveBudget('b', '{"used":2}');
      expect(await store.budget('b')).toBe('{"used":2}');
    });
  });
};

const conflictOf = (leftId: string, field: 'title' | 'company'): StoreChange => ({
  kind: 'conflict',
  run: 'run',
  leftId,
  rightId: 'r1',
  conflict: { field, left: 'one', right: 'two', winner: 'right' },
  atMs: 3,
});
