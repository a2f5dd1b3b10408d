import { expect, test } from 'vitest';
import { countBySide, sortChanges } from '../../../../src/core/view/changes.ts';
import type { Change, ContactChange } from '../../../../src/core/view/views.ts';

const why = { kind: 'new', at: 'left' } as const;

const changeOf = (action: ContactChange['action'], id: string): ContactChange => {
  return { side: 'right', action, leftId: null, rightId: id, name: null, fields: [], changes: [], why };
};

test('a contact that a run created counts as created or deleted, and not as updated', () => {
  const byAction = {
    create: [changeOf('create', 'new')],
    update: [changeOf('update', 'new'), changeOf('update', 'old'), changeOf('membership', 'old')],
    delete: [changeOf('delete', 'new')],
  };
  const all = Object.values(byAction).flat();
  expect(countBySide(byAction.create, all)).toEqual({ left: 0, right: 1 });
  expect(countBySide(byAction.update, all)).toEqual({ left: 0, right: 1 });
  expect(countBySide(byAction.delete, all)).toEqual({ left: 0, right: 1 });
});

test('the changes of a plan are sorted by kind, groups first, then by name in any spelling', () => {
  const named = (action: ContactChange['action'], name: string | null): Change => ({ ...changeOf(action, 'c'), name });
  const group: Change = { side: 'right', action: 'create-group', name: 'Zoo', changes: [], why };
  const updates = ['Émile', 'zoe', 'Fay'].map((name) => named('update', name));
  const sorted = sortChanges([...updates, named('create', null), named('create', 'Bo'), group, named('delete', 'Zed')]);
  expect(sorted.map(({ action, name }) => `${action} ${name}`).join(', ')).toBe(
    'delete Zed, create-group Zoo, create Bo, create null, update Émile, update Fay, update zoe',
  );
});
