/** Returns the literal name of a pattern in double quotes; null for a pattern without quotes. */
export const quotedName = (pattern: string): string | null => /^"([^"]+)"$/u.exec(pattern.trim())?.[1] ?? null;

/**
 * Returns a predicate: whether a whole text matches the pattern, in which `*` is any text and `?` any character. The work grows with
 * the product of both lengths only.
 */
export const globMatcher =
  (pattern: string) =>
  (text: string): boolean => {
    const characters = [...text];
    const places = [...characters.keys(), characters.length];
    // The places in the text at which a match of the pattern so far may end.
    let ends: ReadonlySet<number> = new Set([0]);
    for (const sign of pattern) {
      const next = (place: number): readonly number[] =>
        place < characters.length && (sign === '?' || characters[place] === sign) ? [place + 1] : [];
      const first = Math.min(...ends);
      ends = new Set(sign === '*' ? places.filter((place) => place >= first) : [...ends].flatMap(next));
    }
    return ends.has(characters.length);
  };
