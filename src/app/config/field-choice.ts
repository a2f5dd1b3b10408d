import { z } from 'zod';
import { syncedFieldsOf, type ChosenFields } from '../../core/contact/chosen.ts';
import {
  FURTHER,
  inFieldOrder,
  isSyncedField,
  scalarsOf,
  specOf,
  type ScalarField,
  type SyncedField,
  USUAL_FIELDS,
} from '../../core/contact/contact.ts';
import { EXTRAS, isExtra, isExtraField, JOINABLE, extraOf, type JoinedPart } from '../../core/contact/fields.ts';
import { otherSide, SIDES, type Sides, type Side } from '../../core/contact/side.ts';
import type { ConflictPolicy } from '../../core/reconcile/conflict-policy.ts';
import { policyWords } from './conflict-policy.ts';
import { nearestWord } from './nearest.ts';
import { isSection, isText, isUnset, type Section } from './sources.ts';
import { fail } from '../../util/values.ts';
import { PROVIDERS, providerNamed } from '../../providers/registry.ts';
import type { SideConfig } from './sides.ts';

/** The synced fields of a link, with the directions and winners of single fields. */
type FieldChoice = {
  readonly fields: ChosenFields;
  /** The fields that go one way only. */
  readonly directions: Readonly<Partial<Record<SyncedField, 'to-left' | 'to-right'>>>;
  /** The conflict policies of single text fields. */
  readonly winners: Readonly<Partial<Record<ScalarField, ConflictPolicy>>>;
};

/** The word for the default fields. */
const DEFAULT = 'default';
const CUSTOM = 'custom:NAME';
const KNOWN = [...USUAL_FIELDS, ...FURTHER, ...Object.keys(EXTRAS)];
const FARTHEST_HINT = 3;

/** A part of the list: a field with its direction and its winner. */
const PART = /^(!?)(.+?)(?::(to-[\w-]+|both))?(?:=([\w-]+))?$/u;

/** A field that is joined, with its other options. A custom field may have such a name. */
const JOINED = /^(?!custom:)(\w+)((?:[:=][\w-]+)*:joined(?:[:=][\w-]+)*)$/u;

const unknownField = (name: string): string => {
  const near = nearestWord(name, [...KNOWN, DEFAULT], FARTHEST_HINT);
  const hint = near === null ? `Choose from ${[DEFAULT, ...KNOWN, CUSTOM].join(', ')}.` : `Did you mean ${near}?`;
  return `"${name}" is no field that can be synced. ${hint}`;
};

/** The field of a word. An extra without a name has its default name. */
const fieldOf = (word: string): SyncedField | null => {
  const name = isExtra(word) ? (`${word} as ${EXTRAS[word]}` as const) : word;
  return isSyncedField(name) ? name : null;
};

type Words = {
  readonly directions: ReadonlyMap<string, 'both' | 'to-left' | 'to-right'>;
  readonly winners: ReadonlyMap<string, ConflictPolicy>;
};

const wordsFor = ({ left, right }: Sides<string>): Words => ({
  directions: new Map<string, 'both' | 'to-left' | 'to-right'>([
    ['both', 'both'],
    [`to-${left}`, 'to-left'],
    [`to-${right}`, 'to-right'],
  ]),
  winners: policyWords({ left, right }),
});

/** A choice of fields that is built part by part. */
type Draft = {
  readonly fields: Set<SyncedField>;
  readonly directions: Map<SyncedField, 'to-left' | 'to-right'>;
  readonly winners: Map<ScalarField, ConflictPolicy>;
  /** The parts of a name that are joined into the first name. */
  readonly joined: Set<SyncedField>;
};

/** Adds the direction of a field; returns the problem, or null. */
const takeWay = (draft: Draft, field: SyncedField, word: string, { directions }: Words): string | null => {
  const way = directions.get(word);
  if (way === undefined)
    return `"${word}" is no direction of ${field}. Choose one of ${[...directions.keys()].join(', ')}.`;
  if (way !== 'both') draft.directions.set(field, way);
  return null;
};

