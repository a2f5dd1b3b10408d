import { expect, test } from 'vitest';
import { contactOf } from '../../../src/core/contact/record.ts';
import { type Operation, OPERATION_KINDS, type OperationKind } from '../../../src/core/reconcile/operation.ts';
import { operationColumns, type OperationColumns, toOperation } from '../../../src/store/stored-operation.ts';
import { operationOf, recordOf } from '../../support/store/rows.ts';
import { SIDE_PAIRS } from '../core/reconcile/support.ts';

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

test.each(OPERATION_KINDS)('an incomplete %s is read back with its kind, cause and fields', (was) => {
  const address = { ...ON_RIGHT, ...UNDO, pairId: null, leftId: null, rightId: null };
  for (const empties of [[], ['title']] as const) {
    const fields = ['title', 'company'] as const;
    const operation = { ...address, kind: 'incomplete', was, fields, empties, lacks: 'its values' } as const;
    const columns = operationColumns(operation);
    const destroys = was === 'delete' || was === 'group-delete' || empties.length > 0;
    expect(columns).toMatchObject({ kind: was, beforeJson: null, destroys });
    expect(toOperation(columns)).toStrictEqual({ ...operation, lacks: expect.any(String) });
  }
});

const BARE = { fields: [], desired: null, join: [], leave: [], source: null };
const NONE = { ...BARE, undoes: false, empties: [], isEdit: false, group: null };

/** Returns the columns of an entry of the left side with the ids of both contacts. */
const columnsOf = (kind: OperationKind, intent: object, change: Partial<OperationColumns> = {}): OperationColumns => ({
  side: 'left',
  kind,
  pairId: 1,
  leftId: 'l1',
  rightId: 'r1',
  intentJson: JSON.stringify({ ...NONE, ...intent }),
  beforeJson: null,
  destroys: false,
  ...change,
});

const DRAFTED = { desired: DESIRED };
const UPDATING = { fields: ['title'], desired: DESIRED, source: SOURCE, empties: ['company'] };
const KNOWN = { beforeJson: JSON.stringify(BEFORE) };
const NO_IDS = { leftId: null, rightId: null };
const ID = 'the id of the contact';
const EARLIER = 'the contact before the write';
const FOLLOWED = 'the contact that it follows from';

test.each<[string, OperationColumns, string]>([
  ['a create without a contact', columnsOf('create', {}), 'the contact to be created'],
  ['an undo without a contact', columnsOf('create', { source: SOURCE, undoes: true }), 'the contact to be created'],
  ['an undo without an image', columnsOf('create', { ...DRAFTED, undoes: true }), 'the image to be restored'],
  ['a create on the left without a source', columnsOf('create', DRAFTED, { rightId: null }), FOLLOWED],
  ['a create on the right without one', columnsOf('create', DRAFTED, { ...ON_RIGHT, leftId: null }), FOLLOWED],
  ['an update without ids', columnsOf('update', UPDATING, { ...KNOWN, ...NO_IDS }), ID],
  ['a change of membership without ids', columnsOf('membership', {}, { ...KNOWN, ...NO_IDS }), ID],
  ['a delete without ids', columnsOf('delete', {}, { ...KNOWN, ...NO_IDS }), ID],
  ['an update without its earlier contact', columnsOf('update', UPDATING), EARLIER],
  ['a change of membership without its earlier contact', columnsOf('membership', {}), EARLIER],
  ['a delete without its earlier contact', columnsOf('delete', {}), EARLIER],
  ['an update to nothing', columnsOf('update', { ...UPDATING, desired: null }, KNOWN), 'the contact as it was to be'],
  ['an update without a source', columnsOf('update', { ...UPDATING, source: null }, KNOWN), 'what it follows from'],
  ['a group deletion without a group', columnsOf('group-delete', {}, NO_IDS), 'the group'],
])('[R9] an entry without a required value is incomplete: %s', (_, columns, lacks) => {
  const { side, kind: was, pairId, leftId, rightId, intentJson } = columns;
  const { undoes, fields, empties } = JSON.parse(intentJson) as typeof NONE;
  const address = { side, pairId, leftId, rightId, cause: undoes ? 'undo' : 'sync' };
  expect(toOperation(columns)).toStrictEqual({ ...address, kind: 'incomplete', was, fields, empties, lacks });
});

test.each(SIDE_PAIRS)(
  '[R9] an entry without a required value is incomplete: an entry on the side %s without the id of that side, but not one without the id of %s',
  (side, other) => {
    for (const kind of ['update', 'membership', 'delete'] as const) {
      const own = columnsOf(kind, UPDATING, { ...KNOWN, side, [`${side}Id`]: null });
      expect(toOperation(own)).toMatchObject({ kind: 'incomplete', was: kind, lacks: ID });
      const foreign = columnsOf(kind, UPDATING, { ...KNOWN, side, [`${other}Id`]: null });
      expect(toOperation(foreign)).toMatchObject({ kind, before: BEFORE });
    }
  },
);
