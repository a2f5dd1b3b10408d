import type { SyncedField } from '../contact/contact.ts';
import { bySide, otherSide, SIDES, type Side, type Sides } from '../contact/side.ts';
import type { ContactRecord } from '../contact/record.ts';
import { stands, type Half } from '../contact/half.ts';
import { equalSnapshots, snapshotOf, unordered, type Snapshot } from '../contact/snapshot.ts';
import type { Creation, Decision, Merge, OpenConflict, Pair, SideWrite, Unlink } from './decision.ts';
import type { GroupPlan } from './groups.ts';
import { matchContacts, type Match, type MatchResult } from './match.ts';
import { keepMergedValues } from './merged-away.ts';
import { mergeMembership, type GroupLink } from './membership.ts';
import { mergeContacts, type FieldMerge, type Rulings } from './merge.ts';
import { decidesByTime, mayWrite, type Policy } from './policy.ts';
import { apartFrom, type Verdict } from './verdict.ts';

export type PlanInput = {
  /** Linked pairs of which a side changed, is gone, or belongs to a group that is linked for the first time. */
  readonly pairs: readonly Pair[];
  /** Kept and dormant pairs: their survivors may be matched again. */
  readonly survivors: readonly Pair[];
  /** Contacts that belong to no pair. */
  readonly unpaired: Sides<readonly Half[]>;
  readonly groups: GroupPlan;
  /** Conflicts that stand open: the same two values are not decided otherwise while the winner has not arrived (R4). */
  readonly openConflicts: readonly OpenConflict[];
  readonly policy: Policy;
  /** What names each side's account in the origins that this link leaves at the other side (R9). */
  readonly scopes: Sides<string>;
  /** What a person said of two contacts; left out where nobody said anything. */
  readonly verdicts?: readonly Verdict[];
};

/** What a run will do: plain data, the same value for `plan` and for `sync`. */
export type Plan = {
  readonly groups: GroupPlan;
  readonly decisions: readonly Decision[];
  readonly ambiguous: MatchResult['ambiguous'];
  /** Contacts without anything that the other side could hold. */
  readonly empty: readonly { readonly side: Side; readonly id: string }[];
};

/** Whether a side was edited since its base: any value, label or membership in a linked group; order does not count. */
const wasEdited = (half: Half, links: readonly GroupLink[]): boolean => {
  if (half.base === null) return true;
  const linked = new Set(links.map((link) => link[half.side]));
  const visible = (snapshot: Snapshot): Snapshot => {
    return unordered({ ...snapshot, groupIds: snapshot.groupIds.filter((id) => linked.has(id)) });
  };
  return !equalSnapshots(visible(snapshotOf(half.record)), visible(half.base));
};

const sideWrite = (
  merge: FieldMerge,
  membership: { readonly joins: readonly string[]; readonly leaves: readonly string[] },
  side: Side,
): SideWrite | null => {
  const moves = membership.joins.length > 0 || membership.leaves.length > 0;
  const fields: SyncedField[] = moves ? [...merge.fields[side], 'buckets'] : [...merge.fields[side]];
  return fields.length === 0 ? null : { fields, desired: merge.desired[side], ...membership };
};

/**
 * What a person took, and the winners that `newest` chose before: our own later write to a side does not make it the newer
 * one (R4).
 */
const rulingsOf = (open: readonly OpenConflict[], policy: Policy): Rulings => {
  const decided = decidesByTime(policy) ? open : [];
  return {
    open,
    decided: ({ field, left, right }) =>
      decided.find((each) => each.field === field && each.left === left && each.right === right)?.winner ?? null,
  };
};

/** Decides for two contacts that both stand there (R2 to R5, R11, R13). */
const decideMerge = (
  pair: Pair,
  halves: Sides<Half>,
  links: readonly GroupLink[],
  policy: Policy,
  open: readonly OpenConflict[] = [],
): Merge => {
  const merge = mergeContacts(halves, policy, rulingsOf(open, policy));
  const membership = mergeMembership(halves, links, policy);
  const held = (side: Side): readonly SyncedField[] => {
    return membership.held[side] ? [...merge.held[side], 'buckets'] : merge.held[side];
  };
  return {
    kind: 'merge',
    pair: { ...pair, ...halves },
    writes: bySide((side) => sideWrite(merge, membership[side], side)),
    conflicts: merge.conflicts,
    ...(merge.taken.length > 0 && { taken: merge.taken }),
    held: bySide(held),
    deferred: false,
  };
};

const joinsOf = (side: Side, record: ContactRecord, links: readonly GroupLink[]): readonly string[] => {
  const ids = new Set<string | null>(record.groupIds);
  return links.filter((link) => ids.has(link[side])).map((link) => link.key);
};

const recreate = (pair: Pair, { side, record }: Half, links: readonly GroupLink[]): Decision => {
  return { kind: 'create', side: otherSide(side), source: record, pair, joins: joinsOf(side, record, links) };
};

