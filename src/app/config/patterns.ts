import { z } from 'zod';
import { fail } from '../../util/values.ts';

/** A name in quotes as the whole pattern, or else a text without commas. */
const PATTERN = /(?<=^|,)\s*!?\s*"[^"]*"\s*(?=,|$)|[^,]+/gu;

/** Splits at commas, except within a quoted name. */
const splitPatterns = (text: string): readonly string[] => text.match(PATTERN) ?? [];

const inQuotes = (name: string): string => `'"${name}"'`;

/** The pattern without the `!` that makes it exclude. */
const included = (pattern: string): string => pattern.replace(/^!\s*/u, '');

const beginsWithExclusion = (first: string): string =>
  `begins with an exclusion, so nothing would be selected. Put * or a name before it. A group whose name begins with ! is ${inQuotes(first)}.`;

/** A list, or a text with patterns between commas. Without empty patterns. */
const listOrText = z
  .union([z.string().transform(splitPatterns), z.array(z.string())])
  .transform((patterns) => patterns.map((pattern) => pattern.trim()).filter((pattern) => pattern !== ''));

/** From a list, or names and globs between commas. */
export const buckets = listOrText.transform((patterns, context): readonly string[] => {
  const [first] = patterns;
  return first?.startsWith('!') ? fail(context, beginsWithExclusion(first)) : patterns;
});

/** Every mark that contacts of some side have, by how its patterns begin. */
const MARKS = ['starred', 'tag:'];

/** Whether a pattern is one of marks, which not every provider has. */
const isOfMark = (pattern: string, mark: string): boolean =>
  mark.endsWith(':') ? pattern.toLowerCase().startsWith(mark) : pattern.toLowerCase() === mark;

/** From a list, or names and globs between commas; `marks` are the marks of the side's contacts, in addition to groups. */
export const contactPatterns = (marks: readonly string[]) =>
  listOrText.transform((patterns, context): readonly string[] => {
    const [first, ...others] = patterns;
    if (first === undefined) return fail(context, 'is empty. Write * to select every contact, !* to select none.');
    if (first.startsWith('!') && (first !== '!*' || others.length > 0)) {
      return fail(context, beginsWithExclusion(first));
    }
    const foreign = patterns.map(included).find((glob) => {
      return MARKS.some((mark) => isOfMark(glob, mark)) && !marks.some((mark) => isOfMark(glob, mark));
    });
    if (foreign === undefined) return patterns;
    return fail(
      context,
      `"${foreign}" does not exist on this side. Name a label or a bucket; a group of this name is ${inQuotes(foreign)}.`,
    );
  });
