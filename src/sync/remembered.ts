import type { Half } from '../contact/half.ts';
import type { Side } from '../contact/side.ts';
import type { Pair } from '../reconcile/decision.ts';
import { halfKey, type Touched, type WorkingSet } from './state/working-set.ts';

/**
 * The rows that a run plans with, kept so that its writers need not load them again. Whatever is stored of a link while its
 * lease is held is stored by the run: what is kept stays true as long as it is kept up with every step.
 */
export class Remembered {
  readonly #unpaired = new Map<string, Half>();
  readonly #pairs = new Map<number, Pair>();
  readonly #pairOf = new Map<string, number>();

  keep(unpaired: readonly Half[], pairs: readonly Pair[]): void {
    for (const half of unpaired) this.#unpaired.set(halfKey(half), half);
    for (const pair of pairs) this.#keepPair(pair);
  }

  forget(): void {
    this.#unpaired.clear();
    this.#pairs.clear();
    this.#pairOf.clear();
  }

  /** Puts a half, with its whole pair, into a set; answers whether it is kept. */
  recall(set: WorkingSet, side: Side, id: string): boolean {
    const key = halfKey({ side, id });
    const half = this.#unpaired.get(key);
    if (half !== undefined) set.load([half], []);
    return half !== undefined || this.recallPair(set, this.#pairOf.get(key));
  }

  /** Puts a pair with its halves into a set; answers whether it is kept. */
  recallPair(set: WorkingSet, id: number | undefined): boolean {
    const pair = id === undefined ? undefined : this.#pairs.get(id);
    if (pair === undefined || id === undefined) return false;
    set.load(halvesOf(pair), [{ id, status: pair.status }]);
    return true;
  }

  /** Follows a step that was stored: what is kept of what it touched is as it stands now. */
  follow({ halves, pairs }: Touched): void {
    const isKept = (key: string): boolean => this.#unpaired.has(key) || this.#pairOf.has(key);
    const unpaired = [...halves].flatMap(([key, half]) => (half?.pair === null && isKept(key) ? [half] : []));
    const kept = [...pairs].flatMap(([id, pair]) => {
      const concerns = this.#pairs.has(id) || (pair !== null && halvesOf(pair).some((half) => isKept(halfKey(half))));
      return pair !== null && concerns ? [pair] : [];
    });
    for (const key of halves.keys()) this.#unpaired.delete(key);
    for (const id of pairs.keys()) this.#forgetPair(id);
    this.keep(unpaired, kept);
  }

  #keepPair(pair: Pair): void {
    if (pair.id === null) return;
    this.#pairs.set(pair.id, pair);
    for (const half of halvesOf(pair)) this.#pairOf.set(halfKey(half), pair.id);
  }

  #forgetPair(id: number): void {
    const pair = this.#pairs.get(id);
    if (pair === undefined) return;
    for (const half of halvesOf(pair)) this.#pairOf.delete(halfKey(half));
    this.#pairs.delete(id);
  }
}

const halvesOf = ({ left, right }: Pair): readonly Half[] => [left, right].filter((half) => half !== null);
