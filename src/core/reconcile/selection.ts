import { type Half, isPresent } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import { bySide, type Side, SIDES, type Sides } from '../contact/side.ts';
import type { Pair } from '../contact/pair.ts';
import type { Merge, Unlink } from './decision.ts';
import type { GroupNames } from './groups.ts';
import type { GroupLink } from './membership.ts';
import { nameMatcher } from './policy.ts';

/** The parts of a contact that a selection depends on. */
type Selectable = Pick<ContactRecord, 'groupIds' | 'marks'>;

/** The contacts that each side selects, by the current names of its groups. */
export type Selection = {
  /** True if both sides select every contact, regardless of its groups. */
  readonly isUnrestricted: boolean;
  /** Two selections have different keys if one may select a contact that the other does not select. */
  readonly key: string;
  /** Returns whether the side selects a contact of that side. Groups that are yet to be created have their keys as ids. */
  readonly selects: (side: Side, contact: Selectable) => boolean;
};

/** The patterns that select every contact. */
const EVERY_CONTACT = '*';
const STARRED = 'starred';
const TAG = 'tag:';

type Rule = {
  readonly excludes: boolean;
  /** Null means every contact. */
  readonly groupIds: ReadonlySet<string> | null;
  readonly hasMark: (mark: string) => boolean;
};

/**
 * Returns the rule of a pattern. Any pattern can match groups; only a mark's own word matches marks, so `S*`
 * does not match `starred`.
 */
const ruleOf = (pattern: string, names: GroupNames): Rule => {
  const excludes = pattern.startsWith('!');
  const glob = excludes ? pattern.slice(1).trim() : pattern;
  if (glob === EVERY_CONTACT) return { excludes, groupIds: null, hasMark: () => true };
  const matches = nameMatcher(glob);
  const isOfMarks = glob.toLowerCase() === STARRED || glob.toLowerCase().startsWith(TAG);
  return {
    excludes,
    groupIds: new Set([...names].flatMap(([id, name]) => (matches(name) ? [id] : []))),
    hasMark: isOfMarks ? matches : () => false,
  };
};

const appliesTo = ({ groupIds, hasMark }: Rule, contact: Selectable): boolean =>
  groupIds === null || contact.groupIds.some((id) => groupIds.has(id)) || (contact.marks ?? []).some(hasMark);

/** Returns the patterns of both sides as one text. */
export const patternsText = (contacts: Sides<readonly string[]>): string =>
  JSON.stringify({ left: contacts.left, right: contacts.right });

/** Returns whether patterns select every contact of both sides. */
export const selectsEveryContact = (contacts: Sides<readonly string[]>): boolean =>
  SIDES.every((side) => contacts[side].length > 0 && contacts[side].every((pattern) => pattern === EVERY_CONTACT));

/**
 * Returns the predicates of `GOOGLE_CONTACTS`, `SERVICE_CONTACTS` and similar variables. The last pattern that matches a group or a
 * mark of a contact decides. A contact that no pattern matches is not selected. The names are those after the plan. Pure.
 */
export const selectionOf = (contacts: Sides<readonly string[]>, names: Sides<GroupNames>): Selection => {
  const rules = bySide((side) => contacts[side].map((pattern) => ruleOf(pattern, names[side])));
  const groupIds = SIDES.map((side) => rules[side].map((rule) => [...(rule.groupIds ?? [])].toSorted()));
  return {
    isUnrestricted: selectsEveryContact(contacts),
    key: JSON.stringify([patternsText(contacts), ...groupIds]),
    selects: (side, contact) =>
      rules[side].reduce((selected, rule) => (appliesTo(rule, contact) ? !rule.excludes : selected), false),
  };
};

type Selects = Selection['selects'];

/** Returns whether the side of a half selects its current contact. */
export const isSelected = ({ side, record }: Half, selects: Selects): boolean => selects(side, record);

/** Unlinks a pair of which both contacts exist and neither is selected (R18). Returns null for any other pair. */
export const decideUnselected = (pair: Pair, selects: Selects): Unlink | null => {
  const { left, right } = pair;
  if (!isPresent(left) || !isPresent(right)) return null;
  return isSelected(left, selects) || isSelected(right, selects) ? null : { kind: 'unlink', pair, to: 'unselected' };
};

/** Marks the merge with `unlinks` if no side selects the memberships that it writes. */
export const withUnlinking = (merge: Merge, links: readonly GroupLink[], selects: Selects): Merge => {
  const staysSelected = SIDES.some((side) => {
    const { record } = merge.pair[side];
    const { joins, leaves } = merge.writes[side];
    const idsOf = (keys: readonly string[]): readonly string[] =>
      links.flatMap((link) => (keys.includes(link.key) ? [link[side] ?? link.key] : []));
    const removed = new Set(idsOf(leaves));
    const kept = record.groupIds.filter((id) => !removed.has(id));
    return selects(side, { ...record, groupIds: [...kept, ...idsOf(joins)] });
  });
  return staysSelected ? merge : { ...merge, unlinks: true };
};

/** Returns the unpaired contacts whose selection by their side has changed, as they are to be stored. */
export const restOf = (unpaired: readonly Half[], selects: Selects): readonly Half[] =>
  unpaired.flatMap((half) => {
    const state = isSelected(half, selects) ? 'changed' : 'settled';
    return half.state === state ? [] : [{ ...half, state } as const];
  });
