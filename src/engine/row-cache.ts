import type { Half } from '../core/contact/half.ts';
import type { Side } from '../core/contact/side.ts';
import type { Pair } from '../core/reconcile/decision.ts';
import { halfKey, type Touched, type WorkingSet } from '../core/state/working-set.ts';

/**
 * The rows that a run has planned with, so that the link writer need not load them again. Under the lease only the run changes
 * rows of the link, so the cache is current if each step updates it.
 */
export class RowCache {
  readonly #unpaired = new Map<string, Half>();
  readonly #pairs = new Map<number, Pair>();
  readonly #pairOf = new Map<string, number>();

  add(unpaired: readonly Half[], pairs: readonly Pair[]): void {
    for (const half of unpaired) this.#unpaired.set(halfKey(half), half);
    for (const pair of pairs) this.#addPair(pair);
  }

  clear(): void {
    this.#unpaired.clear();
    this.#pairs.clear();
    this.#pairOf.clear();
  }

  /** Loads a half and its whole pair into a set. Returns whether it is cached. */
  load(set: WorkingSet, side: Side, id: string): boolean {
    const key = halfKey({ side, id });
    const half = this.#unpaired.get(key);
    if (half !== undefined) set.load([half], []);
    return half !== undefined || this.loadPair(set, this.#pairOf.get(key));
  }

  /** Loads a pair and its halves into a set. Returns whether it is cached. */
  loadPair(set: WorkingSet, id: number | undefined): boolean {
    const pair = id === undefined ? undefined : this.#pairs.get(id);
    if (pair === undefined || id === undefined) return false;
    set.load(halvesOf(pair), [{ id, status: pair.status }]);
    return true;
  }

  /** Updates the cached rows that a stored step touched. */
  update({ halves, pairs }: Touched): void {
    const isCached = (key: string): boolean => this.#unpaired.has(key) || this.#pairOf.has(key);
    const unpaired = [...halves].flatMap(([key, half]) => (half?.pair === null && isCached(key) ? [half] : []));
    const cached = [...pairs].flatMap(([id, pair]) => {
      const concerns = this.#pairs.has(id) || (pair !== null && halvesOf(pair).some((half) => isCached(halfKey(half))));
      return pair !== null && concerns ? [pair] : [];
    });
    for (const key of halves.keys()) this.#unpaired.delete(key);
    for (const id of pairs.keys()) this.#removePair(id);
    this.add(unpaired, cached);
  }

  #addPair(pair: Pair): void {
    if (pair.id === null) return;
    this.#pairs.set(pair.id, pair);
    for (const half of halvesOf(pair)) this.#pairOf.set(halfKey(half), pair.id);
  }

  #removePair(id: number): void {
    const pair = this.#pairs.get(id);
    if (pair === undefined) return;
    for (const half of halvesOf(pair)) this.#pairOf.delete(halfKey(half));
    this.#pairs.delete(id);
  }
}

const halvesOf = ({ left, right }: Pair): readonly Half[] => [left, right].filter((half) => half !== null);
