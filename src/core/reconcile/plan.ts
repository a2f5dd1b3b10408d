import { without, withoutExtras } from '../contact/chosen.ts';
import { isEmptyContact, type SyncedField } from '../contact/contact.ts';
import { type Half, stands } from '../contact/half.ts';
import { contactOf, type ContactRecord, unsyncableFields } from '../contact/record.ts';
import { bySide, otherSide, type Side, SIDES, type Sides } from '../contact/side.ts';
import { equalSnapshots, type Snapshot, snapshotOf, unordered } from '../contact/snapshot.ts';
import { decideSleep, isSelected, restOf, withSleep } from './asleep.ts';
import {
  type Creation,
  type Decision,
  draftOf,
  type Merge,
  type OpenConflict,
  type Pair,
  type Unlink,
} from './decision.ts';
import type { GroupPlan } from './groups.ts';
import { type Match, matchContacts, type MatchResult } from './match.ts';
import { type GroupLink, mergeMembership, unitingHalves } from './membership.ts';
import { type FieldMerge, mergeContacts, type Rulings } from './merge.ts';
import { keepMergedValues } from './merged-away.ts';
import type { PlannedOperation } from './planned.ts';
import { decidesByTime, forField, mayWrite, type Policy, unwrittenFields } from './policy.ts';
import { findReplacements, meetReplacement, oneSidedPairs, type Replacement } from './replacements.ts';
import { restoredFields } from './review.ts';
import type { Selection } from './selection.ts';
import { givenBacks, type GivenBacks, isAwaited, type PastMerge, restoredHalves, withGivenBack } from './side-merge.ts';
import { apartFrom, type Verdict } from './verdict.ts';

export type PlanInput = {
  /** Linked pairs, and pairs asleep, of which a side changed, is gone, or belongs to a group that is linked for the first time. */
  readonly pairs: readonly Pair[];
  /** Kept and dormant pairs: their survivors may be matched again. */
  readonly survivors: readonly Pair[];
  /** Contacts that belong to no pair; `settled` are those that an earlier plan has left to themselves. */
  readonly unpaired: Sides<readonly Half[]>;
  /** Which contacts each side selects; everybody where left out. */
  readonly selection?: Pick<Selection, 'selects'>;
  readonly groups: GroupPlan;
  /** Conflicts that stand open: the same two values are not decided otherwise while the winner has not arrived (R4). */
  readonly openConflicts: readonly OpenConflict[];
  readonly policy: Policy;
  /** What names each side's account in the origins that this link leaves at the other side (R9). */
  readonly scopes: Sides<string>;
  /** The fields that the link has only begun to sync: no base says what they were; left out where there are none. */
  readonly joining?: readonly SyncedField[];
  /** Merges by a side itself of which it is open whether their survivors were given back what they held (R12). */
  readonly pastMerges?: readonly PastMerge[];
  /** What a person said of two contacts; left out where nobody said anything. */
  readonly verdicts?: readonly Verdict[];
};

/** What a run will do: plain data, the same value for `plan` and for `sync`. */
export type Plan = {
  readonly groups: GroupPlan;
  readonly decisions: readonly Decision[];
  /** Contacts of no pair that a side selects by now, or does not any longer, as they are to be stored. */
  readonly rest: readonly Half[];
  readonly ambiguous: MatchResult['ambiguous'];
  /** Contacts without anything that the other side could hold. */
  readonly empty: readonly { readonly side: Side; readonly id: string }[];
};

/** What decides: the policy, and the fields that the link has only begun to sync. */
type Terms = Policy & { readonly joining: readonly SyncedField[] };

