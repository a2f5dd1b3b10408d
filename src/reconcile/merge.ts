import {
  LIST_FIELDS,
  SCALAR_FIELDS,
  type Contact,
  type ContactField,
  type ListField,
  type ScalarField,
  type SyncedField,
} from '../contact/contact.ts';
import { otherSide, SIDES, type Side } from '../contact/side.ts';
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
  readonly desired: { readonly left: Contact; readonly right: Contact };
  readonly fields: { readonly left: readonly ContactField[]; readonly right: readonly ContactField[] };
  readonly held: { readonly left: readonly SyncedField[]; readonly right: readonly SyncedField[] };
  readonly conflicts: readonly Conflict[];
};

type Sides<T> = { readonly left: T; readonly right: T };

const winnerOf = (policy: Policy, { left, right }: Sides<MergeSide>): Side => {
  return conflictWinner(policy, { left: left.modifiedAtMs, right: right.modifiedAtMs });
};

const haveMet = ({ left, right }: Sides<MergeSide>): boolean => left.base !== null && right.base !== null;

type ScalarOutcome =
  | { readonly kind: 'quiet' }
  | { readonly kind: 'travel'; readonly from: Side }
  | { readonly kind: 'conflict' };

/** What becomes of one scalar field (R3, R4, R5; at a first meeting a filled field beats an empty one, R13). */
export const mergeScalar = (field: ScalarField, left: MergeSide, right: MergeSide): ScalarOutcome => {
  const values = { left: left.contact[field], right: right.contact[field] };
  if (values.left === values.right) return { kind: 'quiet' };
  if (left.base === null || right.base === null) {
    if (values.left === '') return { kind: 'travel', from: 'right' };
    return values.right === '' ? { kind: 'travel', from: 'left' } : { kind: 'conflict' };
  }
  const leftChanged = values.left !== left.base[field];
  const rightChanged = values.right !== right.base[field];
  if (!leftChanged && !rightChanged) return { kind: 'quiet' };
  if (leftChanged && rightChanged) return { kind: 'conflict' };
  return { kind: 'travel', from: leftChanged ? 'left' : 'right' };
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
  if (isKnown(sides.left) || isKnown(sides.right)) return null;
  const names = { left: sides.left.contact, right: sides.right.contact };
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
export const mergeList = (field: ListField, left: MergeSide, right: MergeSide): Sides<ListDelta> => {
  const elements = (contact: Contact | null) => (contact === null ? [] : listOf(contact, field));
  const lists = {
    left: elements(left.contact),
    right: elements(right.contact),
    leftBase: elements(left.base),
    rightBase: elements(right.base),
  };
  const met = haveMet({ left, right });
  const isQuiet = met
    ? haveSameTexts(lists.left, lists.leftBase) && haveSameTexts(lists.right, lists.rightBase)
    : haveSameTexts(lists.left, lists.right);
  if (isQuiet) return { left: NO_DELTA, right: NO_DELTA };
  const { left: g, right: s, leftBase: gBase, rightBase: sBase } = aliasLeftovers(keyLists(field, lists));
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
    left: { add: gains(s, sBase, g), remove: losses(s, sBase, g, gBase) },
    right: { add: gains(g, gBase, s), remove: losses(g, gBase, s, sBase) },
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
  const outcome = mergeScalar(field, sides.left, sides.right);
  if (outcome.kind === 'quiet') return;
  const from = source ?? (outcome.kind === 'travel' ? outcome.from : winnerOf(policy, sides));
  const to = otherSide(from);
  if (!mayWrite(policy, to)) {
    draft.held[from].push(field);
    return;
  }
  if (outcome.kind === 'conflict') {
    const { left, right } = sides;
    draft.conflicts.push({ field, left: left.contact[field], right: right.contact[field], winner: from });
  }
  draft.fields[to].push(field);
  draft.desired[to] = { ...draft.desired[to], [field]: sides[from].contact[field] };
};

const mergeListInto = (draft: Draft, field: ListField, sides: Sides<MergeSide>, policy: Policy): void => {
  const merged = mergeList(field, sides.left, sides.right);
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
export const mergeContacts = (left: MergeSide, right: MergeSide, policy: Policy): Merge => {
  const draft: Draft = {
    desired: { left: left.contact, right: right.contact },
    fields: { left: [], right: [] },
    held: { left: [], right: [] },
    conflicts: [],
  };
  const sides = { left, right };
  const name = nameSource(sides, policy);
  for (const field of SCALAR_FIELDS) {
    mergeScalarInto(draft, field, sides, policy, NAME_FIELDS.includes(field) ? name : null);
  }
  for (const field of LIST_FIELDS) mergeListInto(draft, field, sides, policy);
  return draft;
};
