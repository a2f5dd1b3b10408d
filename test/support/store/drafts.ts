import type { StoreChange } from '../../../src/core/state/rows.ts';
import fc from 'fast-check';
import { expect } from 'vitest';
import { EMPTY_CONTACT } from '../../../src/core/contact/contact.ts';
import { HALF_STATES } from '../../../src/core/contact/half.ts';
import { SIDES } from '../../../src/core/contact/side.ts';
import type { Operation } from '../../../src/core/reconcile/operation.ts';
import type { HalfQuery, Member, Store } from '../../../src/store/store.ts';
import { halfOf, operationOf, recordOf, rejectionOf } from './rows.ts';

// Random changes, and all answers of a store after them, for comparing two stores.

export const LINK = 'default';
const FOREVER = 1_000_000;

export const leaseOf = async (store: Store, link: string): Promise<number> =>
  (await store.acquireLease(link, 'owner', 0, FOREVER)) ?? 0;

const ids = ['a', 'b', 'c', 'd'];
const pairIds = [1, 2, 3];
const groups = ['g1', 'g2'];
const digests = ['d1', 'd2'];

/** A change that refers to entries by ordinal, because ids differ between stores. */
export type Draft = Exclude<StoreChange, { kind: 'forget-link' }>;

/** The draft as a change that names its entry by id. */
const withEntryId = (draft: Draft, entries: readonly number[]): StoreChange => {
  // A scratch copy may assign the id of a deleted entry again.
  const idOf = (ordinal: number): number => {
    const entry = entries[ordinal] ?? -1;
    return entries.lastIndexOf(entry) === ordinal ? entry : -1;
  };
  if (draft.kind === 'journal') return { ...draft, id: idOf(draft.id) };
  return draft.kind === 'drop' && draft.table === 'journal' ? { ...draft, where: { id: idOf(draft.where.id) } } : draft;
};

const side = fc.constantFrom(...SIDES);
const id = fc.constantFrom(...ids);
const field = fc.constantFrom('title' as const, 'company' as const);

const half = fc
  .record({
    side,
    id,
    pair: fc.option(fc.constantFrom(...pairIds)),
    formerPair: fc.option(fc.constantFrom(...pairIds)),
    state: fc.constantFrom(...HALF_STATES),
    absences: fc.nat(3),
    lastListedAtMs: fc.option(fc.nat(9)),
    heardAtMs: fc.nat(9),
    groupIds: fc.subarray(groups),
    emailAddresses: fc.subarray([{ value: 'a@example.org', label: null }]),
  })
  .map(({ groupIds, emailAddresses, ...columns }) => {
    const record = recordOf(columns.id, { groupIds, contact: { ...EMPTY_CONTACT, emailAddresses } });
    return halfOf(columns.id, { ...columns, record });
  });
const put = fc.record({ half, digest: fc.option(fc.constantFrom(...digests)) });

const ofPair = fc.record({ leftId: id, pairId: fc.constantFrom(...pairIds) });
const empties = fc.subarray(['title' as const]);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  ofPair.map((each) => operationOf('create', each)),
  ofPair.map((each) => operationOf('delete', each)),
  fc.record({ leftId: id, pairId: fc.constantFrom(...pairIds), empties }).map((each) => operationOf('update', each)),
);

export const draft: fc.Arbitrary<Draft> = fc.oneof(
  { arbitrary: put.map((row): Draft => ({ kind: 'put', table: 'halves', row })), weight: 5 },
  fc.record({ side, id }).map((where): Draft => ({ kind: 'drop', table: 'halves', where })),
  {
    arbitrary: fc
      .record({
        id: fc.constantFrom(...pairIds),
        status: fc.constantFrom('linked' as const, 'kept' as const, 'dormant' as const),
      })
      .map((row): Draft => ({ kind: 'put', table: 'pairs', row })),
    weight: 4,
  },
  fc.constantFrom(...pairIds).map((pair): Draft => ({ kind: 'drop', table: 'pairs', where: { id: pair } })),
  fc.record({ kind: fc.constant('shown' as const), side, ids: fc.subarray(ids) }),
  fc.record({ side }).map((where): Draft => ({ kind: 'drop', table: 'shownPages', where })),
  fc.record({ kind: fc.constant('link' as const), patch: fc.record({ reason: fc.option(fc.constant('why')) }) }),
  fc.record({ kind: fc.constant('intend' as const), run: id, operation, atMs: fc.constantFrom(1, 2) }),
  fc.record({
    kind: fc.constant('journal' as const),
    id: fc.nat(5),
    state: fc.constantFrom('done' as const, 'failed' as const),
    after: fc.option(id.map((each) => recordOf(each))),
    error: fc.constant(null),
    atMs: fc.nat(9),
  }),
  fc.record({
    kind: fc.constant('conflict' as const),
    run: fc.constant('run'),
    leftId: id,
    rightId: id,
    conflict: fc.record({ field, left: fc.constant('1'), right: fc.constant('2'), winner: side }),
    atMs: fc.constant(1),
  }),
  fc.record({
    kind: fc.constant('end-conflicts' as const),
    leftId: id,
    fields: fc.oneof(fc.subarray(['title' as const]), fc.constant('all' as const)),
    atMs: fc.nat(9),
  }),
  fc.record({
    kind: fc.constant('decide-conflict' as const),
    leftId: id,
    field,
    decided: fc.constantFrom('left' as const, 'right' as const, null),
  }),
  fc.record({ leftId: id }).map((where): Draft => ({ kind: 'drop', table: 'conflicts', where })),
  fc.record({ side, key: id }).map((each): Draft => ({ kind: 'put', table: 'rejections', row: rejectionOf(each) })),
  fc.record({ side, key: id }).map((where): Draft => ({ kind: 'drop', table: 'rejections', where })),
  fc
    .record({ leftId: id, rightId: id, says: fc.constantFrom('together' as const, 'apart' as const), atMs: fc.nat(9) })
    .map((verdict): Draft => ({ kind: 'put', table: 'verdicts', row: verdict })),
  fc.record({ leftId: id, rightId: id }).map((where): Draft => ({ kind: 'drop', table: 'verdicts', where })),
  fc.record({
    kind: fc.constant('patch-run' as const),
    id,
    set: fc.record({
      outcome: fc.constantFrom('completed' as const, 'failed' as const),
      reason: fc.constant(null),
      summary: fc.constant({}),
      endedAtMs: fc.nat(9),
    }),
  }),
  fc.constant<Draft>({ kind: 'forget-mapping' }),
  fc.record({ kind: fc.constant('prune' as const), beforeMs: fc.nat(12) }),
  fc.record({ id: fc.nat(5) }).map((where): Draft => ({ kind: 'drop', table: 'journal', where })),
);

