import { SYNCED_FIELDS, type ContactField, type SyncedField } from '../contact/contact.ts';
import { otherSide, SIDES, type Side } from '../contact/side.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Decision, Pair } from './decision.ts';
import type { Plan } from './plan.ts';

/** One line of a plan, in the words and the order that `plan --json` prints. */
export type PlannedAction =
  | {
      readonly side: Side;
      readonly action: 'create' | 'update' | 'delete' | 'pair' | 'unlink';
      readonly leftId: string | null;
      readonly rightId: string | null;
      readonly fields: readonly SyncedField[];
    }
  | {
      readonly side: Side;
      readonly action: 'create-group' | 'rename-group' | 'delete-group';
      readonly name: string;
    };

const idOf = (side: Pair['left']): string | null => {
  if (side.kind === 'present') return side.record.id;
  return side.kind === 'gone' ? side.id : null;
};

const filledFields = (record: ContactRecord, joins: readonly string[]): readonly SyncedField[] => {
  const isFilled = (field: ContactField): boolean => record.contact[field].length > 0;
  return SYNCED_FIELDS.filter((field) => (field === 'buckets' ? joins.length > 0 : isFilled(field)));
};

const listDecision = (decision: Decision): readonly PlannedAction[] => {
  switch (decision.kind) {
    case 'create': {
      const other = otherSide(decision.side);
      const known = decision.restores && decision.pair !== null ? idOf(decision.pair[other]) : null;
      const sourceId = decision.restores ? known : decision.source.id;
      const leftId = other === 'left' ? sourceId : null;
      const rightId = other === 'right' ? sourceId : null;
      if (decision.standing !== undefined) {
        const ids = { leftId, rightId, [`${decision.side}Id`]: decision.standing.id };
        return [{ side: decision.side, action: 'update', ...ids, fields: ['buckets'] }];
      }
      const fields = filledFields(decision.source, decision.joins);
      return [{ side: decision.side, action: 'create', leftId, rightId, fields }];
    }
    case 'delete': {
      const ids = { leftId: idOf(decision.pair.left), rightId: idOf(decision.pair.right) };
      return [{ side: decision.side, action: 'delete', ...ids, fields: [] }];
    }
    case 'unlink': {
      if (decision.pair.status === decision.to) return [];
      const side = decision.pair.left.kind === 'present' ? 'left' : 'right';
      const ids = { leftId: idOf(decision.pair.left), rightId: idOf(decision.pair.right) };
      return [{ side, action: 'unlink', ...ids, fields: [] }];
    }
    case 'merge': {
      const ids = { leftId: decision.pair.left.record.id, rightId: decision.pair.right.record.id };
      const isNew = decision.pair.id === null || decision.pair.status !== 'linked';
      const pairs: PlannedAction[] = isNew ? [{ side: 'left', action: 'pair', ...ids, fields: [] }] : [];
      const updates = SIDES.flatMap((side): PlannedAction[] => {
        const write = decision[side];
        return write === null ? [] : [{ side, action: 'update', ...ids, fields: write.fields }];
      });
      return [...pairs, ...updates];
    }
  }
};

/** Everything that the plan will write or link, as a flat list. Pure. */
export const listActions = (plan: Plan): readonly PlannedAction[] => {
  const groups = plan.groups.actions.map(({ side, kind, name }): PlannedAction => ({ side, action: kind, name }));
  return [...groups, ...plan.decisions.flatMap(listDecision)];
};
