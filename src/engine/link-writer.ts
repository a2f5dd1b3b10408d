import type { StoreChange } from '../core/state/rows.ts';
import type { Half } from '../core/contact/half.ts';
import { bySide, SIDES, type Side, type Sides } from '../core/contact/side.ts';
import type { Pair } from '../core/reconcile/decision.ts';
import type { Operation } from '../core/reconcile/operation.ts';
import type { Store } from '../store/store.ts';
import { RowCache } from './row-cache.ts';
import { WorkingSet } from '../core/state/working-set.ts';

/** The rows that a step needs. Each half is loaded with its whole pair. */
type Needs = {
  readonly ids?: Partial<Sides<readonly string[]>>;
  readonly pairs?: readonly number[];
  /** Sides of which every half that is gone is needed (R12). */
  readonly gone?: readonly Side[];
  /** Sides of which every half that is missing is needed. */
  readonly missing?: readonly Side[];
};

type Step = {
  readonly needs: Needs;
  readonly intents: readonly Extract<StoreChange, { kind: 'intend' }>[];
  readonly change: (set: WorkingSet) => void;
};

type Waiting = {
  readonly step: Step;
  readonly resolve: (journalIds: readonly number[]) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * The only way in which a run changes stored rows of its link. Steps run one after the other: each sees the changes of the steps
 * before it. Steps that are requested in one turn of the event loop are loaded and committed together, so that concurrent
 * writers wait for the disk once.
 */
export type LinkWriter = {
  /** Caches rows that were loaded for a plan, so that no step loads them again. */
  cacheRows(unpaired: readonly Half[], pairs: readonly Pair[]): void;
  /** Releases all cached rows. */
  clearCache(): void;
  /** Loads what the step needs, calls `change`, and stores the result. Resolves when it is on disk. */
  apply(needs: Needs, change: (set: WorkingSet) => void): Promise<void>;
  /** Journals operations before their requests. Returns the entries' ids in order. */
  intend(run: string, operations: readonly Operation[], atMs: number): Promise<readonly number[]>;
};

type Loading = { readonly store: Store; readonly link: string; readonly cache: RowCache };

/** The ids of a side that steps need and that are not cached. */
const missingIds = ({ cache }: Loading, steps: readonly Step[], side: Side, set: WorkingSet): readonly string[] => {
  const ids = new Set(steps.flatMap(({ needs }) => needs.ids?.[side] ?? []));
  return [...ids].filter((id) => !cache.load(set, side, id));
};

/** Loads the rows that steps need into a set; each half with its whole pair. */
const load = async (loading: Loading, steps: readonly Step[], set: WorkingSet): Promise<void> => {
  const { store, link, cache } = loading;
  const ids = bySide((side) => missingIds(loading, steps, side, set));
  // Lists may hold hundreds of thousands of rows: they are joined, not spread into arguments.
  let halves: readonly Half[] = [];
  for (const side of SIDES) {
    const states = (['gone', 'missing'] as const).filter((state) =>
      steps.some(({ needs }) => needs[state]?.includes(side)),
    );
    if (states.length > 0) halves = halves.concat(await store.halves(link, { by: 'state', states, side }));
  }
  const named = [...steps.flatMap(({ needs }) => needs.pairs ?? []), ...halves.flatMap(({ pair }) => pair ?? [])];
  const pairs = [...new Set(named)].filter((id) => !cache.loadPair(set, id));
  const needsLoading = pairs.length > 0 || SIDES.some((side) => ids[side].length > 0);
  const whole = needsLoading ? await store.wholePairs(link, { ids, pairs }) : { halves: [], pairs: [] };
  set.load(halves.concat(whole.halves), whole.pairs);
};

/** Creates the writer of a run that holds the link's lease with this fencing token. */
export const createLinkWriter = (store: Store, link: string, token: number): LinkWriter => {
  const cache = new RowCache();
  let waiting: Waiting[] = [];
  let working = false;

  const storeSteps = async (steps: readonly Step[]): Promise<readonly (readonly number[])[]> => {
    const set = new WorkingSet();
    await load({ store, link, cache }, steps, set);
    for (const { change } of steps) change(set);
    const rows = set.changes();
    const intents: readonly StoreChange[] = steps.flatMap((step) => step.intents);
    if (rows.length + intents.length === 0) return steps.map(() => []);
    const ids = await store.commit(link, token, [...rows, ...intents]);
    const made = ids.length - intents.length;
    cache.update(set.touched(ids.slice(0, made)));
    const journalIds = ids.slice(made);
    return steps.map((step) => journalIds.splice(0, step.intents.length));
  };

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      await new Promise(setImmediate);
      const batch = waiting;
      waiting = [];
      try {
        const ids = await storeSteps(batch.map(({ step }) => step));
        for (const [index, { resolve }] of batch.entries()) resolve(ids[index] ?? []);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    working = false;
  };

  const enqueue = (step: Step): Promise<readonly number[]> =>
    new Promise((resolve, reject) => {
      waiting.push({ step, resolve, reject });
      if (working) return;
      working = true;
      void work();
    });

  return {
    cacheRows: (unpaired, pairs) => cache.add(unpaired, pairs),
    clearCache: () => cache.clear(),
    apply: async (needs, change) => {
      await enqueue({ needs, intents: [], change });
    },
    intend: (run, operations, atMs) =>
      enqueue({
        needs: {},
        intents: operations.map((operation) => ({ kind: 'intend', run, operation, atMs })),
        change: () => undefined,
      }),
  };
};
