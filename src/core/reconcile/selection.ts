import type { ContactRecord } from '../contact/record.ts';
import { bySide, SIDES, type Side, type Sides } from '../contact/side.ts';
import type { GroupNames } from './groups.ts';
import type { GroupLink } from './membership.ts';
import { nameMatcher } from './policy.ts';

/** What of a contact a selection goes by. */
type Selectable = Pick<ContactRecord, 'groupIds' | 'marks'>;

/** Which contacts each side selects, by its groups as they are called now. */
export type Selection = {
  /** Whether both sides select every contact, whatever its groups. */
  readonly isEverybody: boolean;
  /** Differs from that of an earlier selection wherever the same contact may be selected by one and not by the other. */
  readonly key: string;
  /** Whether the side selects a contact of that side; groups that are yet to be created go by their keys. */
  readonly selects: (side: Side, contact: Selectable) => boolean;
};

/** The patterns that select every contact. */
const EVERYBODY = '*';
const STARRED = 'starred';
const TAG = 'tag:';

type Rule = {
  readonly excludes: boolean;
  /** Null: every contact. */
  readonly groupIds: ReadonlySet<string> | null;
  readonly hasMark: (mark: string) => boolean;
};

/** The rule of a pattern; groups by any pattern, marks by their own words alone, so that `S*` means no star. */
const ruleOf = (pattern: string, names: ReadonlyMap<string, string>): Rule => {
  const excludes = pattern.startsWith('!');
  const glob = excludes ? pattern.slice(1).trim() : pattern;
  if (glob === EVERYBODY) return { excludes, groupIds: null, hasMark: () => true };
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

/** The groups that a selection goes by. */
type SelectedGroups = { readonly names: Sides<GroupNames>; readonly links: readonly GroupLink[] };

/** The names of a side's groups, under the ids too that groups which were just created have got. */
const namesOf = ({ names, links }: SelectedGroups, side: Side): ReadonlyMap<string, string> => {
  const created = links.flatMap((link): [string, string][] => {
    const [id, name] = [link[side], names[side].get(link.key)];
    return id === null || name === undefined || names[side].has(id) ? [] : [[id, name]];
  });
  return new Map([...names[side], ...created]);
};

/** The patterns of both sides as one text. */
export const patternsText = (contacts: Sides<readonly string[]>): string =>
  JSON.stringify({ left: contacts.left, right: contacts.right });

/** Whether patterns select every contact of both sides. */
export const selectsEverybody = (contacts: Sides<readonly string[]>): boolean =>
  SIDES.every((side) => contacts[side].length > 0 && contacts[side].every((pattern) => pattern === EVERYBODY));

/**
 * The predicates of `GOOGLE_CONTACTS`, `SERVICE_CONTACTS` and their like: the last pattern that matches a group or a mark of
 * a contact decides, and a contact that none matches is not selected. Groups count as the plan leaves them. Pure.
 */
export const selectionOf = (contacts: Sides<readonly string[]>, groups: SelectedGroups): Selection => {
  const rules = bySide((side) => contacts[side].map((pattern) => ruleOf(pattern, namesOf(groups, side))));
  const groupIds = SIDES.map((side) => rules[side].map((rule) => [...(rule.groupIds ?? [])].toSorted()));
  return {
    isEverybody: selectsEverybody(contacts),
    key: JSON.stringify([patternsText(contacts), ...groupIds]),
    selects: (side, contact) =>
      rules[side].reduce((selected, rule) => (appliesTo(rule, contact) ? !rule.excludes : selected), false),
  };
};