/** Adds the winner of a field; returns the problem, or null. */
const takeWinner = (draft: Draft, field: SyncedField, word: string, { winners }: Words): string | null => {
  const [text] = scalarsOf([field]);
  const who = winners.get(word);
  if (isExtraField(field)) return `"${field}" has no winner: one side computes it. Leave it out.`;
  if (text === undefined) return `"${field}" has no winner: both sides' values are kept. Leave it out.`;
  if (who === undefined) return `"${word}" is not known for ${field}. Choose one of ${[...winners.keys()].join(', ')}.`;
  draft.winners.set(text, who);
  return null;
};

const joinedAndMore = (field: SyncedField): string =>
  `"${field}" is joined into the first name, so it is no field with a direction or a winner. Keep one of the two.`;

/** Adds a part of a name that is joined into the first name; returns the problem, or null. */
const takeJoined = (draft: Draft, word: string, said: string): string | null => {
  const field = JOINABLE.find((each) => each === word);
  if (field === undefined)
    return `"${word}" cannot be joined into the first name. Choose from ${JOINABLE.join(', ')}, or leave it out.`;
  draft.joined.add(field);
  return said === ':joined' ? null : joinedAndMore(field);
};

/** Adds a part without `joined`; returns the problem, or null. */
const takeField = (draft: Draft, part: string, words: Words): string | null => {
  if (part === DEFAULT) {
    for (const field of USUAL_FIELDS) draft.fields.add(field);
    return null;
  }
  const [, excludes, word = '', direction, winner] = PART.exec(part) ?? [];
  const field = fieldOf(word);
  if (field === null) return unknownField(word);
  if (excludes === '!') {
    draft.fields.delete(field);
    draft.joined.delete(field);
    return null;
  }
  draft.fields.add(field);
  const fault = direction === undefined ? null : takeWay(draft, field, direction, words);
  return fault ?? (winner === undefined ? null : takeWinner(draft, field, winner, words));
};

/** Adds one part; returns the problem, or null. */
const take = (draft: Draft, part: string, words: Words): string | null => {
  const [, joined, said = ''] = JOINED.exec(part) ?? [];
  return joined === undefined ? takeField(draft, part, words) : takeJoined(draft, joined, said);
};

/** The problem of an extra with the name of another field; null if all names differ. */
const namesakesIn = (fields: Iterable<SyncedField>): string | null => {
  const all = [...fields];
  const wordsOf = (field: SyncedField): string => (field === 'buckets' ? field : specOf(field).words).toLowerCase();
  for (const field of all.filter(isExtraField)) {
    const like = all.find((other) => other !== field && wordsOf(other) === wordsOf(field));
    if (like !== undefined) return `"${field}" is called like the field ${like}. Choose another name.`;
  }
  return null;
};

/**
 * Parses `default,notes,birthday:to-google,title=service`, or a list of such parts. A field that is not named is not synced. A
 * part with `!` removes a field, and `middleName:joined` joins it into the first name. Sides are named by their names, and
 * `lastContacted as NAME` names an extra.
 */
export const fieldChoice = (sides: Sides<string>) => {
  const words = wordsFor(sides);
  return z
    .union([z.string().transform((value) => value.split(',')), z.array(z.string())])
    .transform((list, context): FieldChoice => {
      const draft: Draft = { fields: new Set(), directions: new Map(), winners: new Map(), joined: new Set() };
      const parts = list.map((each) => each.trim()).filter((each) => each !== '');
      const faults = parts.flatMap((part) => take(draft, part, words) ?? []);
      for (const fault of faults) fail(context, fault);
      if (faults.length > 0) return z.NEVER;
      const { fields, directions, winners, joined } = draft;
      if (!fields.has('firstName') || !fields.has('lastName')) {
        return fail(context, 'leaves out firstName or lastName. Names are always synced; add default or both of them.');
      }
      const namesakes = namesakesIn(fields);
      if (namesakes !== null) return fail(context, namesakes);
      const joinedParts = JOINABLE.filter((field) => joined.has(field));
      const both = joinedParts.find((field) => fields.has(field));
      if (both !== undefined) return fail(context, joinedAndMore(both));
      return {
        fields: [...inFieldOrder(fields), ...joinedParts.map((field): JoinedPart => `${field}:joined`)],
        directions: Object.fromEntries([...directions].filter(([field]) => fields.has(field))),
        winners: Object.fromEntries([...winners].filter(([field]) => fields.has(field))),
      };
    });
};

