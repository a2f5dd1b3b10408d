import { idsBySide, type Half } from '../core/contact/half.ts';
import type { WholePair } from '../core/contact/pair.ts';
import type { EndedConflict } from '../core/reconcile/recorded-conflicts.ts';
import type { Verdict } from '../core/reconcile/verdict.ts';
import type { Rejection } from '../core/state/rows.ts';
import type { WorkingSet } from '../core/state/working-set.ts';
import type { Session } from './session.ts';
import { endConflictChanges } from './conflicts.ts';

/** Stored rows that are out of date after a plan. */
export type Outdated = {
  readonly conflicts: readonly EndedConflict[];
  /** Contacts that were deleted long ago. */
  readonly deletions: readonly Half[];
  /** Halves with the fields in their bases that the link has only started to sync (`withJoinedFields`). */
  readonly joined: readonly Half[];
  /** Refusals of writes that are no longer planned. */
  readonly refusals: readonly Pick<Rejection, 'side' | 'key'>[];
  /** Pairs whose groups are united by this plan, and whose writes wait for an earlier one. */
  readonly uniting: readonly WholePair[];
  /** Decisions about two contacts that are over. */
  readonly verdicts: readonly Verdict[];
};

/**
 * Keeps the bases of pairs that wait while their groups are united. The next plan counts these groups as united, and would treat a
 * membership on one side only as an agreed one (R11).
 */
const keepUniting = (set: WorkingSet, pairs: readonly WholePair[]): void => {
  for (const { base, id, side } of pairs.flatMap(({ left, right }) => [left, right])) {
    set.change(side, id, (half) => ({ ...half, base, state: half.state === 'settled' ? 'changed' : half.state }));
  }
};

/** Brings stored rows up to date with a plan, before anything is written. */
export const tidy = async ({ clock, writer }: Session, outdated: Outdated): Promise<void> => {
  const { conflicts, deletions, joined, refusals, uniting, verdicts } = outdated;
  if ([conflicts, deletions, joined, refusals, uniting, verdicts].every((rows) => rows.length === 0)) return;
  const halves = [...deletions, ...joined, ...uniting.flatMap(({ left, right }) => [left, right])];
  await writer.apply({ ids: idsBySide(halves) }, (set) => {
    set.add(...endConflictChanges(conflicts, clock.now()));
    for (const half of deletions) set.drop(half);
    for (const { base, id, side } of joined) set.change(side, id, (half) => ({ ...half, base }));
    for (const { side, key } of refusals) set.add({ kind: 'drop', table: 'rejections', where: { side, key } });
    for (const { leftId, rightId } of verdicts)
      set.add({ kind: 'drop', table: 'verdicts', where: { leftId, rightId } });
    keepUniting(set, uniting);
  });
};
