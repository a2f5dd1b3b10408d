import { describe, expect, it } from 'vitest';
import { EMPTY_CONTACT } from '../../../src/core/contact/contact.ts';
import type { Half } from '../../../src/core/contact/half.ts';
import { countsOf, halfOf, newPair, pairOf, putHalf, putOf, recordOf } from '../../support/store/rows.ts';
import { LINK, type StoreSubject } from './store-subject.ts';

const byId = (one: { readonly id: string }, other: { readonly id: string }): number => (one.id < other.id ? -1 : 1);

/** Halves, known rows and pairs. */
export const halvesContract = (name: string, subject: StoreSubject): void => {
  const { acquire, commit, halfNamed, ids, pairIdOf } = subject;

  describe(`${name}: halves`, () => {
    it('are returned with all the values that were stored', async () => {
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
        editWrittenAtMs: 6,
        heardAtMs: 8,
      });
      await commit({ kind: 'put', table: 'halves', row: { half, digest: null } }, putHalf('r1', { side: 'right' }));
      expect(await subject.store.halves(LINK, { by: 'all' })).toEqual([half, halfOf('r1', { side: 'right' })]);
    });

    it('have their own base, whether it equals the record or not', async () => {
      const record = recordOf('l1');
      const { contact, groupIds } = record;
      const changed = { ...contact, title: 'Countess' };
      await commit(
        putHalf('l1', { base: { contact: { ...contact }, groupIds: [...groupIds] } }),
        putHalf('l2', { base: { contact: changed, groupIds } }),
        putHalf('l3', { base: { contact, groupIds: ['g1'] } }),
        putHalf('l4', { base: null }),
      );
      const bases = (await subject.store.halves(LINK, { by: 'all' })).map(({ base }) => base);
      expect(bases).toEqual([
        { contact, groupIds },
        { contact: changed, groupIds },
        { contact, groupIds: ['g1'] },
        null,
      ]);
    });

    it('are replaced completely by side and id', async () => {
      await commit(putHalf('x', { absences: 3, mergedInto: 'y', writtenAtMs: 4 }), putHalf('x', { side: 'right' }));
      const next = halfOf('x', { state: 'changed', base: null, record: recordOf('x', { version: '2' }) });
      await commit({ kind: 'put', table: 'halves', row: { half: next, digest: null } });
      expect(await subject.store.halves(LINK, { by: 'all' })).toEqual([next, halfOf('x', { side: 'right' })]);
    });

    it('are dropped by side and id', async () => {
      await commit(putHalf('x'), putHalf('x', { side: 'right' }), {
        kind: 'drop',
        table: 'halves',
        where: { side: 'left', id: 'x' },
      });
      expect(await subject.store.halves(LINK, { by: 'all' })).toEqual([halfOf('x', { side: 'right' })]);
      await commit({ kind: 'drop', table: 'halves', where: { side: 'left', id: 'unknown' } });
    });

    it('belong to one link', async () => {
      await commit(putHalf('x'));
      const other = await acquire('other');
      await subject.store.commit('other', other, [putHalf('x', { absences: 9 }), putHalf('y')]);
      expect(await subject.store.halves(LINK, { by: 'all' })).toEqual([halfOf('x')]);
      expect(await subject.store.counts(LINK)).toEqual(countsOf({ present: [1, 0], unselected: [1, 0] }));
    });

    it('are found by id on one side, each once, sorted by id', async () => {
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
      await commit(...newPair('l1', 'r1'), ...newPair('l2', 'r2'), putHalf('l3'));
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
        putHalf('r2', { side: 'right', state: 'unseen' }),
        putHalf('r3', { side: 'right', state: 'gone' }),
      );
      expect(await ids({ by: 'state', states: ['changed'] })).toEqual(['l1', 'r1']);
      expect(await ids({ by: 'state', states: ['changed'], side: 'right' })).toEqual(['r1']);
      expect(await ids({ by: 'state', states: ['missing', 'unseen', 'gone'] })).toEqual(['l2', 'r2', 'r3']);
      expect(await ids({ by: 'state', states: ['settled'] })).toEqual(['l3']);
      expect(await ids({ by: 'state', states: ['settled', 'gone'], side: 'right' })).toEqual(['r3']);
      expect(await ids({ by: 'state', states: [] })).toEqual([]);
    });

    it('are not found by a former state', async () => {
      await commit(putHalf('l1', { state: 'changed' }));
      await commit(putHalf('l1'));
      expect(await ids({ by: 'state', states: ['changed'] })).toEqual([]);
    });

    it('are replaced except for the record if they keep their record', async () => {
      const before = halfOf('x', { base: null, record: recordOf('x') });
      const next = halfOf('x', {
        state: 'changed',
        record: before.record,
        base: { contact: before.record.contact, groupIds: ['g1'] },
        absences: 2,
        lastListedAtMs: 5,
        writtenAtMs: 6,
        editWrittenAtMs: 5,
        heardAtMs: 7,
        mergedInto: 'y',
      });
      const other = halfOf('x', { side: 'right' });
      await commit(
        { kind: 'put', table: 'halves', row: { half: before, digest: 'd' } },
        { kind: 'put', table: 'halves', row: { half: other, digest: null } },
      );
      const digest = 'e';
      await commit({ kind: 'put', table: 'halves', row: { half: next, digest, keepsRecord: true } });
      expect(await subject.store.halves(LINK, { by: 'all' })).toEqual([next, other]);
      expect(await subject.store.known(LINK, 'left', [{ id: 'x', digest }])).toEqual(new Set([digest]));
    });

    it('are alone if their pair is kept or dormant, not if it is linked or missing', async () => {
      await commit(
        ...newPair('l1', 'r1'),
        ...newPair('l2', 'r2', 'kept'),
        ...newPair('l3', 'r3', 'dormant'),
        putHalf('l4'),
      );
      expect(await ids({ by: 'alone' })).toEqual(['l2', 'l3', 'r2', 'r3']);
    });

    it('are unselected if they are settled and have no pair', async () => {
      await commit(
        ...newPair('l1', 'r1'),
        putHalf('l2'),
        putHalf('l3', { state: 'changed' }),
        putHalf('l4', { state: 'gone' }),
      );
      await commit(putHalf('r2', { side: 'right' }));
      expect(await ids({ by: 'unselected' })).toEqual(['l2', 'r2']);
    });

    it('are found by the groups in their record, with any pair or none', async () => {
      const member = (id: string, groupIds: string[], title = '') => {
        return { record: recordOf(id, { groupIds, contact: { ...EMPTY_CONTACT, title } }) };
      };
      await commit(
        ...pairOf('linked', putOf('l1', member('l1', ['g1', 'g2']))),
        ...pairOf('linked', putOf('l2', member('l2', ['g"3"']))),
        ...pairOf('linked', putOf('l3', member('l3', ['g11'], 'g1'))),
        ...pairOf('kept', putOf('l4', member('l4', ['g1']))),
        ...pairOf('linked', putOf('r1', { side: 'right', ...member('r1', ['g1']) })),
        putHalf('l5', { state: 'gone', ...member('l5', ['g1']) }),
      );
      const members = async (...groupIds: string[]) => (await subject.store.members(LINK, groupIds)).toSorted(byId);
      const pair = expect.any(Number) as number;
      expect(await members('g1')).toEqual([
        { side: 'left', id: 'l1', pair, state: 'settled', groupId: 'g1' },
        { side: 'left', id: 'l4', pair, state: 'settled', groupId: 'g1' },
        { side: 'left', id: 'l5', pair: null, state: 'gone', groupId: 'g1' },
        { side: 'right', id: 'r1', pair, state: 'settled', groupId: 'g1' },
      ]);
      expect(await members('g2', 'g"3"')).toMatchObject([
        { id: 'l1', groupId: 'g2' },
        { id: 'l2', groupId: 'g"3"' },
      ]);
      expect((await members('g1', 'g2')).map(({ id }) => id)).toEqual(['l1', 'l1', 'l4', 'l5', 'r1']);
      expect(await members()).toEqual([]);
    });

    it('of a side are found by the email addresses in their record', async () => {
      const holder = (id: string, address: string, half: Partial<Half> = {}) => {
        const contact = { ...EMPTY_CONTACT, emailAddresses: [{ value: address, label: null }] };
        return putHalf(id, { ...half, record: recordOf(id, { contact }) });
      };
      await commit(
        holder('l1', 'Family@Example.org'),
        holder('l2', 'JOSÉ@example.org', { state: 'gone' }),
        holder('l3', 'a"family@example.org'),
        putHalf('l4', { record: recordOf('l4', { contact: { ...EMPTY_CONTACT, title: 'family@example.org' } }) }),
        holder('l5', 'Family@Müller.example'),
        holder('l6', ' eve@example.org'),
        holder('l7', 'eve@example.org\t'),
        holder('r1', 'family@example.org', { side: 'right' }),
      );
      const byEmail = (...keys: string[]) => ids({ by: 'email', side: 'left', keys });
      expect(await byEmail('family@example.org')).toEqual(['l1']);
      expect(await byEmail('josé@example.org', 'a"family@example.org')).toEqual(['l2', 'l3']);
      expect(await byEmail('family@xn--mller-kva.example')).toEqual(['l5']);
      expect(await byEmail('eve@example.org')).toEqual(['l6', 'l7']);
      expect(await byEmail()).toEqual([]);
    });

    it('are listed for one side without their records', async () => {
      await commit(
        putHalf('l2', { state: 'missing', absences: 2, heardAtMs: 9 }),
        ...newPair('l1', 'r1'),
        putHalf('l3', { state: 'changed' }),
      );
      const pair = await pairIdOf('l1');
      const keys = await subject.store.index(LINK, 'left');
      expect(keys.toSorted(byId)).toEqual([
        { id: 'l1', pair, state: 'settled', absences: 0, heardAtMs: 5 },
        { id: 'l2', pair: null, state: 'missing', absences: 2, heardAtMs: 9 },
        { id: 'l3', pair: null, state: 'changed', absences: 0, heardAtMs: 5 },
      ]);
      expect(await subject.store.index(LINK, 'right')).toMatchObject([{ id: 'r1', pair }]);
    });

    it('are counted as present unless they are missing or gone', async () => {
      await commit(
        ...newPair('l1', 'r1'),
        ...newPair('l2', 'r2', 'kept'),
        putHalf('l3', { state: 'missing' }),
        putHalf('l4', { state: 'gone' }),
        putHalf('l5', { state: 'unseen' }),
        putHalf('r3', { side: 'right', state: 'changed' }),
      );
      await commit(...newPair('l6', 'r6', 'dormant'), putHalf('l7'));
      const counts = { pairs: 1, present: [5, 4], unselected: [1, 0] } as const;
      expect(await subject.store.counts(LINK)).toEqual(countsOf(counts));
    });

    it('are present on a side unless all its halves are missing or gone', async () => {
      const other = await acquire('other');
      await subject.store.commit('other', other, [putHalf('l1'), putHalf('r1', { side: 'right' })]);
      expect(await subject.store.anyPresent(LINK)).toEqual({ left: false, right: false });
      await commit(putHalf('l1', { state: 'missing' }), putHalf('l2', { state: 'gone' }));
      await commit(putHalf('r1', { side: 'right', state: 'unseen' }));
      expect(await subject.store.anyPresent(LINK)).toEqual({ left: false, right: true });
      await commit(putHalf('l2', { state: 'changed' }), {
        kind: 'drop',
        table: 'halves',
        where: { side: 'right', id: 'r1' },
      });
      expect(await subject.store.anyPresent(LINK)).toEqual({ left: true, right: false });
    });
  });

  describe(`${name}: known rows`, () => {
    const known = async (...rows: { id: string; digest: string }[]): Promise<string[]> => [
      ...(await subject.store.known(LINK, 'left', rows)),
    ];

    it('are rows whose digest equals that of the half with the same id, side and link', async () => {
      const other = await acquire('other');
      await subject.store.commit('other', other, [putHalf('l1', {}, 'elsewhere')]);
      await commit(putHalf('l1', {}, 'd1'), putHalf('l2', {}, 'd2'), putHalf('r1', { side: 'right' }, 'd3'));
      expect(await known({ id: 'l1', digest: 'd1' }, { id: 'l2', digest: 'd2' })).toEqual(['d1', 'd2']);
      expect(await known({ id: 'l1', digest: 'd2' }, { id: 'l2', digest: 'another' })).toEqual([]);
      expect(await known({ id: 'r1', digest: 'd3' }, { id: 'l1', digest: 'elsewhere' })).toEqual([]);
      expect([...(await subject.store.known(LINK, 'right', [{ id: 'r1', digest: 'd3' }]))]).toEqual(['d3']);
      expect(await known()).toEqual([]);
    });

    it('may share a digest', async () => {
      await commit(putHalf('l1', {}, 'd'), putHalf('l2', {}, 'd'));
      expect(await known({ id: 'l2', digest: 'd' }, { id: 'unknown', digest: 'd' })).toEqual(['d']);
    });

    it('have the digest of the last write only, and are unknown without a digest or after a drop', async () => {
      await commit(putHalf('l1', {}, 'd1'), putHalf('l2', {}, 'd2'), putHalf('l3', {}, 'd3'));
      await commit(putHalf('l1', {}, 'next'), putHalf('l2'), {
        kind: 'drop',
        table: 'halves',
        where: { side: 'left', id: 'l3' },
      });
      const rows = ['d1', 'd2', 'd3', 'next'].map((digest) => ({
        id: digest === 'next' ? 'l1' : `l${digest[1]}`,
        digest,
      }));
      expect(await known(...rows)).toEqual(['next']);
    });
  });

  describe(`${name}: pairs`, () => {
    it('get unique ids, which their halves contain', async () => {
      const made = await commit(...newPair('l1', 'r1'), ...newPair('l2', 'r2', 'kept'));
      const [one, two] = [await pairIdOf('l1'), await pairIdOf('l2')];
      expect(made).toEqual([one, two]);
      expect(one).not.toBe(two);
      expect(await halfNamed('r1', 'right')).toMatchObject({ pair: one });
      expect(await subject.store.pairs(LINK, [two, one, 999_999])).toEqual(
        [
          { id: one, status: 'linked' },
          { id: two, status: 'kept' },
        ].toSorted((a, b) => a.id - b.id),
      );
      expect(await subject.store.pairs(LINK, [])).toEqual([]);
      expect(await subject.store.pairs('other', [one])).toEqual([]);
    });

    it('get another status and further halves by their id', async () => {
      await commit(...newPair('l1', 'r1'), putHalf('l2'));
      const id = await pairIdOf('l1');
      await commit({ kind: 'put', table: 'pairs', row: { id, status: 'dormant' } }, putHalf('l2', { pair: id }));
      expect(await subject.store.pairs(LINK, [id])).toEqual([{ id, status: 'dormant' }]);
      expect(await ids({ by: 'pair', pairs: [id] })).toEqual(['l1', 'l2', 'r1']);
      expect(await ids({ by: 'alone' })).toEqual(['l1', 'l2', 'r1']);
      expect(await subject.store.counts(LINK)).toMatchObject({ pairs: 0 });
    });

    it('are dropped without their halves, and their ids are not used again', async () => {
      await commit(...newPair('l1', 'r1'));
      const id = await pairIdOf('l1');
      await commit({ kind: 'drop', table: 'pairs', where: { id } });
      expect(await subject.store.pairs(LINK, [id])).toEqual([]);
      expect(await ids({ by: 'pair', pairs: [id] })).toEqual(['l1', 'r1']);
      expect(await ids({ by: 'alone' })).toEqual([]);
      expect(await subject.store.counts(LINK)).toEqual(countsOf({ present: [1, 1] }));
      await commit(...newPair('l2', 'r2'));
      expect(await pairIdOf('l2')).toBeGreaterThan(id);
    });
  });
};