const joinedOf = (value: unknown): string => {
  const word = isUnset(value ?? null) ? 'false' : String(value).trim();
  return word === 'false' ? '' : word === 'true' ? ':joined' : `:joined ${word}`;
};

const partOf = (name: string, value: unknown): string => {
  if (isText(value) && ['off', 'false', 'no'].includes(value.trim())) return `!${name}`;
  if (!isSection(value)) return isUnset(value) ? name : `${name}:${String(value)}`;
  const { as, direction, winner, joined, ...others } = value;
  const unknown = Object.keys(others).map((key) => `:${key}`);
  return [
    name,
    isText(as) ? ` as ${as.trim()}` : '',
    isText(direction) ? `:${direction.trim()}` : '',
    joinedOf(joined),
    ...unknown,
    isText(winner) ? `=${winner.trim()}` : '',
  ].join('');
};

/**
 * Replaces a mapping in `fields`, such as `{ title: { winner: service }, notes: {} }`, by the list of parts for
 * {@link fieldChoice}. A mapping adds to the default fields.
 */
export const withFieldList = (section: Section): Section => {
  const { fields } = section;
  if (!isSection(fields)) return section;
  return { ...section, fields: [DEFAULT, ...Object.entries(fields).map(([name, value]) => partOf(name, value))] };
};

type Way = 'both' | 'to-left' | 'to-right';
type Report = (what: string) => void;

/** The sides that a field is never written to: their provider does not write it, or computes it. */
const unwritable = (field: SyncedField, sides: Sides<SideConfig>): readonly Side[] => {
  const extra = extraOf(field)?.extra;
  return SIDES.filter((side) => {
    const { extras, readOnlyFields } = providerNamed(sides[side].provider);
    return extra === undefined ? readOnlyFields.some((each) => each === field) : extras.includes(extra);
  });
};

/** Reports an extra that no side computes, or that no side could show because both compute it. */
const isOutOfPlace = (field: SyncedField, computing: readonly Side[], report: Report): boolean => {
  const extra = extraOf(field)?.extra;
  if (extra === undefined || computing.length === 1) return false;
  const places = PROVIDERS.filter(({ extras }) => extras.includes(extra)).map(({ place }) => place);
  report(
    `"${field}" is computed by ${places.join(' or ')} and shown at the other side, so the link needs just one such side. Leave it out.`,
  );
  return true;
};

/**
 * The directions of one-way fields: as chosen, and away from a side whose provider never writes the field. Reports a direction
 * that conflicts with the link.
 */
export const oneWayFields = (
  { fields, directions }: FieldChoice,
  sides: Sides<SideConfig>,
  link: Way,
  report: Report,
): FieldChoice['directions'] => {
  const ways = new Map<string, Exclude<Way, 'both'>>();
  for (const [field, way] of Object.entries(directions)) if (way !== undefined) ways.set(field, way);
  for (const field of syncedFieldsOf(fields)) {
    const never = unwritable(field, sides);
    if (isOutOfPlace(field, never, report)) continue;
    for (const side of never) {
      const away = `to-${otherSide(side)}` as const;
      if ((ways.get(field) ?? away) !== away)
        report(`"${field}" is never written to ${sides[side].place}. Leave it out.`);
      ways.set(field, away);
    }
  }
  for (const [field, way] of ways) {
    if (link === 'both' || link === way) continue;
    report(
      `"${field}" would go against the direction of the link, so that nothing of it is ever written. Leave it out.`,
    );
  }
  return Object.fromEntries(ways);
};