/** The drafts of a commit with its prunes last. */
const prunedLast = (drafts: readonly Draft[]): readonly Draft[] => [
  ...drafts.filter(({ kind }) => kind !== 'prune'),
  ...drafts.filter(({ kind }) => kind === 'prune'),
];

/** Commits drafts to a store, several in one commit. `entries` maps ordinals to ids of entries. */
export const playTogether = async (
  store: Store,
  entries: number[],
  commits: readonly (readonly Draft[])[],
): Promise<void> => {
  const token = await leaseOf(store, LINK);
  for (const drafts of commits.map(prunedLast)) {
    const changes = drafts.map((each) => withEntryId(each, entries));
    entries.push(...(await store.commit(LINK, token, changes)));
  }
};

/** Commits drafts to a store one by one. */
export const play = (store: Store, entries: number[], drafts: readonly Draft[]): Promise<void> =>
  playTogether(
    store,
    entries,
    drafts.map((each) => [each]),
  );

const QUERIES: readonly HalfQuery[] = [
  { by: 'all' },
  { by: 'alone' },
  { by: 'unselected' },
  { by: 'email', side: 'left', keys: ['a@example.org'] },
  { by: 'pair', pairs: [1, 3] },
  { by: 'id', side: 'left', ids: ['a', 'b'] },
  ...HALF_STATES.map((state) => ({ by: 'state', states: [state] }) as const),
  { by: 'state', states: ['changed', 'gone'], side: 'right' },
];

const byId = <Row extends { readonly id: string }>(rows: readonly Row[]): Row[] =>
  rows.toSorted((one, other) => (one.id < other.id ? -1 : 1));

/** Sorts members of both sides; an id may be on each. */
const byName = (rows: readonly Member[]): Member[] => {
  const nameOf = (member: Member): string => `${member.side} ${member.id} ${member.groupId}`;
  return rows.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
};

/** All answers of a store, with ordinals in place of the ids of entries and conflicts. */
export const everything = async (store: Store, entries: readonly number[]) => {
  const journal = async (query: Parameters<Store['journal']>[1]) =>
    (await store.journal(LINK, query)).map((row) => ({ ...row, id: entries.lastIndexOf(row.id) }));
  const conflicts = async (all: boolean) => (await store.conflicts(LINK, { all })).map(({ id: _id, ...row }) => row);
  const known = digests.flatMap((digest) => ids.map((each) => ({ id: each, digest })));
  const open: HalfQuery = { by: 'state', states: HALF_STATES.filter((state) => state !== 'settled') };
  // The first read of a run equals the answers to its queries.
  expect(await store.opening(LINK)).toEqual({
    state: await store.link(LINK),
    openJournal: await store.journal(LINK, { open: true }),
    conflicts: await store.conflicts(LINK, { all: false }),
    hasCompletedRun: (await store.runs(LINK, { latest: 'completed' })).length > 0,
    anyPresent: await store.anyPresent(LINK),
    open: await store.halves(LINK, open),
    alone: await store.halves(LINK, { by: 'alone' }),
  });
  return {
    links: await store.links(),
    halves: await Promise.all(QUERIES.map((query) => store.halves(LINK, query))),
    members: byName(await store.members(LINK, ['g1'])),
    pairs: await store.pairs(LINK, pairIds),
    anyPresent: await store.anyPresent(LINK),
    counts: await store.counts(LINK),
    sides: await Promise.all(
      SIDES.map(async (each) => ({
        index: byId(await store.index(LINK, each)),
        shown: await store.shown(LINK, each),
        known: [...(await store.known(LINK, each, known))].toSorted(),
      })),
    ),
    open: await journal({ open: true }),
    deletions: await journal({ deletions: true }),
    destroyed: await journal({ destroyedSinceMs: 2 }),
    runJournal: await journal({ run: 'a' }),
    pages: [await journal({ fromId: 0, limit: 2 }), await journal({ fromId: entries[1] ?? 0, limit: 9 })],
    scope: await journal({ ids: ['a'], pairIds: [2] }),
    runs: await store.runs(LINK, { idPrefix: '' }),
    latest: await Promise.all(
      (['ended', 'completed', 'writing'] as const).map((latest) => store.runs(LINK, { latest })),
    ),
    conflicts: [await conflicts(true), await conflicts(false)],
  };
};

export const started = ids.map((run, index): Draft => {
  return { kind: 'run-started', run: { id: run, kind: 'full', undoes: null, startedAtMs: index } };
});
