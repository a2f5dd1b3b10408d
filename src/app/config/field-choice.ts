import { z } from 'zod';
import type { ChosenFields } from '../../core/contact/chosen.ts';
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
import { EXTRAS, isExtraField } from '../../core/contact/fields.ts';
import { otherSide, SIDES, type Sides, type Side } from '../../core/contact/side.ts';
import type { ConflictPolicy } from '../../core/reconcile/policy.ts';
import { policyNamed, policyWords } from './conflict-policy.ts';
import { isSection, isUnset, type Section } from './sources.ts';
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
const KNOWN = [...USUAL_FIELDS, ...FURTHER, ...Object.keys(EXTRAS)];

const unknownField = (name: string): string =>
  `"${name}" is not a syncable field. Choose from ${[DEFAULT, ...KNOWN, 'custom:NAME'].join(', ')}.`;

/** A choice of fields that is built field by field. */
type Draft = {
  readonly fields: Set<SyncedField>;
  readonly directions: Map<SyncedField, 'to-left' | 'to-right'>;
  readonly winners: Map<ScalarField, ConflictPolicy>;
};

/** Adds the direction of a field; returns the problem, or null. */
const addDirection = (
  draft: Draft,
  field: SyncedField,
  word: string,
  { left, right }: Sides<string>,
): string | null => {
  const words = ['both', `to-${left}`, `to-${right}`];
  if (!words.includes(word)) return `"${word}" is not a direction of ${field}. Choose one of ${words.join(', ')}.`;
  if (word !== 'both') draft.directions.set(field, word === `to-${left}` ? 'to-left' : 'to-right');
  return null;
};

/** Adds the winner of a field; returns the problem, or null. */
const addWinner = (draft: Draft, field: SyncedField, word: string, sides: Sides<string>): string | null => {
  const [text] = scalarsOf([field]);
  const winner = policyNamed(word, sides);
  if (isExtraField(field)) return `"${field}" has no winner: one side computes it. Leave it out.`;
  if (text === undefined) return `"${field}" has no winner: both sides' values are kept. Leave it out.`;
  if (winner === null) return `"${word}" is not known for ${field}. Choose one of ${policyWords(sides).join(', ')}.`;
  draft.winners.set(text, winner);
  return null;
};

/** Adds a field by its name, or the default fields; returns the problem, or null. */
const addField = (draft: Draft, name: string): string | null => {
  if (name !== DEFAULT && !isSyncedField(name)) return unknownField(name);
  for (const field of name === DEFAULT ? USUAL_FIELDS : [name]) draft.fields.add(field);
  return null;
};

/** The options of one field in a mapping. */
const FieldOptions = z.strictObject({ direction: z.string().optional(), winner: z.string().optional() });

/** Adds a field of a mapping with its options, or removes it if it is `off`; returns the problem, or null. */
const addWithOptions = (draft: Draft, name: string, value: unknown, sides: Sides<string>): string | null => {
  if (name === DEFAULT) return `"${DEFAULT}" takes no options: a mapping adds to the default fields. Leave it out.`;
  if (!isSyncedField(name)) return unknownField(name);
  if (value === 'off') {
    draft.fields.delete(name);
    return null;
  }
  const { data: options } = FieldOptions.safeParse(isUnset(value) ? {} : value);
  if (options === undefined) return `"${name}" takes the options direction and winner, or off.`;
  draft.fields.add(name);
  const fault = options.direction === undefined ? null : addDirection(draft, name, options.direction.trim(), sides);
  return fault ?? (options.winner === undefined ? null : addWinner(draft, name, options.winner.trim(), sides));
};

/** The problem of an extra with the name of another field; null if all names differ. */
const namesakesIn = (fields: Iterable<SyncedField>): string | null => {
  const all = [...fields];
  const wordsOf = (field: SyncedField): string => (field === 'buckets' ? field : specOf(field).words).toLowerCase();
  for (const field of all.filter(isExtraField)) {
    const like = all.find((other) => other !== field && wordsOf(other) === wordsOf(field));
    if (like !== undefined) return `"${field}" is called like the field ${like}. Leave out one of the two.`;
  }
  return null;
};

/** Adds the fields of a list, or those of a mapping to the default fields; returns the problems. */
const addAll = (draft: Draft, value: readonly string[] | Section, sides: Sides<string>): readonly string[] => {
  if (isSection(value)) {
    addField(draft, DEFAULT);
    return Object.entries(value).flatMap(([name, options]) => addWithOptions(draft, name, options, sides) ?? []);
  }
  const names = value.map((each) => each.trim()).filter((each) => each !== '');
  return names.flatMap((name) => addField(draft, name) ?? []);
};

/**
 * Parses the names of fields: `default,notes,custom:Budget`, or a list. A field that is not named is not synced. A mapping adds to
 * the default fields and gives a field its direction and winner: `{ title: { winner: google }, websites: off }`. Sides are named
 * by their names.
 */
export const fieldChoice = (sides: Sides<string>) =>
  z
    .union([z.string().transform((value) => value.split(',')), z.array(z.string()), z.record(z.string(), z.unknown())])
    .transform((value, context): FieldChoice => {
      const draft: Draft = { fields: new Set(), directions: new Map(), winners: new Map() };
      const faults = addAll(draft, value, sides);
      for (const fault of faults) fail(context, fault);
      if (faults.length > 0) return z.NEVER;
      const { fields, directions, winners } = draft;
      if (!fields.has('firstName') || !fields.has('lastName')) {
        return fail(context, 'leaves out firstName or lastName. Names are always synced; add default or both of them.');
      }
      const namesakes = namesakesIn(fields);
      if (namesakes !== null) return fail(context, namesakes);
      return {
        fields: inFieldOrder(fields),
        directions: Object.fromEntries(directions),
        winners: Object.fromEntries(winners),
      };
    });

type Way = 'both' | 'to-left' | 'to-right';
type Report = (what: string) => void;

/** The sides that a field is never written to: their provider does not write it, or computes it. */
const unwritable = (field: SyncedField, sides: Sides<SideConfig>): readonly Side[] => {
  return SIDES.filter((side) => {
    const { extras, readOnlyFields } = providerNamed(sides[side].provider);
    return [...extras, ...readOnlyFields].some((each) => each === field);
  });
};

type FieldsOfLink = { readonly fields: ChosenFields; readonly sides: Sides<SideConfig>; readonly direction: Way };

/** Returns the fields that a link could sync in addition to its own; custom fields are not among them. */
export const addableFields = ({ fields, sides, direction }: FieldsOfLink): readonly SyncedField[] =>
  [...USUAL_FIELDS, ...FURTHER].filter((field) => {
    const never = unwritable(field, sides);
    const isWritten = SIDES.some(
      (side) => !never.includes(side) && (direction === 'both' || direction === `to-${side}`),
    );
    return isWritten && !fields.includes(field);
  });

/** Reports an extra that no side computes, or that no side could show because both compute it. */
const isOutOfPlace = (field: SyncedField, computing: readonly Side[], report: Report): boolean => {
  if (!isExtraField(field) || computing.length === 1) return false;
  const places = PROVIDERS.filter(({ extras }) => extras.includes(field)).map(({ place }) => place);
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
  for (const field of fields) {
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
    report(`"${field}" conflicts with the direction of the link and would never be written. Remove it.`);
  }
  return Object.fromEntries(ways);
};
