import { without, withoutExtras, withValuesOf } from '../contact/chosen.ts';
import { isEmptyContact, type SyncedField } from '../contact/contact.ts';
import { type Half, halfKey, isDeleted, isPresent } from '../contact/half.ts';
import { contactOf, unsyncableFields } from '../contact/record.ts';
import { bySide, otherSide, type Side, SIDES, type Sides } from '../contact/side.ts';
import { equalSnapshots, type Snapshot, unordered } from '../contact/snapshot.ts';
import type { Pair } from '../contact/pair.ts';
import {
  writesTo,
  type Creation,
  type Decision,
  draftOf,
  type Merge,
  type SideWrites,
  type RecordedConflict,
  type Unlink,
} from './decision.ts';
import type { GroupPlan } from './groups.ts';
import { type AmbiguousMatch, type Match, matchContacts, stillAmbiguous } from './match.ts';
import { type GroupLink, mergeMembership, unitingHalves } from './membership.ts';
import { mergeHalves } from './merge.ts';
import { keepMergedValues } from './merged-away.ts';
import { forField, mayWrite, type Policy, unwrittenFields } from './policy.ts';
import { findReplacements, meetReplacement, type Replacement } from './replacements.ts';
import { conflictFinder, endingFields } from './recorded-conflicts.ts';
import { decideUnselected, isSelected, restOf, type Selection, withUnlinking } from './selection.ts';
import { apartFrom, type Verdict } from './verdict.ts';

type PlanInput = {
  /** Linked pairs that may need a decision. */
  readonly pairs: readonly Pair[];
  /** Kept and dormant pairs: their only half may be matched again. */
  readonly lonePairs: readonly Pair[];
  /** Contacts that belong to no pair; `settled` means that an earlier plan decided to do nothing. */
  readonly unpaired: Sides<readonly Half[]>;
  /** The contacts that each side selects; all contacts if left out. */
  readonly selection?: Pick<Selection, 'selects'>;
  readonly groups: GroupPlan;
  /** Conflicts that have not ended. The same two values are decided in the same way until the winner is written (R4). */
  readonly conflicts: readonly RecordedConflict[];
  readonly policy: Policy;
  /** The ids of each side's account in the origins that this link stores on the other side (R9). */
  readonly scopes: Sides<string>;
  /** See {@link matchContacts}. */
  readonly marked: Sides<ReadonlyMap<string, string>>;
  /** The fields that the link has only started to sync: the bases do not contain them. */
  readonly joining: readonly SyncedField[];
  /** Decisions of a person about two contacts. */
  readonly verdicts: readonly Verdict[];
};

/** The actions of a run. Plain data, the same value for `plan` and for `sync`. */
export type Plan = {
  readonly groups: GroupPlan;
  readonly decisions: readonly Decision[];
  /** Unpaired halves to store, because their selection by their side has changed. */
  readonly rest: readonly Half[];
  readonly ambiguous: readonly AmbiguousMatch[];
  /** Contacts without any value that the other side can store. */
  readonly empty: readonly { readonly side: Side; readonly id: string }[];
};

/** The policy, and the fields that the link has only started to sync. */
type Terms = Policy & { readonly joining: readonly SyncedField[] };

/**
 * Returns whether a side was edited since its base: any value, label or membership in a linked group, ignoring order. Fields that
 * the link has only started to sync or never writes to the other side do not count, nor do values that a side computes.
 */
const wasEdited = (half: Half, links: readonly GroupLink[], policy: Terms): boolean => {
  if (half.base === null) return true;
  const ignored = [...policy.joining, ...unwrittenFields(policy, otherSide(half.side))];
  const linked = new Set(ignored.includes('buckets') ? [] : links.map((link) => link[half.side]));
  const visible = ({ contact, groupIds }: Snapshot): Snapshot =>
    unordered({
      contact: contactOf(without(withoutExtras(contact), ignored)),
      groupIds: groupIds.filter((id) => linked.has(id)),
    });
  return !equalSnapshots(visible(half.record), visible(half.base));
};

/**
 * Returns the halves of pairs of which one half was deleted, with the present values of the fields in their bases that the link has only
 * started to sync. If the deletion waits for a later run, these fields count as edited then if they have changed since (R6). Pure.
 */