/** Decides for a pair of which one half is gone (R6, R7) while this one still stands. */
const decideHalfGone = (pair: Pair, half: Half, links: readonly GroupLink[], policy: Policy): Decision => {
  const edited = wasEdited(half, links);
  if (!mayWrite(policy, half.side)) {
    // One-way, deleted at the target: it comes back when the source changes.
    return edited ? recreate(pair, half, links) : { kind: 'unlink', pair, to: 'dormant' };
  }
  if (edited && mayWrite(policy, otherSide(half.side))) return recreate(pair, half, links);
  if (policy.deletes === 'keep') return { kind: 'unlink', pair, to: 'kept' };
  return { kind: 'delete', side: half.side, record: half.record, pair };
};

/** The half of the pair that stands; the left one where both do. */
const standing = ({ left, right }: Pair): Half | null => {
  if (stands(left)) return left;
  return stands(right) ? right : null;
};

const decidePair = (
  pair: Pair,
  links: readonly GroupLink[],
  policy: Policy,
  open: readonly OpenConflict[],
): Decision => {
  const { left, right } = pair;
  if (stands(left) && stands(right)) return decideMerge(pair, { left, right }, links, policy, open);
  const half = standing(pair);
  return half === null ? { kind: 'unlink', pair, to: 'drop' } : decideHalfGone(pair, half, links, policy);
};

/** Decides for a kept or dormant pair that matched nobody. */
const decideSurvivor = (pair: Pair, links: readonly GroupLink[], policy: Policy): Decision => {
  const half = standing(pair);
  if (half === null) return { kind: 'unlink', pair, to: 'drop' };
  const wakes = pair.status === 'dormant' && mayWrite(policy, otherSide(half.side));
  if (wakes && wasEdited(half, links)) return recreate(pair, half, links);
  return { kind: 'unlink', pair, to: pair.status === 'dormant' ? 'dormant' : 'kept' };
};

const isEmpty = (record: ContactRecord): boolean => {
  return Object.values(record.contact).every((value: string | readonly unknown[]) => value.length === 0);
};

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
  links: readonly GroupLink[],
  policy: Policy,
): readonly Decision[] => {
  const [known, ...others] = SIDES.flatMap((side) => survivors.get(nameOf(match[side])) ?? []);
  // Where both were kept, one row takes in both: no contact may stand in two.
  const drops = others.map((pair): Unlink => ({ kind: 'unlink', pair, to: 'drop' }));
  const pair: Pair = known ?? { id: null, status: 'linked', left: null, right: null };
  const halves = bySide((side) => ({ ...match[side], base: null }));
  const merge = decideMerge(pair, halves, links, policy);
  return [...drops, match.byHand ? { ...merge, byHand: true } : merge];
};

/** A contact that matched nobody is new to the other side. */
const decideNew = (
  { side, record }: Half,
  links: readonly GroupLink[],
  { policy, verdicts = [] }: PlanInput,
): readonly Creation[] => {
  const to = otherSide(side);
  if (isEmpty(record) || !mayWrite(policy, to)) return [];
  const apart = apartFrom(verdicts, side, record.id);
  const joins = joinsOf(side, record, links);
  return [
    { kind: 'create', side: to, source: record, pair: null, joins, ...(apart.length > 0 && { apartFrom: apart }) },
  ];
};

/**
 * Decides what becomes of every contact that needs a decision (R1 to R13): the whole of a run's judgement, without a
 * clock, randomness or I/O.
 */
export const planContacts = (input: PlanInput): Plan => {
  const { policy, unpaired } = input;
  const { links } = input.groups;
  const survivors = survivorsByName(input.survivors);
  const open = Map.groupBy(input.openConflicts, ({ leftId }) => leftId);
  const { matches, ambiguous } = matchContacts({
    ...bySide((side) => candidatesOf(side, input)),
    links,
    scopes: input.scopes,
    verdicts: input.verdicts ?? [],
  });
  const matched = new Set(matches.flatMap(({ left, right }) => [nameOf(left), nameOf(right)]));
  const unmatched = SIDES.flatMap((side) => unpaired[side]).filter((half) => !matched.has(nameOf(half)));
  const isUnmatched = (pair: Pair): boolean => {
    const half = standing(pair);
    return half === null || !matched.has(nameOf(half));
  };
  const decisions = [
    ...input.pairs.map((pair) => decidePair(pair, links, policy, open.get(pair.left?.id ?? '') ?? [])),
    ...matches.flatMap((match) => decideMatch(match, survivors, links, policy)),
    ...unmatched.flatMap((half) => decideNew(half, links, input)),
    ...input.survivors.filter(isUnmatched).map((pair) => decideSurvivor(pair, links, policy)),
  ];
  const empty = unmatched.filter(({ record }) => isEmpty(record)).map(({ side, id }) => ({ side, id }));
  return { groups: input.groups, decisions: keepMergedValues(decisions, policy), ambiguous, empty };
};
