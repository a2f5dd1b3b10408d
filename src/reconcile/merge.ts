import {
  LIST_FIELDS,
  otherSide,
  SCALAR_FIELDS,
  SIDES,
  type Contact,
  type ContactField,
  type ListField,
  type ScalarField,
  type Side,
  type SyncedField,
} from '../contact/contact.ts';
import type { ListElement } from '../contact/keys.ts';
import { keyLists, listOf, withList, type KeyedList } from '../contact/lists.ts';
import { wordsOf } from '../contact/names.ts';
import type { Conflict } from './decision.ts';
import { conflictWinner, mayWrite, type Policy } from './policy.ts';
import { aliasLeftovers } from './similar.ts';

/** One side of a merge: its contact now and, where the contacts have met before, its own base (R2). */
export type MergeSide = {
  readonly contact: Contact;
  readonly base: Contact | null;
  readonly modifiedAtMs: number | null;
};

export type Merge = {
  /** What each side should hold; equal to what it holds where `fields` is empty. */
  readonly desired: { readonly google: Contact; readonly service: Contact };
  readonly fields: { readonly google: readonly ContactField[]; readonly service: readonly ContactField[] };
  readonly held: { readonly google: readonly SyncedField[]; readonly service: readonly SyncedField[] };
  readonly conflicts: readonly Conflict[];
};

type Sides<T> = { readonly google: T; readonly service: T };

const winnerOf = (policy: Policy, { google, service }: Sides<MergeSide>): Side => {
  return conflictWinner(policy, { google: google.modifiedAtMs, service: service.modifiedAtMs });
};

const haveMet = ({ google, service }: Sides<MergeSide>): boolean => google.base !== null && service.base !== null;

type ScalarOutcome =
  | { readonly kind: 'quiet' }
  | { readonly kind: 'travel'; readonly from: Side }
  | { readonly kind: 'conflict' };

/** What becomes of one scalar field (R3, R4, R5; at a first meeting a filled field beats an empty one, R13). */
export const mergeScalar = (field: ScalarField, google: MergeSide, service: MergeSide): ScalarOutcome => {
  const values = { google: google.contact[field], service: service.contact[field] };
  if (values.google === values.service) return { kind: 'quiet' };
  if (google.base === null || service.base === null) {
    if (values.google === '') return { kind: 'travel', from: 'service' };
    return values.service === '' ? { kind: 'travel', from: 'google' } : { kind: 'conflict' };
  }
  const googleChanged = values.google !== google.base[field];
  const serviceChanged = values.service !== service.base[field];
  if (!googleChanged && !serviceChanged) return { kind: 'quiet' };
  if (googleChanged && serviceChanged) return { kind: 'conflict' };
  return { kind: 'travel', from: googleChanged ? 'google' : 'service' };
};

const NAME_FIELDS: readonly ScalarField[] = ['firstName', 'lastName'];
const POSTAL_PARTS = ['street', 'city', 'region', 'postalCode', 'country'] as const;

/**
 * The side that gives both name fields at a first meeting, where the sides divide a name differently and field by field a
 * word of it would stand twice: `Mary Ann Lee` and `Mary Ann` + `Lee` are not `Mary Ann Lee` + `Lee`.
 */
const nameSource = (sides: Sides<MergeSide>, policy: Policy): Side | null => {
  // A pairing may be stored with empty bases before anything of it was written.
  const isKnown = ({ base }: MergeSide): boolean => base !== null && NAME_FIELDS.some((field) => base[field] !== '');
  if (isKnown(sides.google) || isKnown(sides.service)) return null;
  const names = { google: sides.google.contact, service: sides.service.contact };
  const winner = winnerOf(policy, sides);
  const united = NAME_FIELDS.flatMap((field) => wordsOf(names[winner][field] || names[otherSide(winner)][field]));
  const words = (side: Side) => NAME_FIELDS.flatMap((field) => wordsOf(names[side][field]));
  if (SIDES.some((side) => united.length <= words(side).length)) return null;
  const whole = SIDES.filter((side) => united.every((word) => words(side).includes(word)));
  const divided = whole.filter((side) => NAME_FIELDS.every((field) => names[side][field] !== ''));
  return whole.length === 2 && divided.length !== 1 ? winner : (divided[0] ?? whole[0] ?? null);
};

/** What one list field of one side gains and loses through the other side's changes. */
export type ListDelta = { readonly add: readonly ListElement[]; readonly remove: readonly ListElement[] };

const NO_DELTA: ListDelta = { add: [], remove: [] };