export const withJoinedFields = (pairs: readonly Pair[], joining: readonly SyncedField[]): readonly Half[] => {
  if (joining.length === 0) return [];
  return pairs.flatMap(({ left, right }) => {
    const halves = [left, right].filter((half) => half !== null);
    const [remaining, ...others] = halves.filter(isPresent);
    if (remaining === undefined || others.length > 0) return [];
    const now = remaining.record.contact;
    return halves.flatMap(({ base, ...half }) =>
      base === null ? [] : [{ ...half, base: { ...base, contact: withValuesOf(base.contact, now, joining) } }],
    );
  });
};

/** Decides about two contacts that both exist (R2 to R5, R11, R13). */
const decideMerge = (
  pair: Pair,
  halves: Sides<Half>,
  links: readonly GroupLink[],
  policy: Policy,
  recorded: readonly RecordedConflict[] = [],
): Merge => {
  const merge = mergeHalves(halves, policy, recorded);
  const membership = mergeMembership(halves, links, forField(policy, 'buckets'));
  const localFields = (side: Side): readonly SyncedField[] => {
    return membership.isLocal[side] ? [...merge.localFields[side], 'buckets'] : merge.localFields[side];
  };
  const writes = bySide((side): SideWrites => {
    const [fields, desired] = [merge.fields[side], merge.desired[side]];
    const { joins, leaves } = membership[side];
    return { update: fields.length > 0 ? { fields, desired } : null, shares: [], joins, leaves };
  });
  const ends = endingFields(halves, writes, merge.conflicts, recorded);
  const agreedGroups = bySide((side) => membership[side].agreed);
  return {
    kind: 'merge',
    pair: { ...pair, ...halves },
    writes,
    conflicts: merge.conflicts,
    ...(merge.taken.length > 0 && { taken: merge.taken }),
    ...(ends.length > 0 && { ends }),
    localFields: bySide(localFields),
    ...(SIDES.some((side) => agreedGroups[side].length > 0) && { agreedGroups }),
    deferred: false,
  };
};

const joinsOf = (
  side: Side,
  { groupIds }: Pick<Snapshot, 'groupIds'>,
  links: readonly GroupLink[],
): readonly string[] => {
  const ids = new Set<string | null>(groupIds);
  return links.filter((link) => ids.has(link[side])).map((link) => link.key);
};

/** Returns the creation of a contact on the other side, without the fields that are never written there. */
const creationOf = (
  pair: Pair | null,
  { side, record }: Half,
  links: readonly GroupLink[],
  policy: Policy,
): Creation => {
  const to = otherSide(side);
  const localFields = [...unwrittenFields(policy, to), ...unsyncableFields(record)];
  const joins = localFields.includes('buckets') ? [] : joinsOf(side, record, links);
  const writes = writesTo(to, { joins });
  return { kind: 'create', side: to, source: record, pair, writes, ...(localFields.length > 0 && { localFields }) };
};

/** The inputs of all decisions about contacts. */
type DecisionContext = {
  readonly links: readonly GroupLink[];
  readonly policy: Terms;
  readonly selects: Selection['selects'];
};

/** Returns whether it is not confirmed yet that a contact exists: a read or a listing did not show it (R7). */
const isUncertain = ({ state }: Half): boolean => state === 'missing' || state === 'unseen';

/**
 * Decides about a pair of which one half is deleted (R6, R7) and the given half exists. Returns null while it is not confirmed that
 * the given half exists: it may be deleted, too.
 */
const decideHalfGone = (pair: Pair, half: Half, { links, policy, selects }: DecisionContext): Decision | null => {
  if (isUncertain(half)) return null;
  const gone = pair[otherSide(half.side)];
  const edited = wasEdited(half, links, policy);
  const isWanted = isSelected(half, selects);
  if (!mayWrite(policy, half.side)) {
    // The link is one-way and the contact was deleted at the target: it is created again when the source changes.
    return edited && isWanted ? creationOf(pair, half, links, policy) : { kind: 'unlink', pair, to: 'dormant' };
  }
  if (edited && mayWrite(policy, otherSide(half.side))) {
    return isWanted ? creationOf(pair, half, links, policy) : { kind: 'unlink', pair, to: 'kept' };
  }
  const wasSelected = isWanted || (gone !== null && isSelected(gone, selects));
  if (policy.deletes === 'keep' || !wasSelected) return { kind: 'unlink', pair, to: 'kept' };
  return { kind: 'delete', side: half.side, record: half.record, pair };
};

/** Returns the half of the pair that exists; the left one if both exist; null if neither exists. */
const existingHalf = ({ left, right }: Pair): Half | null => {
  if (isPresent(left)) return left;
  return isPresent(right) ? right : null;
};

