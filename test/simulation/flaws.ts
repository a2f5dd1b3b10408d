import type { HalfPut, StoreChange } from '../../src/core/state/rows.ts';
import type { Half } from '../../src/core/contact/half.ts';
import { otherSide } from '../../src/core/contact/side.ts';
import { withDeclined } from '../../src/core/contact/snapshot.ts';
import type { Store } from '../../src/store/store.ts';
import type { Flaws } from './world.ts';

const withMethods = (store: Store, methods: Partial<Store>): Store => {
  return new Proxy(store, {
    get: (target, name, receiver) => Reflect.get(name in methods ? methods : target, name, receiver) as unknown,
  });
};

/** Changes the rows of each commit. */
const committing = (change: (given: readonly StoreChange[]) => readonly StoreChange[]): Flaws => ({
  store: (store) =>
    withMethods(store, { commit: (link, token, changes) => store.commit(link, token, change(changes)) }),
});

type HalfChange = Extract<StoreChange, { kind: 'put'; table: 'halves' }>;
const isHalf = (change: StoreChange): change is HalfChange => change.kind === 'put' && change.table === 'halves';

/** Changes each half that is stored; null leaves it out. */
const storingHalves = (change: (half: Half) => Half | null): Flaws => {
  const put = ({ half, digest }: HalfPut): HalfPut[] => {
    const changed = change(half);
    return changed === null ? [] : [{ half: changed, digest }];
  };
  return committing((changes) =>
    changes.flatMap((each): readonly StoreChange[] =>
      isHalf(each) ? put(each.row).map((row) => ({ ...each, row })) : [each],
    ),
  );
};

/** The halves in the changes, by pair. */
const byPair = (changes: readonly StoreChange[]): ReadonlyMap<unknown, readonly Half[]> => {
  const halves = changes.filter(isHalf).map(({ row }) => row.half);
  return Map.groupBy(
    halves.filter(({ pair }) => pair !== null),
    ({ pair }) => pair,
  );
};

const swapBases = (changes: readonly StoreChange[]): readonly StoreChange[] => {
  const pairs = byPair(changes);
  const swapped = ({ half, digest }: HalfPut): HalfPut => {
    const other = pairs.get(half.pair)?.find(({ side }) => side !== half.side);
    if (half.base === null || other?.base === null || other === undefined) return { half, digest };
    return { half: { ...half, base: { ...half.base, contact: other.base.contact } }, digest };
  };
  return changes.map((change) => (isHalf(change) ? { ...change, row: swapped(change.row) } : change));
};

const isAboutHalves = (change: StoreChange): boolean =>
  isHalf(change) ||
  (change.kind === 'put' && change.table === 'pairs') ||
  (change.kind === 'drop' && change.table === 'halves');

/** Flaws of the engine, each of which the simulation must detect. */
export const FLAWS: Readonly<Record<string, Flaws>> = {
  'writes are not journaled': {
    store: (store) =>
      withMethods(store, {
        commit: async (link, token, changes) => {
          const others = changes.filter(({ kind }) => kind !== 'intend');
          const pairs = await store.commit(link, token, others);
          return [...pairs, ...changes.filter(({ kind }) => kind === 'intend').map((_, index) => -index - 1)];
        },
      }),
  },
  'the cursor is stored before the contacts': {
    store: (store) =>
      withMethods(store, {
        commit: async (link, token, changes) => {
          if (!changes.some((change) => change.kind === 'put' && change.table === 'cursors'))
            return store.commit(link, token, changes);
          await store.commit(
            link,
            token,
            changes.filter((change) => !isAboutHalves(change)),
          );
          return store.commit(link, token, changes.filter(isAboutHalves));
        },
      }),
  },
  'a side is compared with the base of the other': committing(swapBases),
  'unmapped data is not kept': storingHalves((half) => ({ ...half, record: { ...half.record, raw: '{}' } })),
  'a row counts as known with any content': {
    store: (store) =>
      withMethods(store, {
        known: async (link, side, rows) => {
          const index = await store.index(link, side);
          const paired = new Set(index.filter(({ pair }) => pair !== null).map(({ id }) => id));
          return new Set(rows.filter(({ id }) => paired.has(id)).map(({ digest }) => digest));
        },
      }),
  },
  'deletions are ignored': storingHalves((half) => (half.state === 'gone' ? null : half)),
  'a deletion counts at both sides': {
    store: (store) =>
      withMethods(store, {
        commit: async (link, token, changes) => {
          const gone = changes.filter(isHalf).flatMap(({ row }) => (row.half.state === 'gone' ? [row] : []));
          const namesakes = await Promise.all(
            gone.map(({ half }) => store.halves(link, { by: 'id', side: otherSide(half.side), ids: [half.id] })),
          );
          const also = namesakes.flat().map((half): StoreChange => {
            return { kind: 'put', table: 'halves', row: { half: { ...half, state: 'gone' }, digest: null } };
          });
          return store.commit(link, token, [...changes, ...also]);
        },
      }),
  },
  'a contact that a listing misses counts as deleted': storingHalves((half) => {
    return half.state === 'missing' ? { ...half, state: 'gone' } : half;
  }),
  'recent deletions are not read from the journal': {
    store: (store) =>
      withMethods(store, {
        journal: (link, query) => ('destroyedSinceMs' in query ? Promise.resolve([]) : store.journal(link, query)),
      }),
  },
  'conflicts are not recorded': committing((changes) => changes.filter(({ kind }) => kind !== 'conflict')),
  'a partly written pair counts as settled': storingHalves((half) => {
    return half.pair !== null && half.state === 'changed' ? { ...half, state: 'settled' } : half;
  }),
  'values that a side declined are not stored': storingHalves((half) =>
    half.base === null ? half : { ...half, base: withDeclined(half.base, {}) },
  ),
  'a write with a stale version is accepted': { ignoresVersions: true },
  'a pair that is unlinked is not remembered': storingHalves((half) => ({ ...half, formerPair: null })),
  'the answer to a write has the values that were sent': { adapter: 'answers-as-sent' },
  'a new contact that its side stores under another id is not found by its origin': { adapter: 'loses-renamed' },
  'a deletion that a feed names is not confirmed by a read': { adapter: 'trusts-feed' },
};
