import type { SyncedField } from '../contact/contact.ts';
import { otherSide, SIDES, type Side } from '../contact/side.ts';
import type { ContactRecord } from '../contact/record.ts';
import { equalSnapshots, fingerprint, unordered, type Snapshot } from '../contact/snapshot.ts';
import type { Decision, Pair, PairSide, PresentSide, SideWrite } from './decision.ts';
import type { GroupPlan } from './groups.ts';
import { matchContacts, type Match, type MatchResult } from './match.ts';
import { handOver } from './hand-over.ts';
import { mergeMembership, type GroupLink } from './membership.ts';
import { mergeContacts, type Merge } from './merge.ts';
import { mayWrite, type Policy } from './policy.ts';

export type PlanInput = {
  /** Linked pairs of which a side changed, is gone, or belongs to a group that is linked for the first time. */
  readonly pairs: readonly Pair[];
  /** Kept and dormant pairs: their survivors may be matched again. */
  readonly survivors: readonly Pair[];
  /** Contacts that belong to no pair. */
  readonly unpaired: Readonly<Record<Side, readonly ContactRecord[]>>;
  readonly groups: GroupPlan;
  readonly policy: Policy;
};

/** What a run will do: plain data, the same value for `plan` and for `sync`. */
export type Plan = {
  readonly groups: GroupPlan;
  readonly decisions: readonly Decision[];
  readonly ambiguous: MatchResult['ambiguous'];
  /** Contacts without anything that the other side could hold. */
  readonly empty: readonly { readonly side: Side; readonly id: string }[];
};

const snapshotOf = (record: ContactRecord): Snapshot => ({ contact: record.contact, groupIds: record.groupIds });

/** Whether a side was edited since its base: any value, label or membership in a linked group; order does not count. */
const wasEdited = (side: Side, present: PresentSide, links: readonly GroupLink[]): boolean => {
  if (present.base === null) return true;
  const linked = new Set(links.map((link) => link[side]));
  const visible = (snapshot: Snapshot): Snapshot => {
    return unordered({ ...snapshot, groupIds: snapshot.groupIds.filter((id) => linked.has(id)) });
  };
  return !equalSnapshots(visible(snapshotOf(present.record)), visible(present.base));
};

const sideWrite = (
  merge: Merge,
  membership: { readonly joins: readonly string[]; readonly leaves: readonly string[] },
  side: Side,
): SideWrite | null => {
  const moves = membership.joins.length > 0 || membership.leaves.length > 0;
  const fields: SyncedField[] = moves ? [...merge.fields[side], 'buckets'] : [...merge.fields[side]];
  return fields.length === 0 ? null : { fields, desired: merge.desired[side], ...membership };
};

/** Decides for two contacts that both stand there (R2 to R5, R11, R13). */
const decideMerge = (
  pair: Pair,
  left: PresentSide,
  right: PresentSide,
  links: readonly GroupLink[],
  policy: Policy,
): Decision => {
  const mergeSide = (side: PresentSide) => ({
    contact: side.record.contact,
    base: side.base?.contact ?? null,
    modifiedAtMs: side.record.modifiedAtMs,
  });
  const merge = mergeContacts(mergeSide(left), mergeSide(right), policy);
  const membership = mergeMembership(
    { groupIds: left.record.groupIds, base: left.base?.groupIds ?? null },
    { groupIds: right.record.groupIds, base: right.base?.groupIds ?? null },
    links,
    policy,
  );
  const held = (side: Side): readonly SyncedField[] => {
    return membership.held[side] ? [...merge.held[side], 'buckets'] : merge.held[side];
  };
  return {
    kind: 'merge',
    pair: { ...pair, left, right },
    left: sideWrite(merge, membership.left, 'left'),
    right: sideWrite(merge, membership.right, 'right'),
    conflicts: merge.conflicts,
    held: { left: held('left'), right: held('right') },
    deferred: false,
  };
};

const joinsOf = (side: Side, record: ContactRecord, links: readonly GroupLink[]): readonly string[] => {
  const ids = new Set<string | null>(record.groupIds);
  return links.filter((link) => ids.has(link[side])).map((link) => link.key);
};

/** Decides for a pair of which one half is gone (R6, R7) while `side` still stands. */
const decideHalfGone = (
  pair: Pair,
  side: Side,
  present: PresentSide,
  links: readonly GroupLink[],
  policy: Policy,
): Decision => {
  const missing = otherSide(side);
  const edited = wasEdited(side, present, links);
  if (!mayWrite(policy, side)) {
    // One-way, deleted at the target: it comes back when the source changes.
    return edited ? recreate(pair, missing, present, links) : { kind: 'unlink', pair, to: 'dormant' };
  }
  if (edited && mayWrite(policy, missing)) return recreate(pair, missing, present, links);
  if (policy.deletes === 'keep') return { kind: 'unlink', pair, to: 'kept' };
  return { kind: 'delete', side, record: present.record, pair };
};

const recreate = (pair: Pair, side: Side, source: PresentSide, links: readonly GroupLink[]): Decision => {
  return { kind: 'create', side, source: source.record, pair, joins: joinsOf(otherSide(side), source.record, links) };
};

const decidePair = (pair: Pair, links: readonly GroupLink[], policy: Policy): Decision => {
  const { left, right } = pair;
  if (left.kind === 'present' && right.kind === 'present') return decideMerge(pair, left, right, links, policy);
  if (left.kind === 'present') return decideHalfGone(pair, 'left', left, links, policy);
  if (right.kind === 'present') return decideHalfGone(pair, 'right', right, links, policy);
  return { kind: 'unlink', pair, to: 'drop' };
};

