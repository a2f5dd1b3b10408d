import { expect, test } from 'vitest';
import { contactOf } from '../../../src/core/contact/record.ts';
import type { Operation } from '../../../src/core/reconcile/operation.ts';
import { StoreError } from '../../../src/store/store.ts';
import { operationColumns, toOperation } from '../../../src/store/stored-operation.ts';
import { operationOf, recordOf } from '../../support/store/rows.ts';

const DESIRED = contactOf({ firstName: 'Augusta', title: 'Countess' });
const [BEFORE, SOURCE] = [recordOf('before'), recordOf('source')];
const UNDO = { cause: 'undo' } as const;
const ON_RIGHT = { side: 'right' } as const;
const MARKS = { empties: ['title'], isEdit: true } as const;
const GROUP = { id: 'g1', name: 'Choir', members: ['l1', 'l2'] };

test.each<[string, Operation, boolean]>([
  ['a create', operationOf('create', { desired: DESIRED, join: ['g1'], leftId: null }), false],
  ['a create on the right side', operationOf('create', { ...ON_RIGHT, desired: DESIRED, rightId: null }), false],
  ['a create of an undo', operationOf('create', { ...UNDO, desired: DESIRED, rightId: null, image: SOURCE }), false],
  ['an update', operationOf('update', { pairId: 7, desired: DESIRED, before: BEFORE, source: SOURCE }), false],
  ['an update with marked fields', operationOf('update', { fields: ['title', 'company'], ...MARKS }), true],
  ['an update of an undo', operationOf('update', { ...UNDO, ...ON_RIGHT, source: null }), false],
  ['an update of an undo with a source', operationOf('update', { ...UNDO, source: SOURCE }), false],
  ['a change of membership', operationOf('membership', { join: ['g1'], leave: ['g2'], before: BEFORE }), false],
  ['a marked membership', operationOf('membership', { leave: ['g2'], empties: ['buckets'], isEdit: true }), true],
  ['a delete', operationOf('delete', { before: BEFORE, rightId: null }), true],
  ['a delete of an undo', operationOf('delete', { ...UNDO, ...ON_RIGHT, leftId: null }), true],
  ['a merge into another contact', operationOf('delete', { before: BEFORE, survivor: SOURCE }), true],
  ['a group deletion', operationOf('group-delete', { group: GROUP }), true],
  ['a group deletion with details', operationOf('group-delete', { group: { ...GROUP, details: '{"a":1}' } }), true],
])('%s is read back with all its values', (_, operation, destroys) => {
  const columns = operationColumns(operation);
  const { side, kind, pairId, leftId, rightId } = operation;
  expect(columns).toMatchObject({ side, kind, pairId, leftId, rightId, destroys });
  expect(toOperation(columns)).toStrictEqual(operation);
});

test('an entry of an existing contact without that contact is refused', () => {
  const columns = { ...operationColumns(operationOf('update')), beforeJson: null };
  expect(() => toOperation(columns)).toThrow(StoreError);
});

test('an entry that lacks a value is refused', () => {
  const columns = { ...operationColumns(operationOf('create')), intentJson: '{"cause":"sync"}' };
  expect(() => toOperation(columns)).toThrow(StoreError);
});