const decidePair = (pair: Pair, context: DecisionContext, recorded: readonly RecordedConflict[]): Decision | null => {
  const { links, policy, selects } = context;
  const { left, right } = pair;
  const unselected = decideUnselected(pair, selects);
  if (unselected !== null) return unselected;
  if (isPresent(left) && isPresent(right)) {
    const halves = unitingHalves({ left, right }, links);
    const merge = decideMerge(pair, halves, links, policy, recorded);
    const isUniting = halves.left !== left || halves.right !== right;
    return withUnlinking({ ...merge, ...(isUniting && { isUniting }) }, links, selects);
  }
  const half = existingHalf(pair);
  if (half !== null) return decideHalfGone(pair, half, context);
  return { kind: 'unlink', pair, to: 'drop' };
};

/** Decides about a kept or dormant pair without a match. */
const decideLonePair = (pair: Pair, { links, policy, selects }: DecisionContext): Decision | null => {
  const half = existingHalf(pair);
  if (half === null) return { kind: 'unlink', pair, to: 'drop' };
  // An edit of it would count as decided.
  if (isUncertain(half)) return null;
  const isWritable = pair.status === 'dormant' && mayWrite(policy, otherSide(half.side));
  if (isWritable && wasEdited(half, links, policy) && isSelected(half, selects)) {
    return creationOf(pair, half, links, policy);
  }
  return { kind: 'unlink', pair, to: pair.status === 'dormant' ? 'dormant' : 'kept' };
};

/** Returns the kept and dormant pairs by the half that still exists. */
const lonePairsByKey = (pairs: readonly Pair[]): ReadonlyMap<string, Pair> => {
  const named = pairs.flatMap((pair) => {
    const half = existingHalf(pair);
    return half === null ? [] : [[halfKey(half), pair] as const];
  });
  return new Map(named);
};

/** Returns the contacts that may be paired for the first time: unpaired contacts, and the only halves of kept and dormant pairs. */
const candidatesOf = (side: Side, { unpaired, lonePairs }: PlanInput): readonly Half[] => {
  return [...unpaired[side], ...lonePairs.flatMap((pair) => (isPresent(pair[side]) ? [pair[side]] : []))];
};

/** Decides about two contacts as at a first meeting (R13). */
const decideMeeting = (
  pair: Pair,
  contacts: Sides<Half>,
  { links, policy, selects }: DecisionContext,
  recorded: readonly RecordedConflict[] = [],
): Merge => {
  const halves = bySide((side) => ({ ...contacts[side], base: null }));
  return withUnlinking(decideMerge(pair, halves, links, policy, recorded), links, selects);
};

/** Decides about two contacts that are paired for the first time. */
const decideMatch = (
  match: Match,
  lonePairs: ReadonlyMap<string, Pair>,
  context: DecisionContext,
  recorded: readonly RecordedConflict[],
): readonly Decision[] => {
  const [known, ...others] = SIDES.flatMap((side) => lonePairs.get(halfKey(match[side])) ?? []);
  // If both contacts were kept, one pair is dropped: no contact may be in two pairs.
  const drops = others.map((pair): Unlink => ({ kind: 'unlink', pair, to: 'drop' }));
  const pair: Pair = known ?? { id: null, status: 'linked', left: null, right: null };
  // A user may have decided conflicts of the first match before any run recorded them.
  const own = recorded.filter(({ leftId, rightId }) => leftId === match.left.id && rightId === match.right.id);
  const merge = decideMeeting(pair, match, context, own);
  return [...drops, match.byHand ? { ...merge, byHand: true } : merge];
};

/** Decides about the remaining half of a pair and the contact that replaces its other half (R12). The pair continues. */
const decideReplacement = (
  replacement: Replacement,
  { links, policy, selects }: DecisionContext,
  recorded: readonly RecordedConflict[],
): Decision => {
  const pair: Pair = { ...replacement.pair, status: 'kept', [replacement.gone.side]: null };
  const halves = unitingHalves(meetReplacement(replacement), links);
  const merge = decideMerge(pair, halves, links, policy, recorded);
  return withUnlinking({ ...merge, replacedOn: replacement.gone.side }, links, selects);
};

