/** The number of letters that differ between two words (Levenshtein distance). */
const editDistance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let index = 0; index < from.length; index += 1) {
    const next = [index + 1];
    for (let column = 0; column < to.length; column += 1) {
      const replaced = (row[column] ?? 0) + (from[index] === to[column] ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

const plain = (word: string): string => word.replaceAll(/[._-]/gu, '').toLowerCase();

/**
 * The known word that was probably meant: the nearest one with at most `farthest` different letters. Case and the signs `.`,
 * `_` and `-` are ignored. Null if no word is that near. Pure.
 */
export const nearestWord = (word: string, known: readonly string[], farthest: number): string | null => {
  const meant = plain(word);
  // Words whose lengths differ by more are skipped, because computing the distance of long words is slow.
  const distances = known
    .map((name) => ({ name, letters: plain(name) }))
    .filter(({ letters }) => Math.abs(letters.length - meant.length) <= farthest)
    .map(({ name, letters }) => ({ name, distance: editDistance(letters, meant) }));
  const nearest = distances.toSorted((left, right) => left.distance - right.distance)[0];
  return nearest !== undefined && nearest.distance <= farthest ? nearest.name : null;
};