/**
 * Whether a side was edited since its base: any value, label or membership in a linked group; order does not count. A field
 * that the link has only begun to sync, or never takes to the other side, says nothing of that, nor does what a side
 * computes.
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
  return !equalSnapshots(visible(snapshotOf(half.record)), visible(half.base));
};

const writesTo = (
  side: Side,
  { fields, desired }: FieldMerge,
  { joins, leaves }: { readonly joins: readonly string[]; readonly leaves: readonly string[] },
): readonly PlannedOperation[] => [
  ...(fields[side].length > 0 ? [{ kind: 'update', side, fields: fields[side], desired: desired[side] } as const] : []),
  ...(joins.length + leaves.length > 0 ? [{ kind: 'membership', side, joins, leaves } as const] : []),
];

/**
 * What a person took, and the winners that were chosen before by time: our own later write to a side does not make it the
 * newer one (R4).
 */
const rulingsOf = (open: readonly OpenConflict[], policy: Policy): Rulings => ({
  open,
  decided: ({ field, left, right }) => {
    if (!decidesByTime(policy, field)) return null;
    return open.find((each) => each.field === field && each.left === left && each.right === right)?.winner ?? null;
  },
});

/** Decides for two contacts that both stand there (R2 to R5, R11, R13). */
export const decideMerge = (
  pair: Pair,
  halves: Sides<Half>,
  links: readonly GroupLink[],
  policy: Policy,
  open: readonly OpenConflict[] = [],
): Merge => {
  const merge = mergeContacts(halves, policy, rulingsOf(open, policy));
  const membership = mergeMembership(halves, links, forField(policy, 'buckets'));
  const held = (side: Side): readonly SyncedField[] => {
    return membership.held[side] ? [...merge.held[side], 'buckets'] : merge.held[side];
  };
  const writes = SIDES.flatMap((side) => writesTo(side, merge, membership[side]));
  const restored = restoredFields(writes, open);
  const agreedGroups = bySide((side) => membership[side].agreed);
  return {
    kind: 'merge',
    pair: { ...pair, ...halves },
    writes,
    conflicts: merge.conflicts,
    ...(merge.taken.length > 0 && { taken: merge.taken }),
    ...(restored.length > 0 && { restored }),
    held: bySide(held),
    ...(SIDES.some((side) => agreedGroups[side].length > 0) && { agreedGroups }),
    deferred: false,
  };
};

const joinsOf = (side: Side, record: ContactRecord, links: readonly GroupLink[]): readonly string[] => {
  const ids = new Set<string | null>(record.groupIds);
  return links.filter((link) => ids.has(link[side])).map((link) => link.key);
};

/** A contact that is to follow from another one on its other side: all of it but the fields that are never written there. */
const creationOf = (
  pair: Pair | null,
  { side, record }: Half,
  links: readonly GroupLink[],
  policy: Policy,
): Creation => {
  const to = otherSide(side);
  const held = [...unwrittenFields(policy, to), ...unsyncableFields(record)];
  const joins = held.includes('buckets') ? [] : joinsOf(side, record, links);
  return { kind: 'create', side: to, source: record, pair, joins, ...(held.length > 0 && { held }) };
};

/** What contacts are decided by. */
type Deciding = {
  readonly links: readonly GroupLink[];
  readonly policy: Terms;
  readonly selects: Selection['selects'];
  readonly backs: GivenBacks;
};

/**
 * Decides for a pair of which one half is gone (R6, R7) while this one still stands; null while it is open whether it does:
 * then it may have been deleted as well.
 */
const decideHalfGone = (pair: Pair, half: Half, { links, policy, selects }: Deciding): Decision | null => {
  if (half.state === 'settling') return null;
  const edited = wasEdited(half, links, policy);
  const isWanted = isSelected(half, selects);
  if (!mayWrite(policy, half.side)) {
    // One-way, deleted at the target: it comes back when the source changes.
    return edited && isWanted ? creationOf(pair, half, links, policy) : { kind: 'unlink', pair, to: 'dormant' };
  }
  if (edited && mayWrite(policy, otherSide(half.side))) {
    return isWanted ? creationOf(pair, half, links, policy) : { kind: 'unlink', pair, to: 'kept' };
  }
  if (policy.deletes === 'keep') return { kind: 'unlink', pair, to: 'kept' };
  return { kind: 'delete', side: half.side, record: half.record, pair };
};

