import type { HalfPut, PairRow, StoreChange } from './rows.ts';
import type { Half } from '../contact/half.ts';
import { SIDES, type Side } from '../contact/side.ts';
import type { Pair, PairStatus } from '../reconcile/decision.ts';
import { knownDigest } from './half.ts';
import { unsyncableChanges } from './unsyncable.ts';

/** The name of a half within its link. */
export const halfKey = ({ side, id }: Pick<Half, 'side' | 'id'>): string => `${side} ${id}`;

/** Everything that a step touched, as it stands once it is stored; null for what is gone. */
export type Touched = {
  readonly halves: ReadonlyMap<string, Half | null>;
  readonly pairs: ReadonlyMap<number, Pair | null>;
};

/**
 * The rows that one step of a run works on, and what became of them. Steps change it; {@link changes} says what must be
 * stored so that the store says the same. A pair that is new has an id below zero until it is stored.
 */
export class WorkingSet {
  readonly #halves = new Map<string, Half | null>();
  readonly #keysOfPair = new Map<number, Set<string>>();
  readonly #pairs = new Map<number, PairStatus | null>();
  readonly #storedHalves = new Map<string, Half>();
  readonly #storedPairs = new Map<number, PairStatus>();
  readonly #others: StoreChange[] = [];
  #lastNewPair = 0;

  /** Takes in rows as the store holds them; those that are here already stay as they are. */
  load(halves: readonly Half[], pairs: readonly PairRow[]): void {
    for (const half of halves) {
      const key = halfKey(half);
      if (this.#halves.has(key)) continue;
      this.#set(key, half);
      this.#storedHalves.set(key, half);
    }
    for (const { id, status } of pairs) {
      if (this.#pairs.has(id)) continue;
      this.#pairs.set(id, status);
      this.#storedPairs.set(id, status);
    }
  }

  #set(key: string, half: Half | null): void {
    const before = this.#halves.get(key)?.pair ?? null;
    const after = half?.pair ?? null;
    this.#halves.set(key, half);
    if (before === after) return;
    if (before !== null) this.#keysOfPair.get(before)?.delete(key);
    if (after === null) return;
    const keys = this.#keysOfPair.get(after);
    if (keys === undefined) this.#keysOfPair.set(after, new Set([key]));
    else keys.add(key);
  }

  #halvesOf(id: number): readonly Half[] {
    return [...(this.#keysOfPair.get(id) ?? [])].flatMap((key) => this.#halves.get(key) ?? []);
  }

  half(side: Side, id: string): Half | null {
    return this.#halves.get(halfKey({ side, id })) ?? null;
  }

  /** Every half that is held. */
  halves(): readonly Half[] {
    return [...this.#halves.values()].filter((half) => half !== null);
  }

  /** A pair with its halves; null where there is none. */
  pair(id: number): Pair | null {
    const status = this.#pairs.get(id);
    if (status === undefined || status === null) return null;
    const own = this.#halvesOf(id);
    const on = (side: Side): Half | null => own.find((half) => half.side === side) ?? null;
    return { id, status, left: on('left'), right: on('right') };
  }

  put(half: Half): void {
    this.#set(halfKey(half), half);
  }

  /** The half goes; its pair stays as it is. */
  drop({ side, id }: Pick<Half, 'side' | 'id'>): void {
    this.#set(halfKey({ side, id }), null);
  }

  /** Makes a pair, or gives one another status. Answers its id. */
  putPair(id: number | null, status: PairStatus): number {
    if (id === null) this.#lastNewPair -= 1;
    const own = id ?? this.#lastNewPair;
    this.#pairs.set(own, status);
    return own;
  }

  /** The pair ends, and its halves with it. */
  dropPair(id: number): void {
    const pair = this.pair(id);
    if (pair === null) return;
    for (const half of SIDES.flatMap((side) => pair[side] ?? [])) this.drop(half);
    if (pair.left !== null) this.add({ kind: 'drop-conflicts', leftId: pair.left.id });
    this.#pairs.set(id, null);
  }

  /** Adds a change of something else than halves and pairs. */
  add(...changes: readonly StoreChange[]): void {
    this.#others.push(...changes);
  }

  /** The names of the halves that were changed. */
  #changed(): readonly string[] {
    return [...this.#halves].flatMap(([key, half]) => (half === (this.#storedHalves.get(key) ?? null) ? [] : [key]));
  }

  /** What was touched, once {@link changes} is stored and the new pairs have got these ids, in their order. */
  touched(newPairIds: readonly number[]): Touched {
    const ids = new Map(this.#newPairs().map((id, index) => [id, newPairIds[index] ?? id]));
    const stored = (half: Half | null): Half | null => {
      const id = half === null || half.pair === null ? undefined : ids.get(half.pair);
      return half === null || id === undefined ? half : { ...half, pair: id };
    };
    const keys = this.#changed();
    const halves = new Map(keys.map((key) => [key, stored(this.#halves.get(key) ?? null)]));
    const named = keys.flatMap((key) => [this.#storedHalves.get(key)?.pair ?? [], this.#halves.get(key)?.pair ?? []]);
    const pairs = new Set([...named.flat(), ...this.#pairs.keys()]);
    const pairOf = (id: number): Pair | null => {
      const pair = this.pair(id);
      if (pair === null) return null;
      return { id: ids.get(id) ?? id, status: pair.status, left: stored(pair.left), right: stored(pair.right) };
    };
    return { halves, pairs: new Map([...pairs].map((id) => [ids.get(id) ?? id, pairOf(id)])) };
  }

  /** Pairs that are not stored yet, in the order in which {@link changes} makes them. */
  #newPairs(): readonly number[] {
    return [...this.#pairs].flatMap(([id, status]) => (id < 0 && status !== null ? [id] : []));
  }

  /** Everything that the store does not say yet. */
  changes(): readonly StoreChange[] {
    const dirty = this.#changed().map((key) => [key, this.#halves.get(key) ?? null] as const);
    const keepsRecord = (half: Half): boolean => this.#storedHalves.get(halfKey(half))?.record === half.record;
    const put = (half: Half): HalfPut => ({
      half,
      digest: knownDigest(half),
      ...(keepsRecord(half) && { keepsRecord: true }),
    });
    const drops = dirty.flatMap(([key, half]): StoreChange[] => {
      const stored = this.#storedHalves.get(key);
      return half === null && stored !== undefined ? [{ kind: 'drop-half', side: stored.side, id: stored.id }] : [];
    });
    const halves = dirty.flatMap(([, half]) => half ?? []);
    const pairs = [...this.#pairs].flatMap(([id, status]): StoreChange[] => {
      if (id < 0 && status !== null) {
        const own = this.#halvesOf(id).map(put);
        return [{ kind: 'put-pair', id: null, status, halves: own }];
      }
      if (id < 0 || status === this.#storedPairs.get(id)) return [];
      return [status === null ? { kind: 'drop-pair', id } : { kind: 'put-pair', id, status, halves: [] }];
    });
    const puts = halves.flatMap((half): StoreChange[] => {
      return half.pair !== null && half.pair < 0 ? [] : [{ kind: 'put-half', ...put(half) }];
    });
    const unsyncable = dirty.flatMap(([key, half]) => unsyncableChanges(this.#storedHalves.get(key) ?? null, half));
    return [...drops, ...pairs, ...puts, ...unsyncable, ...this.#others];
  }
}
