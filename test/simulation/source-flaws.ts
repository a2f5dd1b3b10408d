import type { Topic } from './hard-history.ts';
import type { Players } from './history.ts';

/** The text of a rule, which occurs once in its file, and its flawed replacement. */
type Change = { readonly rule: string; readonly instead: string };

/** A rule of the program that is changed. */
export type SourceFlaw = Change & {
  /** The file below `src`. */
  readonly file: string;
  /** A second rule of the file that would repair what the flaw breaks. */
  readonly also?: Change;
  /** The topic of the histories that break a rule with the flaw. */
  readonly topic: Topic;
  /** The seed of a history that detects the flaw. */
  readonly seed: number;
  /** The first seed in a complete run, if not 1: for flaws that few histories detect. */
  readonly firstSeed?: number;
  readonly players?: Players;
};

/** The histories of a search for a flaw. */
export type Search = {
  readonly first: number;
  readonly runs: number;
  readonly players: Players;
  readonly topic: Topic;
};

/** Rules that are each removed or weakened. */
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
    rule: 'if (via === undefined) continue;',
    instead: 'continue;',
    // Otherwise a new group waits until the deleted one of its name is gone.
    also: {
      rule: 'new Set([...planned, ...ending, ...stored.map((each) => each[side]?.id)])',
      instead: 'new Set(planned)',
    },
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
    rule: 'if (card || other) return !hasName(one.names) && !hasName(another.names);',
    instead: 'if (card || other) return true;',
    seed: 3,
    topic: 'people',
  },
  'a successor replaces a deleted contact whatever its name': {
    file: 'core/reconcile/replacements.ts',
    rule: '(shareAddress(known, added) && haveOneName(known, added))',
    instead: 'shareAddress(known, added)',
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
  'a create that one search does not find is made again': {
    file: 'engine/recover.ts',
    rule: 'lagMs === 0 || nowMs',
    instead: 'lagMs >= 0 || nowMs',
    seed: 4,
    topic: 'late-create',
  },
  'the source of a create of unknown outcome is forgotten when a listing misses it': {
    file: 'core/state/observe.ts',
    rule: 'isSource: sources.has(id)',
    instead: 'isSource: false',
    seed: 30,
    topic: 'late-create',
  },
  'a side whose feed reports deletions is never listed': {
    file: 'engine/pull.ts',
    rule: 'const sweeps = isSweepDue(session, side, cursor) ||',
    instead: 'const sweeps = (!namesDeletions && isSweepDue(session, side, cursor)) ||',
    seed: 3,
    topic: 'odd-feed',
    players: { left: 'google', right: 'carddav' },
  },
  'the evidence of a halted run is not read again': {
    file: 'engine/confirm.ts',
    rule: 'const halves = [...met, ...evidenceOn(plan, side)].filter(',
    instead: 'const halves = [...met].filter(',
    seed: 2,
    topic: 'outage',
  },
  'a suffix that the link does not sync does not distinguish two people': {
    file: 'core/reconcile/match-evidence.ts',
    rule: 'if (a.record.unsyncedName === undefined && b.record.unsyncedName === undefined) return false;',
    instead: 'if (a.naming.wholeNames !== null) return false;',
    seed: 34,
    topic: 'people',
  },
  'a text that a whole name replaces counts as agreed before it is written': {
    file: 'core/apply/store-task.ts',
    rule: '    ...fieldsOn(task, side),\n',
    instead:
      '    ...task.conflicts.flatMap(({ field, winner }) => (winner !== side && fieldsOn(task, side).has(field) ? [field] : [])),\n',
    seed: 1222,
    firstSeed: 1200,
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
