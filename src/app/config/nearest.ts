/** How many letters must change to make one word of the other (Levenshtein). */
const editDistance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

const plain = (word: string): string => word.replaceAll(/[._-]/gu, '').toLowerCase();

/**
 * The known word that was probably meant: the one nearest to `word`, where at most `farthest` letters differ (case and
 * the signs `.`, `_` and `-` aside); null where none is so near. Pure.
 */
export const nearestWord = (word: string, known: readonly string[], farthest: number): string | null => {
  const meant = plain(word);
  // Only lengths that differ by so little can be near; a word of any length takes little time.
  const distances = known
    .map((name) => ({ name, letters: plain(name) }))
    .filter(({ letters }) => Math.abs(letters.length - meant.length) <= farthest)
    .map(({ name, letters }) => ({ name, distance: editDistance(letters, meant) }));
  const nearest = distances.toSorted((left, right) => left.distance - right.distance)[0];
  return nearest !== undefined && nearest.distance <= farthest ? nearest.name : null;
};
