import { SYNCED_FIELDS, type ContactField, type SyncedField } from '../contact/contact.ts';
import { otherSide, SIDES, type Side } from '../contact/side.ts';
import type { ContactRecord } from '../contact/record.ts';
import { isNewPairing, type Decision, type Pair } from './decision.ts';
import { stands } from '../contact/half.ts';
import type { Plan } from './plan.ts';

/** A contact by the ids that it has on both sides. */
export type PairIds = { readonly leftId: string | null; readonly rightId: string | null };

/** One line of a plan, in the words and the order that `plan --json` prints. */
export type PlannedAction =
  | ({
      readonly side: Side;
      readonly action: 'create' | 'update' | 'delete' | 'pair' | 'unlink';
      readonly fields: readonly SyncedField[];
    } & PairIds)
  | {
      readonly side: Side;
      readonly action: 'create-group' | 'rename-group' | 'delete-group';
      readonly name: string;
    };

const filledFields = (record: ContactRecord, joins: readonly string[]): readonly SyncedField[] => {
  const isFilled = (field: ContactField): boolean => record.contact[field].length > 0;
  return SYNCED_FIELDS.filter((field) => (field === 'buckets' ? joins.length > 0 : isFilled(field)));
};

/** The ids of a pair's halves; null where a half is missing. */
export const idsOf = ({ left, right }: Pair): PairIds => ({ leftId: left?.id ?? null, rightId: right?.id ?? null });

/** The ids where just one side's is known. */
export const idsOn = (side: Side, id: string | null): PairIds => {
  return side === 'left' ? { leftId: id, rightId: null } : { leftId: null, rightId: id };
};

/** A contact that is created on a side: its fields, and the contact of the other side that it follows from. */
export const creationAction = (
  side: Side,
  source: ContactRecord,
  joins: readonly string[],
  sourceId: string | null,
) => {
  const fields = filledFields(source, joins);
  return { side, action: 'create', ...idsOn(otherSide(side), sourceId), fields } as const;
};

const listDecision = (decision: Decision): readonly PlannedAction[] => {
  switch (decision.kind) {
    case 'create':
      return [creationAction(decision.side, decision.source, decision.joins, decision.source.id)];
    case 'delete':
      return [{ side: decision.side, action: 'delete', ...idsOf(decision.pair), fields: [] }];
    case 'unlink': {
      if (decision.pair.status === decision.to) return [];
      const side = stands(decision.pair.left) ? 'left' : 'right';
      return [{ side, action: 'unlink', ...idsOf(decision.pair), fields: [] }];
    }
    case 'merge': {
      const { pair, writes } = decision;
      const ids = idsOf(pair);
      const pairs: PlannedAction[] = isNewPairing(decision)
        ? [{ side: 'left', action: 'pair', ...ids, fields: [] }]
        : [];
      const updates = SIDES.flatMap((side): PlannedAction[] => {
        const write = writes[side];
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
