import { LIST_FIELDS, SCALAR_FIELDS, type Contact, type SyncedField } from '../../contact/contact.ts';
import type { LabelledValue, PostalAddress } from '../../contact/elements.ts';
import { SIDES, type Side } from '../../contact/side.ts';
import type { Decision, SideWrite } from '../../reconcile/decision.ts';
import type { Plan } from '../../reconcile/plan.ts';
import { fieldWords } from '../field-words.ts';

/** One change that a run propagates from one side to the other, in words. */
export type Change = { readonly to: Side; readonly who: string; readonly what: string };

const nameOf = ({ firstName, lastName, company }: Contact): string =>
  [firstName, lastName].filter((part) => part !== '').join(' ') || company || 'no name';

const textOf = (element: LabelledValue | PostalAddress): string =>
  'value' in element ? element.value : [element.street, element.city, element.country].filter(Boolean).join(', ');

const describeList = (before: readonly string[], after: readonly string[]): string => {
  const gone = before.filter((value) => !after.includes(value)).map((value) => `- ${value}`);
  const come = after.filter((value) => !before.includes(value)).map((value) => `+ ${value}`);
  return [...gone, ...come].join('  ');
};

type GroupNames = (key: string) => string;

const describeField = (field: SyncedField, before: Contact, write: SideWrite, groupName: GroupNames): string => {
  if (field === 'buckets') {
    const joins = write.joins.map((key) => `+ ${groupName(key)}`);
    return [...write.leaves.map((key) => `- ${groupName(key)}`), ...joins].join('  ');
  }
  const list = LIST_FIELDS.find((name) => name === field);
  if (list !== undefined) return describeList(before[list].map(textOf), write.desired[list].map(textOf));
  return SCALAR_FIELDS.flatMap((name) =>
    name === field ? [`"${before[name]}" -> "${write.desired[name]}"`] : [],
  ).join();
};

const describeDecision = (decision: Decision, groupName: GroupNames): readonly Change[] => {
  switch (decision.kind) {
    case 'create': {
      const { side, source, joins } = decision;
      const groups = joins.length === 0 ? '' : `, in ${joins.map(groupName).join(', ')}`;
      return [{ to: side, who: nameOf(source.contact), what: `new contact${groups}` }];
    }
    case 'delete': {
      const { side, record } = decision;
      return [{ to: side, who: nameOf(record.contact), what: 'deleted' }];
    }
    case 'merge':
      return SIDES.flatMap((side) => {
        const write = decision.writes[side];
        const before = decision.pair[side].record.contact;
        return (write?.fields ?? []).flatMap((field): Change[] => {
          if (write === null) return [];
          const disputed = decision.conflicts.some((conflict) => conflict.field === field);
          const what = `${fieldWords(field)}: ${describeField(field, before, write, groupName)}`;
          const note = disputed ? ' (conflict: the newer edit stands)' : '';
          return [{ to: side, who: nameOf(before), what: what + note }];
        });
      });
    case 'unlink':
      return [];
  }
};

/** Everything that a plan propagates, groups first. */
export const describeChanges = ({ groups, decisions }: Plan): readonly Change[] => {
  const names = new Map(groups.pairs.map((pair) => [pair.key, pair.left?.name ?? pair.right?.name ?? '']));
  for (const action of groups.actions) names.set(action.key, action.name);
  const onGroups = groups.actions.map((action): Change => {
    const { side, name } = action;
    const kinds = { 'create-group': 'new group', 'delete-group': 'group deleted' } as const;
    if (action.kind === 'rename-group') {
      return { to: side, who: action.group.name, what: `group renamed: "${action.group.name}" -> "${name}"` };
    }
    return { to: side, who: name, what: kinds[action.kind] };
  });
  return [...onGroups, ...decisions.flatMap((decision) => describeDecision(decision, (key) => names.get(key) ?? key))];
};
