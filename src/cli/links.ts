import type { Config, LinkConfig } from '../config.ts';
import { UsageError } from './usage-error.ts';

/** How many letters must change to make one word of the other (Levenshtein). */
const editDistance = (from: string, to: string): number => {
  const firstRow = Array.from({ length: to.length + 1 }, (_, index) => index);
  const lastRow = [...from].reduce<number[]>((above, letter, row) => {
    const next = [row + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (above[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    return next;
  }, firstRow);
  return lastRow.at(-1) ?? 0;
};

const FARTHEST_HINT = 2;

/**
 * The links that a command works on: the one that was named, else all.
 *
 * @throws {UsageError} where there is no link of that name.
 */
export const chooseLinks = ({ links }: Config, name: string | undefined): readonly LinkConfig[] => {
  if (name === undefined) return links;
  const chosen = links.filter((link) => link.name === name);
  if (chosen.length > 0) return chosen;
  const names = links.map((link) => link.name);
  const near = names.find((known) => editDistance(known.toLowerCase(), name.toLowerCase()) <= FARTHEST_HINT);
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  throw new UsageError(`There is no link named ${name}.${hint} The configuration has: ${names.join(', ')}.`);
};