/** Whether two lists hold the same texts in the same order, whatever their labels: a quick way to see that all is quiet. */
const haveSameTexts = (a: readonly ListElement[], b: readonly ListElement[]): boolean => {
  const isSame = (element: ListElement, other: ListElement | undefined): boolean => {
    if (other === undefined) return false;
    return 'value' in element
      ? 'value' in other && element.value === other.value
      : 'street' in other && POSTAL_PARTS.every((part) => element[part] === other[part]);
  };
  return a.length === b.length && a.every((element, index) => isSame(element, b[index]));
};

/**
 * Merges a list element by element (R3). An element added on one side is added on the other; one removed on one side is
 * removed on the other, unless that side added it anew. Labels, spelling and order of a side that holds the element stay.
 */
export const mergeList = (field: ListField, google: MergeSide, service: MergeSide): Sides<ListDelta> => {
  const elements = (contact: Contact | null) => (contact === null ? [] : listOf(contact, field));
  const lists = {
    google: elements(google.contact),
    service: elements(service.contact),
    googleBase: elements(google.base),
    serviceBase: elements(service.base),
  };
  const met = haveMet({ google, service });
  const isQuiet = met
    ? haveSameTexts(lists.google, lists.googleBase) && haveSameTexts(lists.service, lists.serviceBase)
    : haveSameTexts(lists.google, lists.service);
  if (isQuiet) return { google: NO_DELTA, service: NO_DELTA };
  const { google: g, service: s, googleBase: gBase, serviceBase: sBase } = aliasLeftovers(keyLists(field, lists));
  const gains = (from: KeyedList, fromBase: KeyedList, to: KeyedList): ListElement[] => {
    return [...from].filter(([key]) => (!met || !fromBase.has(key)) && !to.has(key)).map(([, element]) => element);
  };
  const losses = (from: KeyedList, fromBase: KeyedList, to: KeyedList, toBase: KeyedList): ListElement[] => {
    if (!met) return [];
    return [...to]
      .filter(([key]) => fromBase.has(key) && !from.has(key) && toBase.has(key))
      .map(([, element]) => element);
  };
  return {
    google: { add: gains(s, sBase, g), remove: losses(s, sBase, g, gBase) },
    service: { add: gains(g, gBase, s), remove: losses(g, gBase, s, sBase) },
  };
};

const applyDelta = (elements: readonly ListElement[], { add, remove }: ListDelta): readonly ListElement[] => {
  return [...elements.filter((element) => !remove.includes(element)), ...add];
};

const isEmptyDelta = ({ add, remove }: ListDelta): boolean => add.length === 0 && remove.length === 0;

type Draft = {
  readonly desired: Record<Side, Contact>;
  readonly fields: Record<Side, ContactField[]>;
  readonly held: Record<Side, SyncedField[]>;
  readonly conflicts: Conflict[];
};

const mergeScalarInto = (
  draft: Draft,
  field: ScalarField,
  sides: Sides<MergeSide>,
  policy: Policy,
  source: Side | null,
): void => {
  const outcome = mergeScalar(field, sides.google, sides.service);
  if (outcome.kind === 'quiet') return;
  const from = source ?? (outcome.kind === 'travel' ? outcome.from : winnerOf(policy, sides));
  const to = otherSide(from);
  if (!mayWrite(policy, to)) {
    draft.held[from].push(field);
    return;
  }
  if (outcome.kind === 'conflict') {
    const { google, service } = sides;
    draft.conflicts.push({ field, google: google.contact[field], service: service.contact[field], winner: from });
  }
  draft.fields[to].push(field);
  draft.desired[to] = { ...draft.desired[to], [field]: sides[from].contact[field] };
};

const mergeListInto = (draft: Draft, field: ListField, sides: Sides<MergeSide>, policy: Policy): void => {
  const merged = mergeList(field, sides.google, sides.service);
  for (const to of SIDES) {
    if (isEmptyDelta(merged[to])) continue;
    if (!mayWrite(policy, to)) {
      draft.held[otherSide(to)].push(field);
      continue;
    }
    draft.fields[to].push(field);
    draft.desired[to] = withList(draft.desired[to], field, applyDelta(listOf(sides[to].contact, field), merged[to]));
  }
};

/** Merges two versions of one person field by field, each side measured against its own base. Pure. */
export const mergeContacts = (google: MergeSide, service: MergeSide, policy: Policy): Merge => {
  const draft: Draft = {
    desired: { google: google.contact, service: service.contact },
    fields: { google: [], service: [] },
    held: { google: [], service: [] },
    conflicts: [],
  };
  const sides = { google, service };
  const name = nameSource(sides, policy);
  for (const field of SCALAR_FIELDS) {
    mergeScalarInto(draft, field, sides, policy, NAME_FIELDS.includes(field) ? name : null);
  }
  for (const field of LIST_FIELDS) mergeListInto(draft, field, sides, policy);
  return draft;
};
