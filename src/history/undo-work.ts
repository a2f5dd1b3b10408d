import { SYNCED_FIELDS, type SyncedField } from '../contact/contact.ts';
import { stands } from '../contact/half.ts';
import { bySide, otherSide, SIDES, type Sides } from '../contact/side.ts';
import { creationAction, idsOf, idsOn, type PlannedAction } from '../reconcile/actions.ts';
import type { Losses } from '../reconcile/losses.ts';
import { createdHalf, taskHalf, type Task } from '../sync/execute/task.ts';
import type { Work } from '../sync/execute/work.ts';
import type { UndoDecision, UndoPlan } from './plan-undo.ts';

type Revert = Extract<UndoDecision, { kind: 'revert' }>;
type Restore = Extract<UndoDecision, { kind: 'restore' }>;

const listDecision = (decision: UndoDecision): readonly PlannedAction[] => {
  switch (decision.kind) {
    case 'revert':
      return SIDES.flatMap((side): PlannedAction[] => {
        const write = decision.writes[side];
        return write === null ? [] : [{ side, action: 'update', ...idsOf(decision.pair), fields: write.fields }];
      });
    case 'restore': {
      const { side, image, joins, pair, standing } = decision;
      const other = otherSide(side);
      const otherId = pair?.[other]?.id ?? null;
      if (standing === null) return [creationAction(side, image, joins, otherId)];
      const ids = { ...idsOn(other, otherId), [`${side}Id`]: standing.id };
      return [{ side, action: 'update', ...ids, fields: ['buckets'] }];
    }
    case 'remove':
      return [{ side: decision.side, action: 'delete', ...idsOf(decision.pair), fields: [] }];
  }
};

/** Everything that the undo will write, as a flat list. Pure. */
export const listUndoActions = ({ decisions, groups }: UndoPlan): readonly PlannedAction[] => [
  ...groups.actions.map(({ side, kind, name }): PlannedAction => ({ side, action: kind, name })),
  ...decisions.flatMap(listDecision),
];

const NOTHING_WRITTEN = {
  conflicts: [],
  conflictsStored: false,
  isNewPairing: false,
  decision: null,
} as const;

const revertTask = ({ pair, writes, held }: Revert): Task => ({
  ...NOTHING_WRITTEN,
  pairId: pair.id,
  halves: bySide((side) => taskHalf(pair[side].record, pair[side].base)),
  creation: null,
  writes,
  sharedEmails: { left: [], right: [] },
  pending: bySide((side) => new Set(writes[side]?.fields)),
  held,
  // What has not arrived yet of either side is looked at by the next run.
  deferred: true,
  counted: new Set(),
});

const restoreTask = ({ side, image, pair, joins, standing }: Restore): Task => {
  const other = otherSide(side);
  const partner = pair?.[other] ?? null;
  const half = stands(partner) ? taskHalf(partner.record, partner.base) : null;
  const own = standing === null ? null : createdHalf(standing);
  return {
    ...NOTHING_WRITTEN,
    pairId: pair?.id ?? null,
    halves: bySide((each) => (each === side ? own : half)),
    creation: {
      side,
      draft: image.contact,
      originId: image.id,
      joins,
      // Journaled under its own former id too: by that its history is followed.
      ids: { ...idsOn(other, half?.record.id ?? null), [`${side}Id`]: image.id },
      image,
    },
    writes: { left: null, right: null },
    sharedEmails: { left: [], right: [] },
    pending: bySide((each) => new Set<SyncedField>(joins.length > 0 && each === side ? ['buckets'] : [])),
    // Nothing is propagated by an undo: what has not arrived yet of the other half is left for the next run.
    held: bySide((each) => (each === other ? SYNCED_FIELDS : [])),
    deferred: half !== null,
    counted: new Set(),
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
