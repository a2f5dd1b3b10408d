import { beforeEach, expect, it } from 'vitest';
import { EMPTY_CONTACT } from '../../../src/contact/contact.ts';
import type { ContactRecord } from '../../../src/contact/record.ts';
import { openStore } from '../../../src/store/sqlite-store.ts';
import type { StagedPage, Store, StoreChange } from '../../../src/store/store.ts';

const LINK = 'default';

let store: Store;

const record = (id: string): ContactRecord => ({
  id,
  version: '1',
  modifiedAtMs: 1_000,
  contact: { ...EMPTY_CONTACT, firstName: 'Ada' },
  groupIds: [],
  raw: '{}',
  originId: null,
});

const pairOf = (leftId: string, rightId: string): Extract<StoreChange, { kind: 'pair' }> => {
  const half = (id: string) => {
    const { contact, groupIds } = record(id);
    return { record: record(id), base: { contact, groupIds }, unsettled: false };
  };
  const sides = { left: half(leftId), right: half(rightId) };
  return { kind: 'pair', pairId: null, status: 'linked', ...sides, writtenSide: null, atMs: 1 };
};

const page = (change: Partial<StagedPage>): Promise<number> => {
  const nothing = { upserts: [], tombstones: [], unchanged: [], unreadable: [], resume: null, cursor: null };
  return store.stagePage(LINK, 'left', { ...nothing, atMs: 5, ...change });
};

/** The Google halves of what a run has to look at. */
const halves = async (): Promise<unknown[]> => {
  const { pairs } = await store.workload(LINK, []);
  return pairs.map(({ left }) => (left.kind === 'present' ? left.record.id : left));
};

const gone = (mergedInto: string | null) => expect.objectContaining({ kind: 'gone', id: 'loser', mergedInto });

beforeEach(async () => {
  store = openStore(':memory:');
  await store.commit(LINK, [pairOf('heir', 'contact_1'), pairOf('loser', 'contact_2')]);
  await page({ upserts: [{ record: record('heir'), previousIds: ['loser'] }] });
});

it('R12: a contact that was merged away is looked at together with the one it was merged into', async () => {
  expect(await halves()).toEqual(['heir', gone('heir')]);
});

it('R12: into which contact one was merged is not forgotten when its deletion is told once more', async () => {
  await page({ tombstones: ['loser'] });
  await store.commit(LINK, [{ kind: 'stage-tombstone', side: 'left', id: 'loser', atMs: 6 }]);
  expect(await halves()).toEqual(['heir', gone('heir')]);
});

it('R12: into which contact one was merged is known by its new id where that one is renamed', async () => {
  await page({ upserts: [{ record: record('renamed'), previousIds: ['heir'] }] });
  expect(await halves()).toEqual([expect.anything(), gone('renamed')]);
});

it('R12: a contact that stands there again was not merged away', async () => {
  await page({ upserts: [{ record: { ...record('loser'), groupIds: ['g'] }, previousIds: [] }] });
  await page({ tombstones: ['loser'] });
  expect(await halves()).toEqual([gone(null)]);
});

it('R12: a contact whose place in a pair goes to another one is looked at anew', async () => {
  await store.commit(LINK, [{ ...pairOf('other', 'contact_1'), writtenSide: 'left' }]);
  const { pairs, unpaired } = await store.workload(LINK, []);
  expect(pairs.map(({ left }) => left)).not.toContainEqual(expect.objectContaining({ id: 'heir' }));
  expect(unpaired.left).toEqual([record('heir')]);
});
