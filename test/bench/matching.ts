import type { Half } from '../../src/core/contact/half.ts';
import type { Side } from '../../src/core/contact/side.ts';
import { matchContacts } from '../../src/core/reconcile/match.ts';
import { halfOf, record } from '../unit/core/reconcile/support.ts';
import { makeKnownBooks, type Card } from './matching-people.ts';
import { percent, seconds, type Table } from './table.ts';

const halfIn = (side: Side, id: string, card: Card): Half => halfOf(record(id, card.contact), { side });

type Quality = {
  readonly pairs: number;
  readonly right: number;
  readonly wrong: readonly string[];
  readonly reported: number;
  readonly unreported: readonly string[];
  readonly durationMs: number;
};

const textOf = ({ contact }: Card): string => JSON.stringify(contact);

/** Matches two books whose true pairs are known, and counts right, wrong and missed pairs. */
const measureMatching = (size: number, seed: number): Quality => {
  const books = makeKnownBooks(size, seed);
  const left = books.left.map((card, at) => halfIn('left', `l${at}`, card));
  const right = books.right.map((card, at) => halfIn('right', `r${at}`, card));
  const cards = new Map([
    ...left.map(({ id }, at) => [id, books.left[at]] as const),
    ...right.map(({ id }, at) => [id, books.right[at]] as const),
  ]);
  const startedAtMs = performance.now();
  const { matches, ambiguous } = matchContacts({ left, right });
  const durationMs = performance.now() - startedAtMs;
  const cardOf = (id: string): Card => {
    const card = cards.get(id);
    if (card === undefined) throw new Error(`No generated contact has the id ${id}`);
    return card;
  };
  const isOne = (a: string, b: string): boolean => cardOf(a).truth === cardOf(b).truth;
  const wrong = matches.filter((match) => !isOne(match.left.id, match.right.id));
  const matched = new Set(matches.map((match) => match.left.id));
  const rightOf = new Map(right.map(({ id }) => [cardOf(id).truth, id]));
  const missed = left.flatMap(({ id }) => {
    const other = rightOf.get(cardOf(id).truth);
    return other === undefined || matched.has(id) ? [] : [{ id, other }];
  });
  const isReported = ({ id, other }: { readonly id: string; readonly other: string }): boolean =>
    ambiguous.some((row) => row.left.includes(id) && row.right.includes(other));
  const unreported = missed.filter((pair) => !isReported(pair));
  return {
    pairs: left.filter(({ id }) => rightOf.has(cardOf(id).truth)).length,
    right: matches.length - wrong.length,
    wrong: wrong.map((match) => `${textOf(cardOf(match.left.id))} = ${textOf(cardOf(match.right.id))}`),
    reported: missed.length - unreported.length,
    unreported: unreported.map(({ id, other }) => `${textOf(cardOf(id))} = ${textOf(cardOf(other))}`),
    durationMs,
  };
};

const SEEDS = [1, 2, 3] as const;

/** Measures the quality of the first match of two generated books of `size` contacts, for several seeds. */
export const benchMatching = (size: number): Table => ({
  title: `12. Matching: two generated books of ${size} contacts whose pairs are known`,
  head: ['seed', 'pairs', 'found', 'wrong', 'missed, reported', 'missed, not reported', 'precision', 'recall', 'time'],
  rows: SEEDS.map((seed) => {
    const { pairs, right, wrong, reported, unreported, durationMs } = measureMatching(size, seed);
    return [
      `${seed}`,
      `${pairs}`,
      `${right}`,
      `${wrong.length}`,
      `${reported}`,
      `${unreported.length}`,
      percent(right / (right + wrong.length)),
      percent(right / pairs),
      seconds(durationMs),
    ];
  }),
  notes: [
    'Bounds: no wrong pair; at least 95 % of missed pairs are reported as possible; at most 1 % of all pairs are neither found nor reported.',
  ],
});
