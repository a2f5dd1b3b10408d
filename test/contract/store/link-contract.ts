import { NO_CURSOR, type StoreChange } from '../../../src/core/state/rows.ts';
import { describe, expect, it } from 'vitest';
import { FenceError } from '../../../src/store/store.ts';
import { countsOf, newPair, NO_NOTIFICATION, operationOf, putHalf, rejectionOf } from '../../support/store/rows.ts';
import { conflictOf, FAR, LINK, type StoreSubject } from './store-subject.ts';

type LinkPatch = Extract<StoreChange, { kind: 'link' }>['patch'];

/** Leases, commits with their tokens, and the stored values of a link. */
export const linkContract = (name: string, subject: StoreSubject): void => {
  const { acquire, commit, halfNamed, ids } = subject;

  describe(`${name}: the lease`, () => {
    it('is refused to another owner until it has expired', async () => {
      expect(await subject.store.acquireLease('leased', 'one', 0, 100)).not.toBeNull();
      expect(await subject.store.acquireLease('leased', 'two', 99, 200)).toBeNull();
      expect(await subject.store.acquireLease('leased', 'two', 100, 200)).not.toBeNull();
      expect(await subject.store.acquireLease('long expired', 'one', 0, 100)).not.toBeNull();
      expect(await subject.store.acquireLease('long expired', 'two', 5_000, 6_000)).not.toBeNull();
      expect(await subject.store.acquireLease('leased', 'one', 150, 300)).toBeNull();
    });

    it('is free if it ends more than a minute from now, because it was taken before the clock was set back', async () => {
      const [nowMs, dayMs] = [1_000_000, 86_400_000];
      const dead = await subject.store.acquireLease('leased', 'dead', nowMs + dayMs, nowMs + dayMs + 15_000);
      expect(await subject.store.acquireLease('leased', 'two', nowMs, nowMs + 15_000)).toBeGreaterThan(dead ?? 0);
      expect(await subject.store.leaseOwner('leased')).toBe('two');
      await subject.store.acquireLease('a minute', 'one', nowMs, nowMs + 60_000);
      expect(await subject.store.acquireLease('a minute', 'two', nowMs, nowMs + 15_000)).toBeNull();
    });

    it('keeps its token when its owner renews it, even after it expired', async () => {
      const first = await subject.store.acquireLease('leased', 'one', 0, 100);
      expect(await subject.store.acquireLease('leased', 'one', 50, 150)).toBe(first);
      expect(await subject.store.acquireLease('leased', 'one', 500, 600)).toBe(first);
    });

    it('has an owner until it is released, even after it has expired', async () => {
      expect(await subject.store.leaseOwner('leased')).toBeNull();
      await subject.store.acquireLease('leased', 'one', 0, 100);
      expect(await subject.store.leaseOwner('leased')).toBe('one');
      await subject.store.acquireLease('leased', 'two', 100, 200);
      expect(await subject.store.leaseOwner('leased')).toBe('two');
      await subject.store.releaseLease('leased', 'two');
      expect(await subject.store.leaseOwner('leased')).toBeNull();
    });

    it('gets a greater token with every change of owner', async () => {
      const first = await acquire('leased', 'one');
      await subject.store.releaseLease('leased', 'one');
      const second = await acquire('leased', 'two');
      await subject.store.releaseLease('leased', 'two');
      const third = await acquire('leased', 'one');
      expect(second).toBeGreaterThan(first);
      expect(third).toBeGreaterThan(second);
    });

    it('is released only by its owner', async () => {
      await acquire('leased', 'one');
      await subject.store.releaseLease('leased', 'two');
      expect(await subject.store.acquireLease('leased', 'two', 1, 2)).toBeNull();
    });

    it('of one link does not affect another link', async () => {
      await acquire('one', 'one');
      expect(await subject.store.acquireLease('two', 'two', 0, 1)).not.toBeNull();
    });
  });

  describe(`${name}: a commit`, () => {
    const summary: Record<string, unknown> = {};
    summary['itself'] = summary;
    const unstorable: StoreChange = {
      kind: 'patch-run',
      id: 'run',
      set: { outcome: 'completed', reason: null, summary, endedAtMs: 1 },
    };

    it('with the token of an earlier owner changes nothing and fails with a fence error', async () => {
      const later = await subject.store.acquireLease(LINK, 'another', FAR, 2 * FAR);
      const error = await commit(putHalf('l1')).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(FenceError);
      expect(error).toMatchObject({ link: LINK, token: subject.token });
      expect(await ids({ by: 'all' })).toEqual([]);
      await subject.store.commit(LINK, later ?? 0, [putHalf('l1')]);
      expect(await ids({ by: 'all' })).toEqual(['l1']);
    });

    it('with a token that was never issued, or after the lease was released, changes nothing', async () => {
      await expect(subject.store.commit(LINK, subject.token + 1, [putHalf('l1')])).rejects.toThrow(FenceError);
      await expect(subject.store.commit('never leased', 0, [putHalf('l1')])).rejects.toThrow(FenceError);
      await subject.store.releaseLease(LINK, 'owner');
      await expect(commit(putHalf('l1'))).rejects.toThrow(FenceError);
      expect(await ids({ by: 'all' })).toEqual([]);
    });

    it('succeeds after the lease expired until another owner acquires it', async () => {
      const kept = await subject.store.acquireLease(LINK, 'owner', 0, 1);
      await subject.store.commit(LINK, kept ?? 0, [putHalf('l1')]);
      expect(await ids({ by: 'all' })).toEqual(['l1']);
    });

    it('is atomic', async () => {
      await commit(putHalf('l1'), { kind: 'put', table: 'cursors', row: { side: 'left', ...NO_CURSOR, cursor: 'c' } });
      await expect(
        commit(
          putHalf('l2'),
          { kind: 'drop', table: 'halves', where: { side: 'left', id: 'l1' } },
          { kind: 'put', table: 'cursors', row: { side: 'left', ...NO_CURSOR } },
          { kind: 'forget-mapping' },
          unstorable,
        ),
      ).rejects.toThrow(/circular/u);
      expect(await ids({ by: 'all' })).toEqual(['l1']);
      expect((await subject.store.link(LINK)).cursors.left.cursor).toBe('c');
    });

    it('that fails does not affect concurrent commits', async () => {
      const outcomes = await Promise.allSettled([
        commit(putHalf('l1')),
        commit(putHalf('l2'), unstorable),
        subject.store.commit(LINK, subject.token + 1, [putHalf('l3')]),
        commit(putHalf('l4')),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
      expect(await ids({ by: 'all' })).toEqual(['l1', 'l4']);
    });

    it('applies its changes in order and returns the ids of its new pairs and journal entries in order', async () => {
      const [first = 0, second = 0, ...others] = await commit(
        { kind: 'intend', run: 'run', operation: operationOf('update'), atMs: 1 },
        putHalf('l1', { absences: 1 }),
        { kind: 'intend', run: 'run', operation: operationOf('update', { side: 'right' }), atMs: 1 },
        putHalf('l1', { absences: 2 }),
      );
      expect(others).toEqual([]);
      const rows = await subject.store.journal(LINK, { run: 'run' });
      expect(rows.map(({ id, side }) => [id, side])).toEqual([
        [first, 'left'],
        [second, 'right'],
      ]);
      expect(await halfNamed('l1')).toMatchObject({ absences: 2 });
      expect(await commit()).toEqual([]);
    });
  });

  describe(`${name}: a link`, () => {
    it('is created on first use, active and without cursors', async () => {
      expect(await subject.store.link('new')).toEqual({
        name: 'new',
        state: 'active',
        reason: null,
        accounts: { left: null, right: null },
        accountsKey: null,
        credentials: { left: null, right: null },
        acceptedDeletes: null,
        fields: { name: '', joining: null },
        directions: null,
        lastChangeAtMs: null,
        selection: null,
        notificationState: NO_NOTIFICATION,
        pausedByHandAtMs: null,
        cursors: { left: NO_CURSOR, right: NO_CURSOR },
        groupPairs: [],
        rejections: [],
        verdicts: [],
      });
    });

    it('is changed by patches and listed by name among the others', async () => {
      await subject.store.link('zebra');
      await subject.store.link('antelope');
      await commit({ kind: 'link', patch: { state: 'paused', reason: 'revoked' } });
      await commit({
        kind: 'link',
        patch: { accounts: { left: 'a', right: null }, credentials: { left: null, right: 'c' } },
      });
      await commit({ kind: 'link', patch: { lastChangeAtMs: 12 } });
      const patched = { state: 'paused', reason: 'revoked', accounts: { left: 'a', right: null }, lastChangeAtMs: 12 };
      expect(await subject.store.link(LINK)).toMatchObject({ ...patched, credentials: { left: null, right: 'c' } });
      await commit({ kind: 'link', patch: { state: 'active', reason: null } });
      expect(await subject.store.link(LINK)).toMatchObject({ ...patched, state: 'active', reason: null });
      const links = await subject.store.links();
      expect(links.map(({ name: each }) => each)).toEqual(['antelope', LINK, 'zebra']);
      expect(links[1]).toEqual(await subject.store.link(LINK));
    });

    it.each<[string, LinkPatch]>([
      ['the run whose deletions were accepted', { acceptedDeletes: { run: 'run', atMs: 5 } }],
      ['the selection that its contacts were last filtered with', { selection: { patterns: 'p', key: '' } }],
    ])('keeps %s until a patch changes it', async (_, patch) => {
      await commit({ kind: 'link', patch });
      await commit({ kind: 'link', patch: { state: 'halted' } });
      expect(await subject.store.link(LINK)).toMatchObject({ state: 'halted', ...patch });
      const empty = Object.fromEntries(Object.keys(patch).map((key) => [key, null]));
      await commit({ kind: 'link', patch: empty });
      expect(await subject.store.link(LINK)).toMatchObject({ state: 'halted', ...empty });
    });

    it('has a notification state that is swapped only from its current value, without a lease', async () => {
      await subject.store.releaseLease(LINK, 'owner');
      const claimed = { trouble: null, failingSinceMs: 3 } as const;
      const notificationState = { trouble: 'failing', failingSinceMs: 3 } as const;
      expect(await subject.store.swapNotificationState(LINK, NO_NOTIFICATION, claimed)).toBe(true);
      expect(await subject.store.swapNotificationState(LINK, NO_NOTIFICATION, notificationState)).toBe(false);
      expect((await subject.store.link(LINK)).notificationState).toEqual(claimed);
      for (const other of [{ trouble: 'halted' }, { failingSinceMs: 4 }] as const) {
        expect(await subject.store.swapNotificationState(LINK, { ...claimed, ...other }, notificationState)).toBe(
          false,
        );
      }
      expect(await subject.store.swapNotificationState(LINK, claimed, notificationState)).toBe(true);
      expect((await subject.store.link(LINK)).notificationState).toEqual(notificationState);
      expect(await subject.store.swapNotificationState('other', NO_NOTIFICATION, claimed)).toBe(true);
      expect((await subject.store.link(LINK)).notificationState).toEqual(notificationState);
    });

    it('is paused and resumed by hand without a lease, and keeps the time of the pause through other changes', async () => {
      const pausedAt = async () => {
        const { pausedByHandAtMs } = await subject.store.link(LINK);
        expect(await subject.store.pausedByHandAtMs(LINK)).toBe(pausedByHandAtMs);
        return pausedByHandAtMs;
      };
      await subject.store.link('other');
      expect(await subject.store.setPausedByHand(LINK, null)).toBe(false);
      expect(await subject.store.setPausedByHand(LINK, 7)).toBe(true);
      expect(await subject.store.setPausedByHand(LINK, 8)).toBe(false);
      await commit({ kind: 'link', patch: { state: 'halted', reason: 'why' } }, { kind: 'forget-mapping' });
      expect(await pausedAt()).toBe(7);
      expect((await subject.store.link('other')).pausedByHandAtMs).toBeNull();
      expect(await subject.store.setPausedByHand(LINK, null)).toBe(true);
      expect(await pausedAt()).toBeNull();
      expect(await subject.store.setPausedByHand('new', 9)).toBe(true);
      expect((await subject.store.link('new')).pausedByHandAtMs).toBe(9);
    });

    it('keeps its notification state through patches of its state', async () => {
      const notificationState = { trouble: 'halted', failingSinceMs: null } as const;
      await subject.store.swapNotificationState(LINK, NO_NOTIFICATION, notificationState);
      await commit({ kind: 'link', patch: { state: 'active', reason: null } });
      expect(await subject.store.link(LINK)).toMatchObject({ state: 'active', notificationState });
    });

    it('has a cursor for each side', async () => {
      const cursor = { cursor: 'c', readAtMs: 1, resume: 'r', listingStartedAtMs: 2, listedAtMs: 3 };
      await commit({ kind: 'put', table: 'cursors', row: { side: 'right', ...cursor } });
      expect((await subject.store.link(LINK)).cursors).toEqual({ left: NO_CURSOR, right: cursor });
      await commit(
        { kind: 'put', table: 'cursors', row: { side: 'right', ...NO_CURSOR } },
        { kind: 'put', table: 'cursors', row: { side: 'left', ...cursor } },
      );
      expect((await subject.store.link(LINK)).cursors).toEqual({ left: cursor, right: NO_CURSOR });
    });

    it('has the ids that an unfinished listing has returned on each side, until they are dropped', async () => {
      await commit({ kind: 'shown', side: 'left', ids: ['l2', 'l1'] }, { kind: 'shown', side: 'right', ids: ['r1'] });
      await commit({ kind: 'shown', side: 'left', ids: ['l3'] }, { kind: 'shown', side: 'left', ids: [] });
      expect(await subject.store.shown(LINK, 'left')).toEqual(['l2', 'l1', 'l3']);
      expect(await subject.store.shown('other', 'left')).toEqual([]);
      await commit({ kind: 'drop', table: 'shownPages', where: { side: 'left' } });
      expect(await subject.store.shown(LINK, 'left')).toEqual([]);
      expect(await subject.store.shown(LINK, 'right')).toEqual(['r1']);
      await commit({ kind: 'shown', side: 'left', ids: ['l9'] });
      expect(await subject.store.shown(LINK, 'left')).toEqual(['l9']);
    });

    it('has pairs of groups by their key', async () => {
      const one = {
        key: 'b',
        left: { id: 'g', name: 'Friends' },
        right: null,
        status: 'kept',
        isUnited: false,
      } as const;
      const two = { ...one, key: 'a', right: { id: 'h', name: '' }, status: 'linked', isUnited: true } as const;
      await commit({ kind: 'put', table: 'groupPairs', row: one }, { kind: 'put', table: 'groupPairs', row: two });
      expect((await subject.store.link(LINK)).groupPairs).toEqual([two, one]);
      const renamed = { ...one, left: null, right: { id: 'i', name: 'Family', nextName: 'Kin' } };
      await commit(
        { kind: 'put', table: 'groupPairs', row: renamed },
        { kind: 'drop', table: 'groupPairs', where: { key: 'a' } },
      );
      expect((await subject.store.link(LINK)).groupPairs).toEqual([renamed]);
    });

    it('has rejections by side and key until they are dropped', async () => {
      const onLeft = rejectionOf({ side: 'left', leftId: null });
      await commit(
        { kind: 'put', table: 'rejections', row: rejectionOf() },
        { kind: 'put', table: 'rejections', row: onLeft },
      );
      await commit({ kind: 'put', table: 'rejections', row: rejectionOf({ attempts: 2, retryAtMs: 200 }) });
      expect((await subject.store.link(LINK)).rejections).toEqual([
        onLeft,
        rejectionOf({ attempts: 2, retryAtMs: 200 }),
      ]);
      await commit(
        { kind: 'drop', table: 'rejections', where: { side: 'left', key: onLeft.key } },
        { kind: 'drop', table: 'rejections', where: { side: 'left', key: 'unknown' } },
      );
      expect((await subject.store.link(LINK)).rejections).toEqual([rejectionOf({ attempts: 2, retryAtMs: 200 })]);
    });

    it('has the latest verdict on two contacts until it is dropped [R13]', async () => {
      const one = { leftId: 'l2', rightId: 'r1', says: 'together', atMs: 1 } as const;
      const two = { ...one, leftId: 'l1', says: 'apart' } as const;
      await commit({ kind: 'put', table: 'verdicts', row: one }, { kind: 'put', table: 'verdicts', row: two });
      await subject.store.commit('other', await acquire('other'), [{ kind: 'put', table: 'verdicts', row: one }]);
      expect((await subject.store.link(LINK)).verdicts).toEqual([two, one]);
      await commit({ kind: 'put', table: 'verdicts', row: { ...one, says: 'apart', atMs: 2 } });
      expect((await subject.store.link(LINK)).verdicts).toEqual([two, { ...one, says: 'apart', atMs: 2 }]);
      await commit(
        { kind: 'drop', table: 'verdicts', where: { leftId: 'l2', rightId: 'r1' } },
        { kind: 'drop', table: 'verdicts', where: { leftId: 'l1', rightId: 'x' } },
      );
      expect((await subject.store.link(LINK)).verdicts).toEqual([two]);
      expect((await subject.store.link('other')).verdicts).toEqual([one]);
    });

    it('is kept with its runs when its mapping and journal are forgotten, and other links are unchanged', async () => {
      const other = await acquire('other');
      const everything: StoreChange[] = [
        ...newPair('l1', 'r1'),
        putHalf('l2'),
        { kind: 'shown', side: 'left', ids: ['l1'] },
        { kind: 'put', table: 'cursors', row: { side: 'left', ...NO_CURSOR, cursor: 'c' } },
        {
          kind: 'put',
          table: 'groupPairs',
          row: { key: 'k', left: null, right: null, status: 'kept', isUnited: true },
        },
        { kind: 'put', table: 'rejections', row: rejectionOf() },
        { kind: 'put', table: 'verdicts', row: { leftId: 'l1', rightId: 'r1', says: 'apart', atMs: 1 } },
        { kind: 'intend', run: 'run', operation: operationOf('update'), atMs: 1 },
        conflictOf('l1', 'title'),
        { kind: 'link', patch: { accounts: { left: 'a', right: 'b' } } },
      ];
      await subject.store.commit('other', other, everything);
      const run = { id: 'run', kind: 'full', undoes: null, startedAtMs: 1 } as const;
      await commit(...everything, { kind: 'run-started', run });
      await commit({ kind: 'forget-mapping' });
      const { cursors, groupPairs, rejections, verdicts, accounts } = await subject.store.link(LINK);
      expect({ cursors, groupPairs, rejections, verdicts }).toEqual({
        cursors: { left: NO_CURSOR, right: NO_CURSOR },
        groupPairs: [],
        rejections: [],
        verdicts: [],
      });
      expect(accounts).toEqual({ left: 'a', right: 'b' });
      expect(await subject.store.halves(LINK, { by: 'all' })).toEqual([]);
      expect(await subject.store.index(LINK, 'left')).toEqual([]);
      expect(await subject.store.shown(LINK, 'left')).toEqual([]);
      expect(await subject.store.counts(LINK)).toEqual(countsOf({}));
      expect(await subject.store.journal(LINK, { open: true })).toEqual([]);
      expect(await subject.store.conflicts(LINK, { all: true })).toEqual([]);
      expect(await subject.store.runs(LINK, { idPrefix: 'run' })).toHaveLength(1);
      expect(await subject.store.halves('other', { by: 'all' })).toHaveLength(3);
      expect(await subject.store.journal('other', { open: true })).toHaveLength(1);
      await commit(...newPair('l1', 'r1'));
      expect(await subject.store.counts(LINK)).toEqual(countsOf({ pairs: 1, present: [1, 1] }));
    });
  });
};
