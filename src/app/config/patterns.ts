import { z } from 'zod';
import { quotedName } from '../../core/contact/name-pattern.ts';
import { fail } from '../../util/values.ts';

/** A name in quotes as the whole pattern, or else a text whose commas are within braces or after a backslash. */
const PATTERN = /(?<=^|,)\s*!?\s*"[^"]*"\s*(?=,|$)|(?:\{[^}]*\}|\\.|[^,])+/gu;

/** Splits at commas, except within braces, within a quoted name, or after a backslash. */
const splitPatterns = (text: string): readonly string[] => text.match(PATTERN) ?? [];

const inQuotes = (name: string): string => `'"${name}"'`;

/** The pattern without the `!` that makes it exclude. */
const included = (pattern: string): string => pattern.replace(/^!\s*/u, '');

/** Extended globs, such as `+(a|b)`, which are refused. */
const EXTENDED_GLOB = /(?<!\\)[@!+?*]\(/u;
/** One class of letters, which matches names of one letter only. */
const ONLY_A_CLASS = /^\[[^\]!^-][^\]-]+\]$/u;

const faultOfPattern = (pattern: string): string | null => {
  const glob = included(pattern);
  if (quotedName(glob) !== null) return null;
  if (EXTENDED_GLOB.test(glob)) {
    return `"${pattern}" is an extended glob, which is not supported. Write {a,b} for alternatives, or the name in double quotes: ${inQuotes(glob)}.`;
  }
  if (ONLY_A_CLASS.test(glob)) {
    return `"${pattern}" matches names of one letter. For the group of this name, add double quotes: ${inQuotes(glob)}.`;
  }
  return null;
};

/** The patterns of a list or text, without empty ones; null if one has a fault, which is reported. */
const readPatterns = (value: readonly string[], context: z.RefinementCtx): readonly string[] | null => {
  const patterns = value.map((pattern) => pattern.trim()).filter((pattern) => pattern !== '');
  const faults = patterns.flatMap((pattern) => faultOfPattern(pattern) ?? []);
  for (const fault of faults) fail(context, fault);
  return faults.length === 0 ? patterns : null;
};

const beginsWithExclusion = (first: string): string =>
  `begins with an exclusion, so nothing would be selected. Put * or a name before it. A group whose name begins with ! is ${inQuotes(first)}.`;

const listOrText = z.union([z.string().transform(splitPatterns), z.array(z.string())]);

/** From a list, or names and globs between commas. */
export const buckets = listOrText.transform((value, context): readonly string[] => {
  const patterns = readPatterns(value, context);
  if (patterns === null) return z.NEVER;
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
  listOrText.transform((value, context): readonly string[] => {
    const patterns = readPatterns(value, context);
    if (patterns === null) return z.NEVER;
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
