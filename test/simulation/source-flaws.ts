import type { Topic } from './hard-history.ts';
import type { Players } from './history.ts';

/** A rule of the program, and its flawed replacement. */
export type SourceFlaw = {
  /** The file below `src`. */
  readonly file: string;
  /** The text of the rule, which occurs once in the file. */
  readonly rule: string;
  readonly instead: string;
  /** The topic of the histories that break a rule with the flaw. */
  readonly topic: Topic;
  /** The seed of a history that detects the flaw. */
  readonly seed: number;
};

/** The histories of a search for a flaw. */
export type Search = {
  readonly first: number;
  readonly runs: number;
  readonly players: Players;
  readonly topic: Topic;
};

/** Rules about similar people and values, each removed or weakened. */
export const SOURCE_FLAWS: Readonly<Record<string, SourceFlaw>> = {
  'tags that differ in their signs are one': {
    file: 'core/contact/fields.ts',
    rule: 'byValue(textKey))',
    instead: "byValue((value) => value.toLowerCase().replace(/[^\\p{L}\\p{N}]+/gu, '') || value))",
    seed: 2,
    topic: 'people-values',
  },
  'one user name at two networks is one messenger': {
    file: 'core/contact/fields.ts',
    rule: "instantMessengers: list('instant messengers', LABELLED_VALUE, BY_TYPE)",
    instead: "instantMessengers: list('instant messengers', LABELLED_VALUE, byValue(textKey))",
    seed: 2,
    topic: 'people-values',
  },
  'one name of two types is one relation': {
    file: 'core/contact/fields.ts',
    rule: "relations: list('relations', LABELLED_VALUE, BY_TYPE)",
    instead: "relations: list('relations', LABELLED_VALUE, byValue(textKey))",
    seed: 1,
    topic: 'people-values',
  },
  'groups whose names differ in their signs are one': {
    file: 'core/reconcile/policy.ts',
    rule: 'export const foldGroupName = textKey;',
    instead: "export const foldGroupName = (name: string) => textKey(name).replace(/[^\\p{L}\\p{N}]+/gu, '') || name;",
    seed: 6,
    topic: 'people-values',
  },
  'another organization takes the place of one that was cleared': {
    file: 'core/contact/bound-entries.ts',
    rule: 'if (former.entries === undefined) return record;',
    instead: 'return record;',
    seed: 4,
    topic: 'people-values',
  },
  'groups whose names swap are renamed without a temporary name': {
    file: 'engine/execute/groups.ts',
    rule: "if (action.kind === 'create-group' || action.via === undefined) continue;",
    instead: 'continue;',
    seed: 8,
    topic: 'group-names',
  },
  'first names agree where one begins with the other': {
    file: 'core/contact/name-agreement.ts',
    rule: 'areEqual(a, b) || isInitial(a, b) || areNicknames(a[0], b[0])',
    instead: 'a[0].startsWith(b[0]) || b[0].startsWith(a[0])',
    seed: 1,
    topic: 'people',
  },
  'the card of a company is paired with a person': {
    file: 'core/reconcile/match-evidence.ts',
    rule: 'if (card || other) return !hasName(a.names) && !hasName(b.names);',
    instead: 'if (card || other) return true;',
    seed: 3,
    topic: 'people',
  },
  'a successor replaces a deleted contact whatever its name': {
    file: 'core/reconcile/replacements.ts',
    rule: '(shareAddress(gone, added) && haveOneName(gone, added))',
    instead: 'shareAddress(gone, added)',
    seed: 5,
    topic: 'people',
  },
  'a possible match is not reported': {
    file: 'core/reconcile/match.ts',
    rule: '[...undecided, ...lookalikes(progress, undecided)]',
    instead: '[...undecided]',
    seed: 16,
    topic: 'people',
  },
  'a title is part of the name': {
    file: 'core/contact/name-parts.ts',
    rule: "const count = matchAt(rest, 'start', (entry) => TABLES.honorifics.has(entry));",
    instead: 'const count = 0;',
    seed: 1,
    topic: 'people',
  },
  'a suffix does not distinguish two people': {
    file: 'core/contact/name-agreement.ts',
    rule: '  bothDiffer(a.suffix, b.suffix) ||\n',
    instead: '',
    seed: 34,
    topic: 'people',
  },
  'a name without spaces is divided twice': {
    file: 'core/contact/names.ts',
    rule: '(isSpaceless([word, word]) ? [...word] : [word])',
    instead: '[word]',
    seed: 4,
    topic: 'people',
  },
  'a name without spaces is one word': {
    file: 'core/contact/name-agreement.ts',
    rule: 'if (!mayBeWhole(a) || !mayBeWhole(b)) return false;',
    instead: 'return false;',
    seed: 4,
    topic: 'people',
  },
};
