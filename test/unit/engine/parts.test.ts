import { NO_CURSOR, type StoreChange } from '../../../src/core/state/rows.ts';
import { expect, test } from 'vitest';
import { EMPTY_CONTACT } from '../../../src/core/contact/contact.ts';
import { bySide, SIDES, type Side } from '../../../src/core/contact/side.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { divideContacts } from '../../../src/engine/parts.ts';
import { emptyTally } from '../../../src/engine/tally.ts';
import { policyWith } from '../core/reconcile/support.ts';
import { putHalf, recordOf } from '../../support/store/rows.ts';

const LINK = 'default';
const CONTACTS = 600;

const newcomer = (side: Side, index: number, groupIds: readonly string[] = []): StoreChange => {
  const id = `${side} ${index}`;
  const record = recordOf(id, { groupIds, contact: { ...EMPTY_CONTACT, firstName: `Person ${index}` } });
  return putHalf(id, { side, record, base: null, state: 'changed' });
};

const PEOPLE = Array.from({ length: CONTACTS }, (_, index) => index);
/** Both sides have the same contacts. */
const ON_BOTH_SIDES = SIDES.flatMap((side) => PEOPLE.map((index) => newcomer(side, index)));

/** Opens a store that has new contacts and no pair. */
const openMeeting = async (newcomers = ON_BOTH_SIDES) => {
  const store = openStore(':memory:');
  const token = (await store.acquireLease(LINK, 'owner', 0, 1_000_000)) ?? 0;
  await store.commit(LINK, token, newcomers);
  const state = await store.link(LINK);
  const session = {
    kind: 'full',
    link: LINK,
    policy: policyWith({}),
    partSize: 200,
    startedAtMs: 0,
    endpoints: { left: 'left', right: 'right' },
    remotes: bySide(() => ({ capabilities: { namesDeletions: true } })),
    signal: AbortSignal.timeout(60_000),
    state: () => state,
    store,
    tally: emptyTally(),
  } as const;
  return { session, [Symbol.asyncDispose]: () => store.close() };
};

test('[R13] two contacts of equal content are in one part, and each contact is in exactly one part', async () => {
  await using meeting = await openMeeting();
  const division = await divideContacts(meeting.session, { links: [] });
  const all = [division?.first.ids ?? { left: [], right: [] }, ...(division?.later ?? []).map(({ ids }) => ids)];
  const people = (ids: readonly string[]) => new Set(ids.map((id) => id.split(' ')[1]));
  expect(all.map(({ left, right }) => `${left.length} ${right.length}`)).toEqual(Array(6).fill('100 100'));
  for (const { left, right } of all) expect(people(left)).toEqual(people(right));
  expect(bySide((side) => new Set(all.flatMap((ids) => ids[side])).size)).toEqual({ left: CONTACTS, right: CONTACTS });
});

test('[R11] new contacts of one group are in the smallest possible number of parts', async () => {
  const groupOf = (index: number): string => `g${index % 6}`;
  const known = putHalf('left', { record: recordOf('left', { groupIds: ['g0'] }) });
  const newcomers = PEOPLE.map((index) => newcomer('left', index, [groupOf(index), 'g9']));
  await using meeting = await openMeeting([known, ...newcomers]);
  const links = ['g0', 'g1', 'g2', 'g3', 'g4', 'g5'].map((id) => ({ key: id, left: id, right: null, isUnited: true }));
  const division = await divideContacts(meeting.session, { links });
  const all = [division?.first.ids ?? { left: [] }, ...(division?.later ?? []).map(({ ids }) => ids)];
  const groups = all.map(({ left }) => new Set(left.map((id) => groupOf(Number(id.split(' ')[1])))).size);
  expect(all.map(({ left }) => left.length)).toEqual([200, 200, 200]);
  expect(groups).toEqual([2, 2, 2]);
});

test('a lease can be renewed while many contacts are divided', async () => {
  await using meeting = await openMeeting();
  let turns = 0;
  const count = (): void => {
    turns += 1;
    pending = setImmediate(count);
  };
  let pending = setImmediate(count);
  await divideContacts(meeting.session, { links: [] });
  clearImmediate(pending);
  expect(turns).toBeGreaterThan(4);
});

test('[R12] a contact of a side that reports no deletions is in a later part only if the side was listed in this run', async () => {
  await using meeting = await openMeeting([
    ...PEOPLE.map((index) => newcomer('left', index)),
    { kind: 'put', table: 'cursors', row: { side: 'left', ...NO_CURSOR, listedAtMs: 1_000 } },
  ]);
  const session = {
    ...meeting.session,
    kind: 'incremental' as const,
    remotes: bySide(() => ({ capabilities: { namesDeletions: false } })),
    tally: { ...emptyTally(), left: { ...emptyTally().left, pulled: CONTACTS } },
  };
  const laterAfter = async (startedAtMs: number) =>
    (await divideContacts({ ...session, startedAtMs }, { links: [] }))?.later.length;
  expect([await laterAfter(1_000), await laterAfter(1_001)]).toEqual([2, 0]);
});

test('the parts state how many of their contacts have no counterpart', async () => {
  const newcomers = PEOPLE.map((index) => newcomer('left', index + CONTACTS));
  await using meeting = await openMeeting([...ON_BOTH_SIDES, ...newcomers]);
  const division = await divideContacts(meeting.session, { links: [] });
  const isAlone = (id: string): boolean => Number(id.slice('left '.length)) >= CONTACTS;
  for (const { creates, ids } of division?.later ?? []) {
    expect(creates).toEqual({ left: 0, right: ids.left.filter(isAlone).length });
  }
  expect(division?.later.length).toBe(8);
});

test('[R9] a contact whose mark names its origin is in one part with that origin, whatever it contains', async () => {
  const marked = putHalf('right made', {
    side: 'right',
    record: recordOf('right made', { contact: { ...EMPTY_CONTACT, firstName: 'Edited' }, originMark: 'made for 7' }),
    base: null,
    state: 'changed',
  });
  await using meeting = await openMeeting([
    marked,
    ...PEOPLE.map((index) => newcomer('left', index)),
    ...PEOPLE.map((index) => newcomer('right', index + CONTACTS)),
  ]);
  const originMarks = async (ids: readonly string[]) =>
    new Map(ids.map((id) => [`made for ${id.slice('left '.length)}`, id] as const));
  const remotes = { ...meeting.session.remotes, right: { ...meeting.session.remotes.right, originMarks } };
  const division = await divideContacts({ ...meeting.session, remotes }, { links: [] });
  const parts = [division?.first.ids, ...(division?.later ?? []).map(({ ids }) => ids)];
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.find((ids) => ids?.right.includes('right made'))?.left).toContain('left 7');
});
