import { beforeEach, describe, expect, it } from 'vitest';
import { EMPTY_CONTACT } from '../../../src/contact/contact.ts';
import type { ContactRecord } from '../../../src/contact/record.ts';
import type { RowDigest } from '../../../src/providers/remote.ts';
import { openStore } from '../../../src/store/sqlite-store.ts';
import type { SideValue, StagedPage, Store, StoreChange } from '../../../src/store/store.ts';

const LINK = 'default';
const [ADA, BEN] = ['people/c1', 'people/c2'];
const ADA_ROW: RowDigest = { id: ADA, digest: 'digest of Ada' };

let store: Store;

const record = (id: string, change: Partial<ContactRecord> = {}): ContactRecord => ({
  id,
  version: '1',
  modifiedAtMs: 1_000,
  contact: { ...EMPTY_CONTACT, firstName: 'Ada' },
  groupIds: [],
  raw: '{}',
  originId: null,
  ...change,
});

const value = (of: ContactRecord, change: Partial<SideValue> = {}): SideValue => {
  return { record: of, base: { contact: of.contact, groupIds: of.groupIds }, unsettled: false, ...change };
};

const ada = record(ADA, { digest: ADA_ROW.digest });

const pairOf = (left: SideValue | null): StoreChange => {
  const right = value(record('contact_1', { digest: 'digest of Ada there' }));
  return { kind: 'pair', pairId: null, status: 'linked', left, right, writtenSide: null, atMs: 1 };
};

const page = (change: Partial<StagedPage>): StagedPage => {
  const nothing = { upserts: [], tombstones: [], unchanged: [], unreadable: [], resume: null, cursor: null };
  return { ...nothing, atMs: 5, ...change };
};

const stage = (upsert: ContactRecord, previousIds: readonly string[] = []): Promise<number> =>
  store.stagePage(LINK, 'left', page({ upserts: [{ record: upsert, previousIds }] }));

const known = async (rows: readonly RowDigest[] = [ADA_ROW]): Promise<string[]> => [
  ...(await store.knownRows(LINK, 'left', rows)),
];

beforeEach(async () => {
  store = openStore(':memory:');
  await store.commit(LINK, [pairOf(value(ada))]);
});

describe('R1: a row is known', () => {
  it('by the id and the digest that its pair holds, on its own side and in its own link', async () => {
    expect(await known()).toEqual([ADA_ROW.digest]);
    const there = { id: 'contact_1', digest: 'digest of Ada there' };
    expect([...(await store.knownRows(LINK, 'right', [there, ADA_ROW]))]).toEqual([there.digest]);
    expect([...(await store.knownRows(LINK, 'left', [there]))]).toEqual([]);
    expect([...(await store.knownRows('another', 'left', [ADA_ROW]))]).toEqual([]);
  });

  it('not by one of the two', async () => {
    expect(await known([{ id: ADA, digest: 'another' }])).toEqual([]);
    expect(await known([{ id: BEN, digest: ADA_ROW.digest }])).toEqual([]);
    expect(await known([])).toEqual([]);
  });

  it('also where its contact is left alone', async () => {
    const alone = {
      kind: 'pair',
      pairId: null,
      left: value(ada),
      right: null,
      writtenSide: null,
      atMs: 1,
    } as const;
    for (const status of ['kept', 'dormant'] as const) {
      await store.commit(LINK, [{ ...alone, status }]);
      expect(await known()).toEqual([ADA_ROW.digest]);
    }
  });

  it('and the same contact read anew with another digest makes it unknown', async () => {
    const fresh = { ...ada, version: '2', digest: 'the next row' };
    expect(await stage(fresh)).toBe(0);
    expect(await known()).toEqual([]);
    expect(await known([{ id: ADA, digest: 'the next row' }])).toEqual(['the next row']);
    expect(await stage(record(ADA))).toBe(0);
    expect(await known([{ id: ADA, digest: 'the next row' }])).toEqual([]);
  });

  it('once what was outstanding of it is found settled', async () => {
    await store.commit(LINK, [pairOf(value(ada, { unsettled: true }))]);
    expect(await stage(ada)).toBe(0);
    expect(await known()).toEqual([ADA_ROW.digest]);
  });

  it('after a migration when it was read once more', async () => {
    await store.commit(LINK, [pairOf(value(record(ADA)))]);
    expect(await known()).toEqual([]);
    expect(await stage(ada)).toBe(0);
    expect(await known()).toEqual([ADA_ROW.digest]);
  });
});

describe('R1: a row is not known', () => {
  it('where the base says something else: what is outstanding is staged again', async () => {
    const base = { contact: { ...ada.contact, title: 'Countess' }, groupIds: [] };
    await store.commit(LINK, [pairOf(value(ada, { base }))]);
    expect(await known()).toEqual([]);
    expect(await stage(ada)).toBe(1);
  });

  const stagings: Readonly<Record<string, () => Promise<unknown>>> = {
    'an edit is staged': () => stage(record(ADA, { modifiedAtMs: 2_000, contact: EMPTY_CONTACT, digest: 'edited' })),
    'its change has not arrived on the other side': () => store.commit(LINK, [pairOf(value(ada, { unsettled: true }))]),
    'a deletion is staged': () => store.stagePage(LINK, 'left', page({ tombstones: [ADA] })),
    'it was missing and must be read (R7)': () =>
      store.commit(LINK, [{ kind: 'stage-settling', side: 'left', id: ADA, atMs: 2 }]),
    'an earlier listing missed it (R7)': async () => {
      await store.beginListing(LINK, 'left', 2);
      await store.stagePage(LINK, 'left', page({ cursor: 'c' }));
      await store.finishListing(LINK, 'left');
      expect(await store.missing(LINK, 'left')).toHaveLength(1);
    },
    'it goes by another id now (R12)': () => stage(record(BEN, { digest: 'Ada renamed' }), [ADA]),
    'its pair is gone': async () => {
      const [pair] = await store.pairsWith(LINK, { ids: [ADA], pairIds: [] });
      await store.commit(LINK, [{ kind: 'drop-pair', pairId: pair?.id ?? 0 }]);
    },
    'the mapping was forgotten (R8)': () => store.replaceAccount(LINK, 'left', 'another'),
    'a write changed its membership': () => store.commit(LINK, [pairOf(value(record(ADA, { groupIds: ['g'] })))]),
  };
  it.each(Object.keys(stagings))('where %s', async (name) => {
    await stagings[name]?.();
    expect(await known()).toEqual([]);
  });
});

describe('R7: a listing of known rows', () => {
  const list = async (change: Partial<StagedPage>) => {
    await store.beginListing(LINK, 'left', 10);
    await store.stagePage(LINK, 'left', page({ ...change, cursor: 'c', atMs: 11 }));
    return store.finishListing(LINK, 'left');
  };

  it('shows them: nothing is missing, and nothing was staged', async () => {
    expect(await list({ unchanged: [ADA] })).toEqual({ seen: 1, paired: 1, pairedSeen: 1 });
    expect(await store.missing(LINK, 'left')).toEqual([]);
    expect((await store.workload(LINK, [])).pairs).toEqual([]);
    expect(await list({})).toEqual({ seen: 0, paired: 1, pairedSeen: 0 });
    expect(await store.missing(LINK, 'left')).toHaveLength(1);
  });

  it('forgives earlier absences', async () => {
    await store.commit(LINK, [{ kind: 'absent-again', side: 'left', id: ADA }]);
    await list({ unchanged: [ADA] });
    await list({});
    expect(await store.missing(LINK, 'left')).toMatchObject([{ id: ADA, absences: 0 }]);
  });
});
