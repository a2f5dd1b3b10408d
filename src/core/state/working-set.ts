import type { HalfPut, PairRow, StoreChange } from './rows.ts';
import { type Half, halfKey, halvesBySide } from '../contact/half.ts';
import { SIDES, type Side } from '../contact/side.ts';
import type { Pair, PairStatus } from '../contact/pair.ts';
import { knownDigest } from './half-transitions.ts';
import { unsyncableChanges } from './unsyncable.ts';

/**
 * The rows that steps of a run work on, each half with its whole pair; null means a deleted row. Steps change them; {@link changes}
 * returns the changes that are not stored yet. A new pair has an id below zero until it is stored.
 */
export class WorkingSet {
  readonly #halves = new Map<string, Half | null>();
  readonly #keysOfPair = new Map<number, Set<string>>();
  readonly #pairs = new Map<number, PairStatus | null>();
  /** The stored versions of halves and pairs that were set since the last {@link markStored}; null for new rows. */
  readonly #storedHalves = new Map<string, Half | null>();
  readonly #storedPairs = new Map<number, PairStatus | null>();
  #others: StoreChange[] = [];
  #lastNewPair = 0;

  /** Returns whether the half is loaded or set. */
  has(side: Side, id: string): boolean {
    return this.#halves.has(halfKey({ side, id }));
  }

  /** Returns whether the pair is loaded or set. */
  hasPair(id: number): boolean {
    return this.#pairs.has(id);
  }

  /** Adds rows as the store returned them. A row that is in the set already is not replaced. */
  load(halves: readonly Half[], pairs: readonly PairRow[]): void {
    for (const half of halves) {
      const key = halfKey(half);
      if (!this.#halves.has(key)) this.#place(key, half);
    }
    for (const { id, status } of pairs) if (!this.#pairs.has(id)) this.#pairs.set(id, status);
  }

  #set(key: string, half: Half | null): void {
    if (!this.#storedHalves.has(key)) this.#storedHalves.set(key, this.#halves.get(key) ?? null);
    this.#place(key, half);
  }

  #setPair(id: number, status: PairStatus | null): void {
    if (!this.#storedPairs.has(id)) this.#storedPairs.set(id, this.#pairs.get(id) ?? null);
    this.#pairs.set(id, status);
  }

  #place(key: string, half: Half | null): void {
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

  /** Returns all halves in the set. */
  halves(): readonly Half[] {
    return [...this.#halves.values()].filter((half) => half !== null);
  }

  /** Returns a pair with its halves; null if it does not exist. */
  pair(id: number): Pair | null {
    const status = this.#pairs.get(id);
    if (status === undefined || status === null) return null;
    return { id, status, ...halvesBySide(this.#halvesOf(id)) };
  }

  put(half: Half): void {
    this.#set(halfKey(half), half);
  }

  /** Replaces a half by the result of `next`; does nothing without such a half. */
  change(side: Side, id: string, next: (half: Half) => Half): void {
    const half = this.half(side, id);
    if (half !== null) this.put(next(half));
  }

  /** Deletes the half; its pair does not change. */
  drop({ side, id }: Pick<Half, 'side' | 'id'>): void {
    this.#set(halfKey({ side, id }), null);
  }

  /** Creates a pair, or sets the status of a pair. Returns its id. */
  putPair(id: number | null, status: PairStatus): number {
    if (id === null) this.#lastNewPair -= 1;
    const own = id ?? this.#lastNewPair;
    this.#setPair(own, status);
    return own;
  }

  /**
   * Deletes the pair and its halves. Its open conflicts are over; what was recorded of them stays. Returns the halves; none if there is
   * no such pair.
   */
  dropPair(id: number): readonly Half[] {
    const pair = this.pair(id);
    if (pair === null) return [];
    const halves = SIDES.flatMap((side) => pair[side] ?? []);
    for (const half of halves) this.drop(half);
    if (pair.left !== null) {
      const atMs = Math.max(...halves.map(({ heardAtMs }) => heardAtMs));
      this.add({ kind: 'end-conflicts', leftId: pair.left.id, fields: 'all', atMs });
    }
    this.#setPair(id, null);
    return halves;
  }

  /** Adds a change of other rows than halves and pairs. */
  add(...changes: readonly StoreChange[]): void {
    this.#others.push(...changes);
  }

  /** Returns the pairs that are not stored yet, in the order in which {@link changes} creates them. */
  #newPairs(): readonly number[] {
    return [...this.#storedPairs.keys()].filter((id) => id < 0 && (this.#pairs.get(id) ?? null) !== null);
  }

  /** Marks all {@link changes} as stored. `newPairIds` are the ids of the new pairs, in their order. */
  markStored(newPairIds: readonly number[]): void {
    for (const [index, made] of this.#newPairs().entries()) {
      const id = newPairIds[index];
      if (id === undefined) throw new Error('The store did not return the id of every new pair.');
      this.#pairs.set(id, this.#pairs.get(made) ?? null);
      for (const half of this.#halvesOf(made)) this.put({ ...half, pair: id });
      this.#pairs.delete(made);
    }
    this.#storedHalves.clear();
    this.#storedPairs.clear();
    this.#others = [];
  }

  /** Returns the changes that are not stored yet. */
  changes(): readonly StoreChange[] {
    const changed = [...this.#storedHalves].flatMap(([key, stored]) => {
      const half = this.#halves.get(key) ?? null;
      return half === stored ? [] : [{ stored, half }];
    });
    const put = (half: Half, stored: Half | null): HalfPut => ({
      half,
      digest: knownDigest(half),
      ...(stored?.record === half.record && { keepsRecord: true }),
    });
    const drops = changed.flatMap(({ stored, half }): StoreChange[] =>
      half === null && stored !== null
        ? [{ kind: 'drop', table: 'halves', where: { side: stored.side, id: stored.id } }]
        : [],
    );
    const pairs = [...this.#storedPairs].flatMap(([id, stored]): StoreChange[] => {
      const status = this.#pairs.get(id) ?? null;
      if (status === stored) return [];
      return [
        status === null
          ? { kind: 'drop', table: 'pairs', where: { id } }
          : { kind: 'put', table: 'pairs', row: { id, status } },
      ];
    });
    const rows = changed.flatMap(({ stored, half }) => (half === null ? [] : [put(half, stored)]));
    // Equal changes of a table are fastest if they follow one another.
    const puts = rows
      .toSorted((one, other) => Number(one.keepsRecord === true) - Number(other.keepsRecord === true))
      .map((row): StoreChange => ({ kind: 'put', table: 'halves', row }));
    const unsyncable = changed.flatMap(({ stored, half }) => unsyncableChanges(stored, half));
    return [...drops, ...pairs, ...puts, ...unsyncable, ...this.#others];
  }
}
