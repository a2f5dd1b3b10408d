/**
 * Patterns for names: `*` matches any text, `?` any character, `[a-z]` one of the characters, `{a,b}` one of the
 * texts; `\` escapes a character.
 */

/** Returns the literal name of a pattern in double quotes; null for a pattern without quotes. */
export const quotedName = (pattern: string): string | null => /^"([^"]+)"$/u.exec(pattern.trim())?.[1] ?? null;

type Test = (sign: string) => boolean;
/** One character, any text, or one of several sequences. */
type Part = { readonly one: Test } | { readonly many: true } | { readonly either: readonly (readonly Part[])[] };

const isSign =
  (expected: string): Test =>
  (sign) =>
    sign === expected;

/** Returns the character class that begins at `start`, and its end; null if it is not closed. */
const readClass = (signs: readonly string[], start: number): { readonly test: Test; readonly end: number } | null => {
  const isNegated = ['!', '^'].includes(signs[start + 1] ?? '');
  const first = start + (isNegated ? 2 : 1);
  const end = signs.indexOf(']', first + 1);
  if (end < 0) return null;
  const members = signs.slice(first, end);
  const ranges: (readonly [from: string, to: string])[] = [];
  for (let index = 0; index < members.length; index++) {
    const from = members[index] ?? '';
    const to = members[index + 1] === '-' ? members[index + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) index += 2;
  }
  return { test: (sign) => ranges.some(([from, to]) => from <= sign && sign <= to) !== isNegated, end };
};

/** Returns for each `{` its commas and its `}`. A brace without a comma or a counterpart is an ordinary character. */
const readBraces = (signs: readonly string[]): ReadonlyMap<number, readonly number[]> => {
  const open: number[][] = [];
  const found = new Map<number, readonly number[]>();
  for (let index = 0; index < signs.length; index++) {
    const sign = signs[index];
    if (sign === '\\') index++;
    else if (sign === '{') open.push([index]);
    else if (sign === ',') open.at(-1)?.push(index);
    else if (sign === '}') {
      const [start, ...commas] = open.pop() ?? [];
      if (start !== undefined && commas.length > 0) found.set(start, [...commas, index]);
    }
  }
  return found;
};

type Read = { readonly part: Part; readonly end: number };

/** Returns the part at `index`, which is not an alternative, and the index of its last character. */
const readPart = (signs: readonly string[], index: number, limit: number): Read => {
  const sign = signs[index] ?? '';
  const group = sign === '[' ? readClass(signs, index) : null;
  if (group !== null && group.end < limit) return { part: { one: group.test }, end: group.end };
  if (sign === '*') return { part: { many: true }, end: index };
  if (sign === '?') return { part: { one: () => true }, end: index };
  const end = sign === '\\' && index + 1 < limit ? index + 1 : index;
  return { part: { one: isSign(signs[end] ?? '') }, end };
};

const parse = (signs: readonly string[]): readonly Part[] => {
  const braces = readBraces(signs);
  const parseRange = (start: number, limit: number): readonly Part[] => {
    const parts: Part[] = [];
    for (let index = start; index < limit; index++) {
      const bounds = braces.get(index);
      if (bounds === undefined) {
        const { part, end } = readPart(signs, index, limit);
        parts.push(part);
        index = end;
      } else {
        const starts = [index, ...bounds];
        parts.push({ either: bounds.map((bound, place) => parseRange((starts[place] ?? index) + 1, bound)) });
        index = bounds.at(-1) ?? limit;
      }
    }
    return parts;
  };
  return parseRange(0, signs.length);
};

/** Returns the places in the text at which a match of the parts may end that begins at one of the places. */
const endsOf = (parts: readonly Part[], signs: readonly string[], starts: ReadonlySet<number>): ReadonlySet<number> =>
  parts.reduce((places, part) => {
    if ('either' in part) {
      return part.either.reduce((all, each) => all.union(endsOf(each, signs, places)), new Set<number>());
    }
    if ('one' in part) {
      const found = [...places].filter((place) => place < signs.length && part.one(signs[place] ?? ''));
      return new Set(found.map((place) => place + 1));
    }
    const first = Math.min(...places);
    return new Set([...signs.keys(), signs.length].filter((place) => place >= first));
  }, starts);

/** Returns a predicate: whether a whole text matches the pattern. The work grows with the product of both lengths only. */
export const globMatcher = (pattern: string): ((text: string) => boolean) => {
  const parts = parse([...pattern]);
  return (text) => {
    const signs = [...text];
    return endsOf(parts, signs, new Set([0])).has(signs.length);
  };
};