const standing = (pair: Pair): { side: Side; present: PresentSide } | null => {
  if (pair.left.kind === 'present') return { side: 'left', present: pair.left };
  return pair.right.kind === 'present' ? { side: 'right', present: pair.right } : null;
};

/** Decides for a kept or dormant pair that matched nobody. */
const decideSurvivor = (pair: Pair, links: readonly GroupLink[], policy: Policy): Decision => {
  const survivor = standing(pair);
  if (survivor === null) return { kind: 'unlink', pair, to: 'drop' };
  const missing = otherSide(survivor.side);
  const wakes = pair.status === 'dormant' && mayWrite(policy, missing);
  if (wakes && wasEdited(survivor.side, survivor.present, links))
    return recreate(pair, missing, survivor.present, links);
  return { kind: 'unlink', pair, to: pair.status === 'dormant' ? 'dormant' : 'kept' };
};

const isEmpty = (record: ContactRecord): boolean => {
  return Object.values(record.contact).every((value: string | readonly unknown[]) => value.length === 0);
};

const nameOf = (side: Side, record: ContactRecord): string => `${side} ${record.id}`;

/** The kept and dormant pairs by the contact that still stands. */
const survivorsByName = (pairs: readonly Pair[]): ReadonlyMap<string, Pair> => {
  const named = pairs.flatMap((pair) => {
    const survivor = standing(pair);
    return survivor === null ? [] : [[nameOf(survivor.side, survivor.present.record), pair] as const];
  });
  return new Map(named);
};

/** Who may meet somebody for the first time: contacts of no pair, and survivors. */
const candidatesOf = (side: Side, { unpaired, survivors }: PlanInput): readonly ContactRecord[] => {
  const kept = survivors.flatMap((pair) => (pair[side].kind === 'present' ? [pair[side].record] : []));
  return [...unpaired[side], ...kept];
};

const NONE: PairSide = { kind: 'none' };

/** Decides for two contacts that meet for the first time (R13). */
const decideMatch = (
  { left, right }: Match,
  survivors: ReadonlyMap<string, Pair>,
  links: readonly GroupLink[],
  policy: Policy,
): readonly Decision[] => {
  const names = [nameOf('left', left), nameOf('right', right)];
  const [known, ...others] = names.flatMap((name) => survivors.get(name) ?? []);
  // Where both were kept, one row takes in both: no contact may stand in two.
  const drops = others.map((pair): Decision => ({ kind: 'unlink', pair, to: 'drop' }));
  const pair: Pair = known ?? { id: null, status: 'linked', left: NONE, right: NONE };
  const firstMeeting = (record: ContactRecord): PresentSide => ({ kind: 'present', record, base: null });
  return [...drops, decideMerge(pair, firstMeeting(left), firstMeeting(right), links, policy)];
};

/** A contact that matched nobody is new to the other side. */
const decideNew = (source: ContactRecord, side: Side, links: readonly GroupLink[], policy: Policy): Decision[] => {
  const to = otherSide(side);
  if (isEmpty(source) || !mayWrite(policy, to)) return [];
  return [{ kind: 'create', side: to, source, pair: null, joins: joinsOf(side, source, links) }];
};

/**
 * Decides what becomes of every contact that needs a decision (R1 to R13): the whole of a run's judgement, without a
 * clock, randomness or I/O.
 */
export const planContacts = (input: PlanInput): Plan => {
  const { policy, unpaired } = input;
  const links = input.groups.links;
  const survivors = survivorsByName(input.survivors);
  const { matches, ambiguous } = matchContacts(candidatesOf('left', input), candidatesOf('right', input));
  const matched = new Set(matches.flatMap((m) => [nameOf('left', m.left), nameOf('right', m.right)]));
  const unmatched = (side: Side) => unpaired[side].filter((record) => !matched.has(nameOf(side, record)));
  const isLeft = (pair: Pair): boolean => {
    const survivor = standing(pair);
    return survivor === null || !matched.has(nameOf(survivor.side, survivor.present.record));
  };
  const decisions = [
    ...input.pairs.map((pair) => decidePair(pair, links, policy)),
    ...matches.flatMap((match) => decideMatch(match, survivors, links, policy)),
    ...SIDES.flatMap((side) => unmatched(side).flatMap((source) => decideNew(source, side, links, policy))),
    ...input.survivors.filter(isLeft).map((pair) => decideSurvivor(pair, links, policy)),
  ];
  const empty = SIDES.flatMap((side) =>
    unmatched(side).flatMap((record) => (isEmpty(record) ? [{ side, id: record.id }] : [])),
  );
  return { groups: input.groups, decisions: handOver(decisions, policy), ambiguous, empty };
};

/** What a decision follows from, as one text: while it stays the same, a refused write need not be tried again (R15). */
export const sourceFingerprint = (decision: Decision): string => {
  switch (decision.kind) {
    case 'merge':
      return [decision.pair.left, decision.pair.right].map((side) => fingerprint(snapshotOf(side.record))).join();
    case 'create':
      return fingerprint(snapshotOf(decision.source));
    case 'delete':
      return fingerprint(snapshotOf(decision.record));
    case 'unlink':
      return '';
  }
};
