import type { StoreChange } from '../../../src/core/state/rows.ts';
import { afterEach, beforeEach } from 'vitest';
import type { Half } from '../../../src/core/contact/half.ts';
import type { Side } from '../../../src/core/contact/side.ts';
import type { HalfQuery, Store } from '../../../src/store/store.ts';

export const LINK = 'default';
/** The end of a lease that starts at 0; a later end counts as expired. */
export const FAR = 60_000;

export type StoreUnderTest = { readonly store: Store; close(): Promise<void> };

/** The store of the current test, with the lease of `LINK` acquired, and helpers. */
export type StoreSubject = ReturnType<typeof useStore>;

/** Opens a store before each test and closes it afterwards. */
export const useStore = (open: () => Promise<StoreUnderTest>) => {
  let opened: StoreUnderTest;
  let token: number;
  const acquire = async (link: string, owner = 'owner'): Promise<number> => {
    const taken = await opened.store.acquireLease(link, owner, 0, FAR);
    if (taken === null) throw new Error('The lease is taken.');
    return taken;
  };
  const halfNamed = async (id: string, side: Side = 'left'): Promise<Half | undefined> =>
    (await opened.store.halves(LINK, { by: 'id', side, ids: [id] }))[0];

  beforeEach(async () => {
    opened = await open();
    token = await acquire(LINK);
  });
  afterEach(() => opened.close());

  return {
    get store(): Store {
      return opened.store;
    },
    get token(): number {
      return token;
    },
    acquire,
    halfNamed,
    commit: (...changes: StoreChange[]) => opened.store.commit(LINK, token, changes),
    ids: async (query: HalfQuery): Promise<string[]> => (await opened.store.halves(LINK, query)).map(({ id }) => id),
    pairIdOf: async (id: string): Promise<number> => {
      const half = await halfNamed(id);
      if (half === undefined || half.pair === null) throw new Error(`${id} has no pair.`);
      return half.pair;
    },
  };
};

export const conflictOf = (leftId: string, field: 'title' | 'company'): Extract<StoreChange, { kind: 'conflict' }> => ({
  kind: 'conflict',
  run: 'run',
  leftId,
  rightId: 'r1',
  conflict: { field, left: 'one', right: 'two', winner: 'right' },
  atMs: 3,
});