/** The half of the pair that stands; the left one where both do. */
const standing = ({ left, right }: Pair): Half | null => {
  if (stands(left)) return left;
  return stands(right) ? right : null;
};

const decidePair = (pair: Pair, deciding: Deciding, open: readonly OpenConflict[]): Decision | null => {
  const { backs, links, policy, selects } = deciding;
  const { left, right } = pair;
  const sleep = decideSleep(pair, links, selects);
  if (sleep !== null) return sleep;
  if (stands(left) && stands(right)) {
    const halves = unitingHalves({ left, right }, links);
    const merge = decideMerge(pair, restoredHalves(halves, backs), links, policy, open);
    const unites = halves.left !== left || halves.right !== right;
    return withSleep({ ...withGivenBack(merge, halves, backs), ...(unites && { unites }) }, links, selects);
  }
  const half = standing(pair);
  if (half !== null) return decideHalfGone(pair, half, deciding);
  return isAwaited(pair, backs) ? null : { kind: 'unlink', pair, to: 'drop' };
};

/** Decides for a kept or dormant pair that matched nobody. */
const decideSurvivor = (pair: Pair, { links, policy, selects }: Deciding): Decision => {
  const half = standing(pair);
  if (half === null) return { kind: 'unlink', pair, to: 'drop' };
  const wakes = pair.status === 'dormant' && half.state !== 'settling' && mayWrite(policy, otherSide(half.side));
  if (wakes && wasEdited(half, links, policy) && isSelected(half, selects)) {
    return creationOf(pair, half, links, policy);
  }
  return { kind: 'unlink', pair, to: pair.status === 'dormant' ? 'dormant' : 'kept' };
};

const isEmpty = (record: ContactRecord): boolean => isEmptyContact(record.contact);

const nameOf = ({ side, id }: Pick<Half, 'side' | 'id'>): string => `${side} ${id}`;

/** The kept and dormant pairs by the half that still stands. */
const survivorsByName = (pairs: readonly Pair[]): ReadonlyMap<string, Pair> => {
  const named = pairs.flatMap((pair) => {
    const half = standing(pair);
    return half === null ? [] : [[nameOf(half), pair] as const];
  });
  return new Map(named);
};

/** Who may be paired for the first time: contacts of no pair, and survivors. */
const candidatesOf = (side: Side, { unpaired, survivors }: PlanInput): readonly Half[] => {
  return [...unpaired[side], ...survivors.flatMap((pair) => (stands(pair[side]) ? [pair[side]] : []))];
};

/** Decides for two contacts that are paired for the first time (R13). */
const decideMatch = (
  match: Match,
  survivors: ReadonlyMap<string, Pair>,
  { links, policy, selects }: Deciding,
): readonly Decision[] => {
  const [known, ...others] = SIDES.flatMap((side) => survivors.get(nameOf(match[side])) ?? []);
  // Where both were kept, one row takes in both: no contact may stand in two.
  const drops = others.map((pair): Unlink => ({ kind: 'unlink', pair, to: 'drop' }));
  const pair: Pair = known ?? { id: null, status: 'linked', left: null, right: null };
  const halves = bySide((side) => ({ ...match[side], base: null }));
  const merge = withSleep(decideMerge(pair, halves, links, policy), links, selects);
  return [...drops, match.byHand ? { ...merge, byHand: true } : merge];
};

/** Decides for what remains of a pair and the contact that takes the place of its other half (R12): the pair goes on. */
const decideReplacement = (replacement: Replacement, { links, policy, selects }: Deciding): Decision => {
  const pair: Pair = { ...replacement.pair, status: 'kept', [replacement.gone.side]: null };
  const halves = unitingHalves(meetReplacement(replacement), links);
  const merge = decideMerge(pair, halves, links, policy);
  return withSleep({ ...merge, replacedOn: replacement.gone.side }, links, selects);
};

