import {
  type Contact,
  type ContactField,
  type ListField,
  listsIn,
  type ScalarField,
  scalarsIn,
  type SyncedField,
  textIn,
  withValue,
} from '../contact/contact.ts';
import { isExtraField } from '../contact/fields.ts';
import type { Half } from '../contact/half.ts';
import { haveSameParts, inPlacesOf, type ListElement } from '../contact/keys.ts';
import {
  elementKey,
  hasOtherSpelling,
  isTypedList,
  type KeyedList,
  keyLists,
  listOf,
  unitedElement,
  withList,
} from '../contact/lists.ts';
import { unsyncableFields } from '../contact/record.ts';
import { bySide, otherSide, type Side, SIDES, type Sides } from '../contact/side.ts';
import { contactsOf, type Snapshot } from '../contact/snapshot.ts';
import type { Conflict, RecordedConflict } from './decision.ts';
import { NAME_FIELDS, ruleName } from './merge-name.ts';
import { conflictWinner, policyFor, decidesByTime } from './conflict-policy.ts';
import { forField, mayWrite, type Policy } from './policy.ts';
import { takenValue, type Taken } from './recorded-conflicts.ts';
import { aliasLeftovers } from './similar.ts';

const winnerOf = (policy: Policy, halves: Sides<Half>, field: ScalarField): Side | null =>
  conflictWinner(
    forField(policy, field),
    policyFor(policy, field),
    bySide((side) => halves[side].editedAtMs),
  );

const hasBases = ({ left, right }: Sides<Half>): boolean => left.base !== null && right.base !== null;

/**
 * Returns the side whose text is written to the other one, `conflict` if both changed it, or null if neither is written (R3, R4, R5). At a
 * first match a filled field wins over an empty one (R13).
 */
export const mergeScalar = (field: ScalarField, { left, right }: Sides<Half>): Side | 'conflict' | null => {
  const values = bySide((side) => textIn(side === 'left' ? left.record.contact : right.record.contact, field));
  if (values.left === values.right) return null;
  if (left.base === null || right.base === null) {
    if (values.left === '') return 'right';
    return values.right === '' ? 'left' : 'conflict';
  }
  const leftChanged = values.left !== textIn(left.base.contact, field);
  const rightChanged = values.right !== textIn(right.base.contact, field);
  if (leftChanged && rightChanged) return 'conflict';
  if (leftChanged) return 'left';
  return rightChanged ? 'right' : null;
};

/** The elements that a list field of one side gains and loses through changes of the other side. */
type ListDelta = {
  readonly add: readonly ListElement[];
  readonly remove: readonly ListElement[];
  /** For an added element that replaces a removed one: the removed one, whose place it takes. */
  readonly replaces: ReadonlyMap<ListElement, ListElement>;
};

const NO_DELTA: ListDelta = { add: [], remove: [], replaces: new Map() };

/**
 * Returns whether two lists contain the same texts in the same order. Labels are ignored where they are not part of the elements.
 * This is a fast check that nothing changed.
 */
const haveSameTexts = (field: ListField, a: readonly ListElement[], b: readonly ListElement[]): boolean => {
  const isTyped = isTypedList(field);
  const isSame = (element: ListElement, other: ListElement | undefined): boolean => {
    if (other === undefined || (isTyped && element.label !== other.label)) return false;
    if ('value' in element) return 'value' in other && element.value === other.value;
    return 'street' in other && haveSameParts(element, other);
  };
  return a.length === b.length && a.every((element, index) => isSame(element, b[index]));
};

/** Two elements, each present on one side only, that are the same element (`ListSpec.united`). */
type Twin = Sides<ListElement>;

/**
 * Returns every two elements that are the same element, among the elements that only one side has. An element with several
 * candidates is not united.
 */
const twinsAmong = (field: ListField, alone: Sides<readonly ListElement[]>): readonly Twin[] => {
  if (alone.left.length === 0 || alone.right.length === 0) return [];
  const isOne = (left: ListElement, right: ListElement): boolean => unitedElement(field, left, right) !== null;
  return alone.left.flatMap((left): Twin[] => {
    const [right, ...others] = alone.right.filter((each) => isOne(left, each));
    if (right === undefined || others.length > 0) return [];
    return alone.left.some((each) => each !== left && isOne(each, right)) ? [] : [{ left, right }];
  });
};