/** Creates a contact without a match on the other side, unless none of its values may be written there. */
const decideNew = (half: Half, { links, policy }: DecisionContext, { verdicts }: PlanInput): readonly Creation[] => {
  const creation = creationOf(null, half, links, policy);
  if (!mayWrite(policy, creation.side) || isEmptyContact(draftOf(creation))) return [];
  const apart = apartFrom(verdicts, half.side, half.record.id);
  return [{ ...creation, ...(apart.length > 0 && { apartFrom: apart }) }];
};

/**
 * Finds the contacts that are paired for the first time. All contacts are compared, so that a selected contact can also match a
 * contact that the other side does not select. Two contacts that no side selects are not paired.
 */
const matchSelected = (input: PlanInput, selects: DecisionContext['selects']): ReturnType<typeof matchContacts> => {
  const candidates = bySide((side) => candidatesOf(side, input));
  const selected = new Set(
    SIDES.flatMap((side) => candidates[side].filter((half) => isSelected(half, selects))).map(halfKey),
  );
  if (selected.size === 0) return { matches: [], ambiguous: [] };
  const { links } = input.groups;
  const { matches, ambiguous } = matchContacts({
    ...candidates,
    links,
    scopes: input.scopes,
    marked: input.marked,
    verdicts: input.verdicts,
  });
  return {
    matches: matches.filter((match) => SIDES.some((side) => selected.has(halfKey(match[side])))),
    ambiguous: ambiguous.filter((match) =>
      SIDES.some((side) => match[side].some((id) => selected.has(halfKey({ side, id })))),
    ),
  };
};

/**
 * Decides about every contact that needs a decision (R1 to R13). Contains all decisions of a run, and uses no clock, no
 * randomness and no I/O. Pure.
 */
export const planContacts = (input: PlanInput): Plan => {
  const { groups } = input;
  const policy: Terms = { ...input.policy, joining: input.joining };
  const selects = input.selection?.selects ?? (() => true);
  const context = { links: groups.links, policy, selects };
  const lonePairs = lonePairsByKey(input.lonePairs);
  const recordedFor = conflictFinder(input.conflicts);
  const found = findReplacements(input.unpaired, input.pairs, input);
  const taken = new Set(found.map(({ added }) => added));
  const unpaired = bySide((side) => input.unpaired[side].filter((half) => !taken.has(half)));
  const { matches: met, ambiguous } = matchSelected({ ...input, unpaired }, selects);
  const matched = new Set(met.flatMap(({ left, right }) => [halfKey(left), halfKey(right)]));
  const replaced = found.filter(({ remaining, added }) => [remaining, added].some((half) => isSelected(half, selects)));
  const replacements = replaced.filter(({ gone }) => isDeleted(gone));
  for (const { remaining } of replacements) matched.add(halfKey(remaining));
  // A contact that may replace an `unseen` one waits until a later run knows whether that was deleted.
  for (const { added } of replaced) matched.add(halfKey(added));
  const unmatched = SIDES.flatMap((side) => input.unpaired[side]).filter((half) => !matched.has(halfKey(half)));
  const wanted = unmatched.filter((half) => isSelected(half, selects));
  const isUnmatched = (pair: Pair): boolean => {
    const half = existingHalf(pair);
    return half === null || !matched.has(halfKey(half));
  };
  const decisions = [
    ...input.pairs.filter(isUnmatched).flatMap((pair) => decidePair(pair, context, recordedFor(pair)) ?? []),
    ...met.flatMap((match) => decideMatch(match, lonePairs, context, recordedFor(match))),
    ...replacements.map((replacement) => decideReplacement(replacement, context, recordedFor(replacement.pair))),
    ...wanted.flatMap((half) => decideNew(half, context, input)),
    ...input.lonePairs.filter(isUnmatched).flatMap((pair) => decideLonePair(pair, context) ?? []),
  ];
  const empty = wanted.filter(({ record }) => isEmptyContact(record.contact)).map(({ side, id }) => ({ side, id }));
  const rest = restOf(unmatched, selects);
  const alone = input.lonePairs.filter(isUnmatched).flatMap((pair) => existingHalf(pair) ?? []);
  const unwritten = [...unmatched.filter((half) => !isSelected(half, selects)), ...alone];
  return {
    groups,
    decisions: keepMergedValues(decisions, policy, new Set(unwritten.map(halfKey)), (pair, halves) =>
      decideMeeting({ ...pair, status: 'kept' }, halves, context),
    ),
    rest,
    ambiguous: stillAmbiguous(ambiguous, (side, id) => !matched.has(halfKey({ side, id }))),
    empty,
  };
};
