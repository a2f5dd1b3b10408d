import { otherSide } from '../../src/contact/side.ts';
import type { ContactRecord } from '../../src/contact/record.ts';
import type { Store, StoreChange } from '../../src/store/store.ts';
import type { Flaws } from './world.ts';

const withMethods = (store: Store, methods: Partial<Store>): Store => {
  return new Proxy(store, {
    get: (target, name, receiver) => Reflect.get(name in methods ? methods : target, name, receiver) as unknown,
  });
};

/** Changes what is committed. */
const committing = (change: (given: StoreChange) => readonly StoreChange[]): Flaws => ({
  store: (store) => withMethods(store, { commit: (link, changes) => store.commit(link, changes.flatMap(change)) }),
});

const swapBases = (change: StoreChange): readonly StoreChange[] => {
  if (change.kind !== 'pair' || change.left === null || change.right === null) return [change];
  const left = { ...change.left, base: { ...change.left.base, contact: change.right.base.contact } };
  const right = { ...change.right, base: { ...change.right.base, contact: change.left.base.contact } };
  return [{ ...change, left, right }];
};

const withoutRaw = (record: ContactRecord): ContactRecord => ({ ...record, raw: '{}' });

/** Ways to break the engine, each of which the simulation must notice. */
export const FLAWS: Readonly<Record<string, Flaws>> = {
  'writes are not journaled': {
    store: (store) =>
      withMethods(store, { intend: (_link, _run, entries) => Promise.resolve(entries.map((_, index) => -index - 1)) }),
  },
  'the cursor is stored before the contacts': {
    store: (store) =>
      withMethods(store, {
        stagePage: async (link, side, page) => {
          await store.stagePage(link, side, { ...page, upserts: [], tombstones: [], unreadable: [] });
          return store.stagePage(link, side, page);
        },
      }),
  },
  'a side is compared with the base of the other': committing(swapBases),
  'unmapped data is not kept': {
    store: (store) =>
      withMethods(store, {
        stagePage: (link, side, page) => {
          const upserts = page.upserts.map((upsert) => ({ ...upsert, record: withoutRaw(upsert.record) }));
          return store.stagePage(link, side, { ...page, upserts });
        },
      }),
  },
  'a row is known whatever it says': {
    store: (store) =>
      withMethods(store, {
        knownRows: async (link, side, rows) => {
          const paired = await store.pairedIds(link, side);
          return new Set(rows.filter(({ id }) => paired.has(id)).map(({ digest }) => digest));
        },
      }),
  },
  'a deletion counts at both sides': {
    store: (store) =>
      withMethods(store, {
        stagePage: async (link, side, page) => {
          const changes = page.tombstones.map((id) => {
            return { kind: 'stage-tombstone', side: otherSide(side), id, atMs: page.atMs } as const;
          });
          await store.commit(link, changes);
          return store.stagePage(link, side, page);
        },
      }),
  },
  'deletions are missed': {
    store: (store) =>
      withMethods(store, { stagePage: (link, side, page) => store.stagePage(link, side, { ...page, tombstones: [] }) }),
  },
  'what a listing misses counts as deleted': {
    store: (store) =>
      withMethods(store, {
        missing: async (link, side) => {
          const missing = await store.missing(link, side);
          await store.commit(
            link,
            missing.map(({ id }) => ({ kind: 'stage-tombstone', side, id, atMs: 0 })),
          );
          return [];
        },
      }),
  },
  'conflicts are not recorded': committing((change) => (change.kind === 'conflict' ? [] : [change])),
  'half-done contacts are forgotten': committing((change) => {
    if (change.kind !== 'pair' || change.left === null || change.right === null) return [change];
    const settled = { unsettled: false };
    return [{ ...change, left: { ...change.left, ...settled }, right: { ...change.right, ...settled } }];
  }),
  'a stale write is taken': { ignoresVersions: true },
};
