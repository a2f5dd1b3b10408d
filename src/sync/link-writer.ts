import type { Half } from '../contact/half.ts';
import { SIDES, type Side, type Sides } from '../contact/side.ts';
import type { JournalEntry, Store, StoreChange } from '../store/store.ts';
import { WorkingSet } from './state/working-set.ts';

/** The rows that a step needs; of each half its whole pair is loaded. */
export type Needs = {
  readonly ids?: Partial<Sides<readonly string[]>>;
  readonly pairs?: readonly number[];
  /** Sides of which every half that is gone is needed (R12). */
  readonly gone?: readonly Side[];
  /** Sides of which every half that is missing is needed. */
  readonly missing?: readonly Side[];
  /** Halves that are known to be stored just so; they are not loaded. */
  readonly known?: readonly Half[];
};

type Step = {
  readonly needs: Needs;
  readonly entries: readonly { readonly run: string; readonly entry: JournalEntry; readonly atMs: number }[];
  readonly change: (set: WorkingSet) => void;
};

type Waiting = {
  readonly step: Step;
  readonly resolve: (journalIds: readonly number[]) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * The one way in which a run changes what is stored of its link. Steps take turns: each sees what the ones before it
 * changed. Those that are asked for within one turn of the event loop are loaded and stored together, so that many
 * writers side by side wait for the disk once.
 */
export type LinkWriter = {
  /** Loads what the step needs, lets it change that, and stores it; settles when it is on disk. */
  apply(needs: Needs, change: (set: WorkingSet) => void): Promise<void>;
  /** Journals writes ahead of their requests; answers the entries' ids in order. */
  intend(run: string, entries: readonly JournalEntry[], atMs: number): Promise<readonly number[]>;
};

const idsOn = (steps: readonly Step[], side: Side, set: WorkingSet): readonly string[] => {
  const ids = steps.flatMap(({ needs }) => needs.ids?.[side] ?? []);
  return [...new Set(ids)].filter((id) => set.half(side, id) === null);
};

/** Loads the rows that steps need into a set. */
const load = async (store: Store, link: string, steps: readonly Step[], set: WorkingSet): Promise<void> => {
  for (const { needs } of steps) if (needs.known !== undefined) set.load(needs.known, []);
  const halves: Half[] = [];
  for (const side of SIDES) {
    const ids = idsOn(steps, side, set);
    if (ids.length > 0) halves.push(...(await store.halves(link, { by: 'id', side, ids })));
    if (steps.some(({ needs }) => needs.gone?.includes(side))) {
      halves.push(...(await store.halves(link, { by: 'state', states: ['gone'], side })));
    }
    if (steps.some(({ needs }) => needs.missing?.includes(side))) {
      halves.push(...(await store.halves(link, { by: 'state', states: ['missing'], side })));
    }
  }
  const named = steps.flatMap(({ needs }) => needs.pairs ?? []);
  const pairs = [...new Set([...named, ...halves.flatMap(({ pair }) => pair ?? [])])];
  if (pairs.length > 0) halves.push(...(await store.halves(link, { by: 'pair', pairs })));
  set.load(halves, pairs.length > 0 ? await store.pairs(link, pairs) : []);
};

/** Makes the writer of a run that holds the link's lease with that fencing token. */
export const createLinkWriter = (store: Store, link: string, token: number): LinkWriter => {
  let waiting: Waiting[] = [];
  let working = false;

  const storeSteps = async (steps: readonly Step[]): Promise<readonly (readonly number[])[]> => {
    const set = new WorkingSet();
    await load(store, link, steps, set);
    for (const { change } of steps) change(set);
    const intents = steps.flatMap(({ entries }) => entries.map((entry): StoreChange => ({ kind: 'intend', ...entry })));
    const changes = [...set.changes(), ...intents];
    const ids = changes.length === 0 ? [] : [...(await store.commit(link, token, changes))];
    return steps.map(({ entries }) => ids.splice(0, entries.length));
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

  const ask = (step: Step): Promise<readonly number[]> =>
    new Promise((resolve, reject) => {
      waiting.push({ step, resolve, reject });
      if (working) return;
      working = true;
      void work();
    });

  return {
    apply: async (needs, change) => {
      await ask({ needs, entries: [], change });
    },
    intend: (run, entries, atMs) =>
      ask({ needs: {}, entries: entries.map((entry) => ({ run, entry, atMs })), change: () => undefined }),
  };
};
