import { expect, test } from 'vitest';
import { countBySide } from '../../../../src/core/view/changes.ts';
import type { ContactChange } from '../../../../src/core/view/views.ts';

const changeOf = (action: ContactChange['action'], id: string): ContactChange => ({
  side: 'right',
  action,
  leftId: null,
  rightId: id,
  name: null,
  fields: [],
  changes: [],
  why: { kind: 'new', at: 'left' },
});

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
