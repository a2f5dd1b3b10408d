import { expect, test } from 'vitest';
import { destroys, type StoredOperation } from '../../../../src/core/reconcile/operation.ts';
import { operationOf } from '../../../support/store/rows.ts';

const ADDRESS = { side: 'left', cause: 'sync', pairId: null, leftId: 'l', rightId: null } as const;
const INCOMPLETE = { ...ADDRESS, kind: 'incomplete', fields: ['title'], empties: [], lacks: 'its values' } as const;

test.each<[string, StoredOperation, boolean]>([
  ['a deletion', operationOf('delete'), true],
  ['the deletion of a group', operationOf('group-delete'), true],
  ['an update that empties a field', operationOf('update', { empties: ['title'] }), true],
  ['an update that empties no field', operationOf('update', { empties: [] }), false],
  ['a change of membership that empties no field', operationOf('membership', { leave: ['g'], empties: [] }), false],
  ['a create', operationOf('create'), false],
  ['a deletion without its values', { ...INCOMPLETE, was: 'delete' }, true],
  ['the deletion of a group without its values', { ...INCOMPLETE, was: 'group-delete' }, true],
  ['an update without its values that empties a field', { ...INCOMPLETE, was: 'update', empties: ['title'] }, true],
  ['an update without its values that empties no field', { ...INCOMPLETE, was: 'update' }, false],
])('[R8] the deletion guard counts only operations that remove something: %s', (_, operation, expected) => {
  expect(destroys(operation)).toBe(expected);
});
