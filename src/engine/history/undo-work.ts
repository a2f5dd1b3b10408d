import { contactsOf, snapshotOf } from '../../core/contact/snapshot.ts';
import { syncedIn } from '../../core/contact/contact.ts';
import { stands } from '../../core/contact/half.ts';
import type { GroupRecord } from '../../core/contact/record.ts';
import { bySide, otherSide, SIDES, type Sides } from '../../core/contact/side.ts';
import type { SideWrite } from '../../core/reconcile/decision.ts';
import { idsOf, idsOn } from '../../core/reconcile/pair-ids.ts';
import type { Losses } from '../../core/reconcile/losses.ts';
import { NOTHING_DONE, plannedHalfOf, stepsOfCreation, stepsOfWrite, type Task } from '../../core/apply/task.ts';
import type { Work } from '../execute/work.ts';
import { nameOf } from '../../core/view/values.ts';
import type { Change, Why } from '../../core/view/views.ts';
import {
  changesOfWrite,
  creationView,
  deletionView,
  groupView,
  plannedGroup,
  type PlanGroups,
} from '../../core/view/write.ts';
import type { UndoDecision, UndoPlan } from './plan-undo.ts';

type Revert = Extract<UndoDecision, { kind: 'revert' }>;
type Restore = Extract<UndoDecision, { kind: 'restore' }>;

/** What the groups of an undo are called; each takes part for itself. */
const groupsOf = ({ links, groups }: UndoPlan, standing: Sides<readonly GroupRecord[]>): PlanGroups => {
  const planned = groups.actions.map(({ key, name }) => [plannedGroup(key), name] as const);
  return {
    links: new Map(links.map((link) => [link.key, link])),
    names: bySide((side) => new Map([...planned, ...standing[side].map(({ id, name }) => [id, name] as const)])),
  };
};

const revertViews = ({ pair, writes }: Revert, groups: PlanGroups, why: Why): readonly Change[] =>
  SIDES.flatMap((side): Change[] => {
    const write = writes[side];
    if (write === null) return [];
    const { record } = pair[side];
    const name = nameOf(record.contact) ?? nameOf(write.desired);
    const changes = changesOfWrite(side, record, write, groups, () => why);
    return [{ side, action: 'update', ...idsOf(pair), name, fields: write.fields, changes, why }];
  });

const restoreView = ({ side, image, joins, pair, standing }: Restore, groups: PlanGroups, why: Why): Change => {
  const other = otherSide(side);
  const sourceId = pair?.[other]?.id ?? null;
  if (standing === null) return creationView(side, image.contact, { joins, sourceId }, groups, why);
  const ids = { ...idsOn(other, sourceId), [`${side}Id`]: standing.id };
  const write: SideWrite = { fields: ['buckets'], desired: standing.contact, joins, leaves: [] };
  const changes = changesOfWrite(side, standing, write, groups, () => why);
  return { side, action: 'update', ...ids, name: nameOf(standing.contact), fields: write.fields, changes, why };
};

const decisionViews = (decision: UndoDecision, groups: PlanGroups, why: Why): readonly Change[] => {
  switch (decision.kind) {
    case 'revert':
      return revertViews(decision, groups, why);
    case 'restore':
      return [restoreView(decision, groups, why)];
    case 'remove':
      return [deletionView(decision.side, decision.record, idsOf(decision.pair), groups, why)];
  }
};

/** Everything that the undo of a run will write, by the groups that stand on each side now. Pure. */
export const undoChanges = (
  plan: UndoPlan,
  standing: Sides<readonly GroupRecord[]>,
  run: string,
): readonly Change[] => {
  const why: Why = { kind: 'undo', of: run };
  const groups = groupsOf(plan, standing);
  const ofGroups = plan.groups.actions.map((action) => groupView(action, why));
  return [...ofGroups, ...plan.decisions.flatMap((decision) => decisionViews(decision, groups, why))];
};

const NOT_PLANNED = {
  ...NOTHING_DONE,
  given: { left: new Set<never>(), right: new Set<never>() },
  conflicts: [],
  isNewPairing: false,
  wakes: false,
  sleeps: false,
  decision: null,
  wanted: { left: null, right: null },
} as const;

const revertTask = ({ pair, writes, held }: Revert): Task => ({
  ...NOT_PLANNED,
  pairId: pair.id,
  sleeps: pair.status === 'asleep',
  halves: bySide((side) => plannedHalfOf(pair[side].record, pair[side].base)),
  creation: null,
  held,
  // What has not arrived yet of either side is looked at by the next run.
  deferred: true,
  steps: SIDES.flatMap((side) => stepsOfWrite(side, writes[side])),
});

const restoreTask = ({ side, image, pair, joins, standing }: Restore): Task => {
  const other = otherSide(side);
  const partner = pair?.[other] ?? null;
  const half = stands(partner) ? plannedHalfOf(partner.record, partner.base) : null;
  const own = standing === null ? null : plannedHalfOf(standing, snapshotOf(standing));
  return {
    ...NOT_PLANNED,
    pairId: pair?.id ?? null,
    halves: bySide((each) => (each === side ? own : half)),
    creation: {
      side,
      draft: image.contact,
      originId: image.id,
      // Journaled under its own former id too: by that its history is followed.
      ids: { ...idsOn(other, half?.before.id ?? null), [`${side}Id`]: image.id },
      image,
    },
    // Nothing is propagated by an undo: what has not arrived yet of the other half is left for the next run.
    held: bySide((each) => (each === other ? syncedIn(image.contact, ...contactsOf(half?.before, half?.base)) : [])),
    deferred: half !== null,
    steps: stepsOfCreation(side, joins, standing !== null),
  };
};

/** The work of an undo, in the terms of a run. */
export const workOfUndo = ({ decisions, groups, links }: UndoPlan): Work => ({
  groups: { ...groups, ended: [], links, duplicates: [] },
  tasks: decisions.flatMap((decision): Task[] => {
    if (decision.kind === 'revert') return [revertTask(decision)];
    return decision.kind === 'restore' ? [restoreTask(decision)] : [];
  }),
  removals: decisions.flatMap((decision) => {
    if (decision.kind !== 'remove') return [];
    const { side, record, pair } = decision;
    return [{ side, record, pair, pairAfter: 'keep-other' as const, decision: null }];
  }),
  unlinks: [],
});

/** What the undo destroys, for the guard: values that it takes back are what stood there before. */
export const lossesOfUndo = ({ decisions }: UndoPlan): Sides<Losses> =>
  bySide((side) => ({
    contacts: decisions.filter((decision) => decision.kind === 'remove' && decision.side === side).length,
  }));
