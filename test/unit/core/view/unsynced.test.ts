import { expect, test } from 'vitest';
import { USUAL_FIELDS } from '../../../../src/core/contact/contact.ts';
import { type Decision, NO_WRITES } from '../../../../src/core/reconcile/decision.ts';
import { addCounts, countUnsynced, unsyncedFields } from '../../../../src/core/view/unsynced.ts';
import { pairOf, present, record } from '../reconcile/support.ts';

const create = (middleName: string, marks: readonly string[] = []): Decision => ({
  kind: 'create',
  side: 'right',
  source: record('g', { firstName: 'Ada' }, { ...(middleName !== '' && { unsyncedName: { middleName } }), marks }),
  pair: null,
  writes: { left: NO_WRITES, right: NO_WRITES },
});

const unlink: Decision = {
  kind: 'unlink',
  to: 'drop',
  pair: pairOf(
    present(record('g', {}, { unsyncedName: { middleName: 'M' }, marks: ['starred'] })),
    present(record('s', {}, { unsyncedName: { middleName: 'M' }, marks: ['tag:gold', 'tag:new'] })),
  ),
};

const DECISIONS = [create('King'), create(''), create('', ['tag:gold']), unlink];

test('contacts with a value in a field that is not synced are counted, each person once', () => {
  expect(countUnsynced(DECISIONS, USUAL_FIELDS)).toMatchObject({ middleName: 2, tags: 2, namePrefix: 0 });
  expect(countUnsynced(DECISIONS, [...USUAL_FIELDS, 'tags'])).not.toHaveProperty('tags');
  expect(addCounts({ tags: 2 }, { tags: 1, middleName: 4 })).toEqual({ tags: 3, middleName: 4 });
});

test('a field is listed with its number of contacts, without one if it is not read, and not at all if no contact has it', () => {
  expect(unsyncedFields(['namePrefix', 'middleName', 'notes'], { middleName: 2 })).toEqual([
    { field: 'middleName', contacts: 2 },
    { field: 'notes', contacts: null },
  ]);
});