/** Unites elements that are the same element in the changes of a list: the more complete one stays, with each side's own label. */
const uniteTwins = (
  field: ListField,
  delta: Sides<ListDelta>,
  alone: Sides<readonly ListElement[]>,
): Sides<ListDelta> => {
  const isAdded = ({ left, right }: Twin): boolean => delta.left.add.includes(right) || delta.right.add.includes(left);
  const twins = twinsAmong(field, alone).filter(isAdded);
  if (twins.length === 0) return delta;
  return bySide((side) => {
    const replaced = twins.flatMap((twin) => {
      const united = unitedElement(field, twin[side], twin[otherSide(side)]);
      const isFuller = united !== null && elementKey(field, united) !== elementKey(field, twin[side]);
      return isFuller ? [{ former: twin[side], united }] : [];
    });
    const arrived = new Set(twins.map((twin) => twin[otherSide(side)]));
    return {
      add: [...delta[side].add.filter((element) => !arrived.has(element)), ...replaced.map(({ united }) => united)],
      remove: [...delta[side].remove, ...replaced.map(({ former }) => former)],
      replaces: new Map([
        ...delta[side].replaces,
        ...replaced.map(({ former, united }): [ListElement, ListElement] => [united, former]),
      ]),
    };
  });
};

const NO_SOURCE: Sides<boolean> = { left: false, right: false };

/** Returns for each side whether it is the source of a one-way link. Its removals apply even if the target changed the element. */
const sourceFlags = (policy: Policy): Sides<boolean> => bySide((side) => !mayWrite(policy, side));

/** Returns the keys that only the first list has, by the preceding key that both lists have; empty at the start of the list. */
const keysByPlace = (list: KeyedList, other: KeyedList): ReadonlyMap<string, readonly string[]> => {
  let place = '';
  const found = new Map<string, string[]>();
  for (const key of list.keys()) {
    if (other.has(key)) place = key;
    else found.set(place, [...(found.get(place) ?? []), key]);
  }
  return found;
};

/** Returns the elements that a side replaced by another one in the same place, by the key of the new one. */
const replacedKeys = (now: KeyedList, base: KeyedList): ReadonlyMap<string, string> => {
  const removed = keysByPlace(base, now);
  return new Map(
    [...keysByPlace(now, base)].flatMap(([place, added]) => {
      const former = removed.get(place) ?? [];
      return added.slice(0, former.length).map((key, index) => [key, former[index] ?? ''] as const);
    }),
  );
};

/** The versions of a list on one side: the current one, and that of the base. */
type Versions = { readonly now: KeyedList; readonly base: KeyedList };

const elementsOf = (list: KeyedList, isMeant: (key: string) => boolean): readonly ListElement[] =>
  [...list].flatMap(([key, element]) => (isMeant(key) ? [element] : []));

/**
 * Returns what the list of one side (`to`) gains and loses through changes of the other one. `wins`: removals apply even if `to` has
 * changed the element.
 */
const changesBetween = (field: ListField, from: Versions, to: Versions, wins: boolean): ListDelta => {
  const add = elementsOf(from.now, (key) => !from.base.has(key) && !to.now.has(key));
  const isRemoved = (key: string): boolean => from.base.has(key) && !from.now.has(key) && (wins || to.base.has(key));
  const remove = elementsOf(to.now, (key) => isRemoved(key) && !hasOtherSpelling(field, from.now, to.now, key));
  if (add.length === 0 || remove.length === 0) return { ...NO_DELTA, add, remove };
  const pairs = [...replacedKeys(from.now, from.base)].flatMap(([key, former]): [ListElement, ListElement][] => {
    const [added, removed] = [from.now.get(key), to.now.get(former)];
    return added !== undefined && removed !== undefined && remove.includes(removed) ? [[added, removed]] : [];
  });
  return { add, remove, replaces: new Map(pairs) };
};

/**
 * Merges a list element by element (R3). An element added on one side is added on the other. An element removed on one side is
 * removed on the other, unless that side added it since and is not the target of a one-way link, or the first side still has it in
 * another spelling. An element that one side replaced takes the place of the former one on the other side. A side that has the element
 * keeps its label, spelling and position.
 */