/** A contact that matched nobody is new to the other side, unless nothing of it may be written there. */
const decideNew = (half: Half, { links, policy }: Deciding, { verdicts = [] }: PlanInput): readonly Creation[] => {
  const creation = creationOf(null, half, links, policy);
  if (!mayWrite(policy, creation.side) || isEmptyContact(draftOf(creation))) return [];
  const apart = apartFrom(verdicts, half.side, half.record.id);
  return [{ ...creation, ...(apart.length > 0 && { apartFrom: apart }) }];
};

/**
 * Finds who is paired for the first time. Everybody is looked at, so that whom a side selects finds its like also among those
 * whom the other side does not; but of two whom no side selects nothing follows.
 */
const matchSelected = (input: PlanInput, selects: Deciding['selects']): MatchResult => {
  const candidates = bySide((side) => candidatesOf(side, input));
  const selected = new Set(
    SIDES.flatMap((side) => candidates[side].filter((half) => isSelected(half, selects))).map(nameOf),
  );
  if (selected.size === 0) return { matches: [], ambiguous: [] };
  const { links } = input.groups;
  const { matches, ambiguous } = matchContacts({
    ...candidates,
    links,
    scopes: input.scopes,
    verdicts: input.verdicts ?? [],
  });
  return {
    matches: matches.filter((match) => SIDES.some((side) => selected.has(nameOf(match[side])))),
    ambiguous: ambiguous.filter((rivals) =>
      SIDES.some((side) => rivals[side].some((id) => selected.has(nameOf({ side, id })))),
    ),
  };
};

/**
 * Decides what becomes of every contact that needs a decision (R1 to R13): the whole of a run's judgement, without a
 * clock, randomness or I/O.
 */
export const planContacts = (input: PlanInput): Plan => {
  const { unpaired, groups } = input;
  const policy: Terms = { ...input.policy, joining: input.joining ?? [] };
  const selects = input.selection?.selects ?? (() => true);
  const deciding = {
    links: groups.links,
    policy,
    selects,
    backs: givenBacks(input.pairs, input.pastMerges ?? [], policy),
  };
  const survivors = survivorsByName(input.survivors);
  const open = Map.groupBy(input.openConflicts, ({ leftId }) => leftId);
  const { matches: met, ambiguous } = matchSelected(input, selects);
  const matched = new Set(met.flatMap(({ left, right }) => [nameOf(left), nameOf(right)]));
  const strangers = bySide((side) => unpaired[side].filter((half) => !matched.has(nameOf(half))));
  const replacements = findReplacements(strangers, oneSidedPairs(input.pairs), input.verdicts ?? []).filter(
    ({ remaining, added }) => [remaining, added].some((half) => isSelected(half, selects)),
  );
  for (const { remaining, added } of replacements) matched.add(nameOf(remaining)).add(nameOf(added));
  const unmatched = SIDES.flatMap((side) => strangers[side]).filter((half) => !matched.has(nameOf(half)));
  const wanted = unmatched.filter((half) => isSelected(half, selects));
  const isUnmatched = (pair: Pair): boolean => {
    const half = standing(pair);
    return half === null || !matched.has(nameOf(half));
  };
  const decisions = [
    ...input.pairs
      .filter(isUnmatched)
      .flatMap((pair) => decidePair(pair, deciding, open.get(pair.left?.id ?? '') ?? []) ?? []),
    ...met.flatMap((match) => decideMatch(match, survivors, deciding)),
    ...replacements.map((replacement) => decideReplacement(replacement, deciding)),
    ...wanted.flatMap((half) => decideNew(half, deciding, input)),
    ...input.survivors.filter(isUnmatched).map((pair) => decideSurvivor(pair, deciding)),
  ];
  const empty = wanted.filter(({ record }) => isEmpty(record)).map(({ side, id }) => ({ side, id }));
  const rest = restOf(unmatched, selects);
  return { groups, decisions: keepMergedValues(decisions, policy), rest, ambiguous, empty };
};
