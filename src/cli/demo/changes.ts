import { fieldWords } from '../../core/view/words.ts';
import type { Change, ContactChange, FieldChange } from '../../core/view/views.ts';
import { formatValues } from '../terminal/changes.ts';

const groupsOf = ({ changes }: ContactChange): string => {
  const groups = changes.flatMap(({ field, to }) => (field === 'buckets' ? to : []));
  return groups.length === 0 ? '' : `, in ${groups.join(', ')}`;
};

const describeField = (change: FieldChange): string => {
  const what = change.field === 'name' ? 'group renamed' : fieldWords(change.field);
  const note = change.why.kind === 'conflict' ? ' (conflict: the newer edit wins)' : '';
  return `${what}: ${formatValues(change)}${note}`;
};

/** The name of the contact or group of a change; for a renamed group, the former name. */
export const nameBefore = ({ action, name, changes }: Change): string => {
  const [former] = action === 'rename-group' ? (changes[0]?.from ?? []) : [];
  return former ?? name ?? 'no name';
};

/** Describes a change: one text for each field. */
export const describeChange = (change: Change): readonly string[] => {
  switch (change.action) {
    case 'create':
      return [`new contact${groupsOf(change)}`];
    case 'delete':
      return ['deleted'];
    case 'create-group':
      return ['new group'];
    case 'delete-group':
      return ['group deleted'];
    case 'rename-group':
    case 'update':
    case 'membership':
      return change.changes.map(describeField);
    case 'ask':
    case 'pair':
    case 'unlink':
    case 'set-apart':
    case 'wake':
      return [];
  }
};