export const mergeList = (field: ListField, halves: Sides<Half>, isSource = NO_SOURCE): Sides<ListDelta> => {
  const { left, right } = halves;
  const elements = (snapshot: Snapshot | null) => (snapshot === null ? [] : listOf(snapshot.contact, field));
  const lists = {
    left: elements(left.record),
    right: elements(right.record),
    leftBase: elements(left.base),
    rightBase: elements(right.base),
  };
  const isKnownPair = hasBases(halves);
  const isQuiet = isKnownPair
    ? haveSameTexts(field, lists.left, lists.leftBase) && haveSameTexts(field, lists.right, lists.rightBase)
    : haveSameTexts(field, lists.left, lists.right);
  if (isQuiet) return { left: NO_DELTA, right: NO_DELTA };
  const keyed = aliasLeftovers(keyLists(field, lists));
  const versions = bySide((side): Versions => ({ now: keyed[side], base: keyed[`${side}Base`] }));
  const delta = bySide((to): ListDelta => {
    const from = otherSide(to);
    return isKnownPair
      ? changesBetween(field, versions[from], versions[to], isSource[from])
      : { ...NO_DELTA, add: elementsOf(versions[from].now, (key) => !versions[to].now.has(key)) };
  });
  const alone = bySide((side) => {
    const other = versions[otherSide(side)];
    return elementsOf(versions[side].now, (key) => !other.now.has(key) && !other.base.has(key));
  });
  return uniteTwins(field, delta, alone);
};

const replacement = (former: ListElement, element: ListElement): ListElement =>
  'street' in former && 'street' in element ? inPlacesOf(former, element) : element;

const applyDelta = (elements: readonly ListElement[], { add, remove, replaces }: ListDelta): readonly ListElement[] => {
  const placed = new Map(
    add.flatMap((element) => {
      const former = replaces.get(element);
      return former === undefined ? [] : [[former, element] as const];
    }),
  );
  const kept = elements.flatMap((element) => {
    const next = placed.get(element);
    if (next !== undefined) return [replacement(element, next)];
    return remove.includes(element) ? [] : [element];
  });
  const others = new Set(placed.values());
  return [...kept, ...add.filter((element) => !others.has(element))];
};

const isEmptyDelta = ({ add, remove }: ListDelta): boolean => add.length === 0 && remove.length === 0;

/** The result of merging the contact fields of two halves, while they are merged one by one. */
type FieldMerge = {
  /** The target contact of each side; equal to its current contact if `fields` is empty. */
  readonly desired: Record<Side, Contact>;
  readonly fields: Record<Side, ContactField[]>;
  readonly localFields: Record<Side, SyncedField[]>;
  readonly conflicts: Conflict[];
  readonly taken: { field: SyncedField; from: Side }[];
};

type NameRuling = ReturnType<typeof ruleName>;

/** Earlier decisions about the two contacts, made by a run or by a person. */
type Rulings = {
  readonly recorded: readonly RecordedConflict[];
  /** Returns the winner of an earlier conflict about the same two values, or null. */
  readonly decided: (conflict: Omit<Conflict, 'winner'>) => Side | null;
};

/**
 * Returns the values that a person chose, and the winners that were chosen before by time. The latter are kept because our own
 * later write to a side does not make it the newer side (R4).
 */
const rulingsOf = (recorded: readonly RecordedConflict[], policy: Policy): Rulings => ({
  recorded,
  decided: ({ field, left, right }) => {
    if (!decidesByTime(policy, field)) return null;
    return recorded.find((each) => each.field === field && each.left === left && each.right === right)?.winner ?? null;
  },
});

/**
 * Writes the value that a person chose, that of side `from`, to the sides that lack it. If the link may not write it there, the
 * difference is kept like a change of the side that has it.
 */
const takeInto = (draft: FieldMerge, field: ScalarField, policy: Policy, { from, value, to: lacking }: Taken): void => {
  for (const to of lacking) {
    if (!mayWrite(forField(policy, field), to)) {
      draft.localFields[otherSide(to)].push(field);
      continue;
    }
    draft.fields[to].push(field);
    draft.desired[to] = withValue(draft.desired[to], field, value);
  }
  draft.taken.push({ field, from });
};

/** Returns whether a text of a user is replaced. The target's value of a computed field is not user data. */
const losesText = (outcome: ReturnType<typeof mergeScalar>, name: NameRuling, field: ScalarField): boolean =>
  (outcome === 'conflict' || name?.conflicts === true) && !isExtraField(field);

const mergeScalarInto = (
  draft: FieldMerge,
  field: ScalarField,
  sides: Sides<Half>,
  policy: Policy,
  name: NameRuling,
  { decided, recorded }: Rulings,
): void => {
  const taken = takenValue(field, sides, recorded);
  if (taken !== null) return takeInto(draft, field, policy, taken);
  const outcome = mergeScalar(field, sides);
  if (outcome === null) return;
  const conflict = { field, ...bySide((side) => textIn(sides[side].record.contact, field)) };
  const singleSource = (): Side | null =>
    outcome === 'conflict' ? (decided(conflict) ?? winnerOf(policy, sides, field)) : outcome;
  const ruled = name?.fields.includes(field) === true ? name : null;
  const from = ruled === null ? singleSource() : ruled.from;
  if (from === null) {
    draft.conflicts.push({ ...conflict, winner: null });
    for (const side of SIDES) draft.localFields[side].push(field);
    return;
  }
  const to = otherSide(from);
  if (!mayWrite(forField(policy, field), to)) {
    draft.localFields[from].push(field);
    return;
  }
  if (losesText(outcome, ruled, field)) draft.conflicts.push({ ...conflict, winner: from });
  draft.fields[to].push(field);
  draft.desired[to] = withValue(draft.desired[to], field, textIn(sides[from].record.contact, field));
};

const mergeListInto = (draft: FieldMerge, field: ListField, sides: Sides<Half>, linkPolicy: Policy): void => {
  const policy = forField(linkPolicy, field);
  const merged = mergeList(field, sides, sourceFlags(policy));
  for (const to of SIDES) {
    if (isEmptyDelta(merged[to])) continue;
    if (!mayWrite(policy, to)) {
      draft.localFields[otherSide(to)].push(field);
      continue;
    }
    draft.fields[to].push(field);
    draft.desired[to] = withList(
      draft.desired[to],
      field,
      applyDelta(listOf(sides[to].record.contact, field), merged[to]),
    );
  }
};

/** Decides whether the parts of the name are merged together. They are merged separately if one of them is not synced. */
const nameRuling = (
  sides: Sides<Half>,
  policy: Policy,
  { decided }: Rulings,
  localFields: ReadonlySet<SyncedField>,
): NameRuling => {
  if (NAME_FIELDS.some((field) => localFields.has(field))) return null;
  const isFree = (field: ScalarField): boolean => SIDES.every((side) => mayWrite(forField(policy, field), side));
  const decidedFor = (field: ScalarField): Side | null =>
    decided({ field, ...bySide((side) => textIn(sides[side].record.contact, field)) });
  const winner = (field: ScalarField): Side | null => decidedFor(field) ?? winnerOf(policy, sides, field);
  return ruleName(sides, {
    isFree,
    winnerOf: winner,
    wholeWinner: () => decidedFor('firstName') ?? winner('lastName'),
  });
};

/**
 * Merges the two halves of one person field by field, each compared with its own base. `recorded` are their conflicts that have
 * not ended. Pure.
 */
export const mergeHalves = (
  sides: Sides<Half>,
  policy: Policy,
  recorded: readonly RecordedConflict[] = [],
): FieldMerge => {
  const rulings = rulingsOf(recorded, policy);
  const draft: FieldMerge = {
    desired: bySide((side) => sides[side].record.contact),
    fields: { left: [], right: [] },
    localFields: { left: [], right: [] },
    conflicts: [],
    taken: [],
  };
  // The values of such a field cannot be compared: neither side is written (R15).
  const localFields = unsyncableFields(sides.left.record, sides.right.record);
  for (const side of SIDES) draft.localFields[side].push(...localFields);
  const name = nameRuling(sides, policy, rulings, localFields);
  const contacts = contactsOf(...SIDES.flatMap((side) => [sides[side].record, sides[side].base]));
  for (const field of scalarsIn(...contacts)) {
    if (localFields.has(field)) continue;
    mergeScalarInto(draft, field, sides, policy, name, rulings);
  }
  for (const field of listsIn(...contacts)) if (!localFields.has(field)) mergeListInto(draft, field, sides, policy);
  return draft;
};
