import { describe, expect, test } from 'vitest';
import { afterInverse, type Current, invert } from '../../../../src/core/apply/invert.ts';
import { type Contact, USUAL_FIELDS } from '../../../../src/core/contact/contact.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import type { ContactOperationKind } from '../../../../src/core/reconcile/operation.ts';
import { operationOf, type OperationOf } from '../../../support/store/rows.ts';
import { record, values } from '../reconcile/support.ts';

const at = (contact: Partial<Contact>, ...groupIds: string[]): ContactRecord => record('r', contact, { groupIds });

const currently = (now: ContactRecord, given: Partial<Current> = {}): Current => ({
  record: now,
  outcome: { record: now, isExact: true, atMs: 0 },
  groups: new Set(['choir', 'team']),
  fields: new Set(USUAL_FIELDS),
  isReverted: () => true,
  ...given,
});

const done = <Kind extends ContactOperationKind>(
  kind: Kind,
  change: Partial<OperationOf<Kind>>,
  after: ContactRecord | null,
) => ({ ...operationOf(kind), ...change, after });

describe('the inverse of an update', () => {
  const write = done(
    'update',
    { fields: ['title', 'emailAddresses'], before: at({ title: 'Old', emailAddresses: values('a@x.org', 'b@x.org') }) },
    at({ title: 'New', emailAddresses: values('a@x.org', 'c@x.org') }),
  );

  test('is an update with the former text, and with the elements that it removed in place of those that it added', () => {
    const now = at({ title: 'New', emailAddresses: values('a@x.org', 'c@x.org', 'd@x.org') });
    const { inverse, refused } = invert(write, currently(now));
    const emailAddresses = values('a@x.org', 'd@x.org', 'b@x.org');
    expect(inverse).toMatchObject({
      kind: 'update',
      fields: ['title', 'emailAddresses'],
      desired: { title: 'Old', emailAddresses },
    });
    expect(refused).toEqual([]);
    expect(afterInverse(now, inverse).contact).toMatchObject({ title: 'Old', emailAddresses });
  });

  test('leaves a text that changed since, and reports it', () => {
    const { inverse, refused } = invert(write, currently(at({ title: 'Newer', emailAddresses: values('c@x.org') })));
    expect(refused).toEqual([{ field: 'title', reason: 'it was changed since' }]);
    expect(inverse).toMatchObject({ kind: 'update', fields: ['emailAddresses'], desired: { title: 'Newer' } });
  });

  test('does not exist if every value is as before, or if no field may be reverted', () => {
    const before = currently(write.before);
    expect(invert(write, before)).toEqual({ inverse: null, refused: [] });
    const now = currently(at({ title: 'New' }), { isReverted: () => false });
    expect(invert(write, now)).toEqual({ inverse: null, refused: [] });
    expect(invert({ ...write, after: null }, currently(at({ title: 'New' })))).toEqual({ inverse: null, refused: [] });
  });
});

describe('the inverse of a change of membership', () => {
  const write = done(
    'membership',
    { join: ['choir'], leave: ['team', 'lost'], before: at({}, 'team', 'lost') },
    at({}, 'choir'),
  );

  test('joins and leaves the same groups the other way, as far as they exist', () => {
    const now = at({}, 'choir', 'own');
    const { inverse, refused } = invert(write, currently(now));
    expect(inverse).toEqual({ kind: 'membership', join: ['team'], leave: ['choir'] });
    expect(refused).toEqual([{ field: 'buckets', reason: 'the group it left is deleted or no longer synced' }]);
    expect(afterInverse(now, inverse).groupIds).toEqual(['own', 'team']);
  });

  test('does not exist if the membership may not be reverted', () => {
    const now = currently(at({}, 'choir'), { isReverted: (field) => field !== 'buckets' });
    expect(invert(write, now)).toEqual({ inverse: null, refused: [] });
  });
});

describe('the inverse of a create', () => {
  const created = at({ firstName: 'Ada' });
  const write = done('create', {}, created);

  test('deletes the contact if it is as it was created', () => {
    expect(invert(write, currently(created))).toEqual({ inverse: { kind: 'delete', record: created }, refused: [] });
  });

  test('is refused if the contact changed since, or its last state is unknown', () => {
    const outcome = currently(created).outcome;
    expect(invert(write, currently(at({ firstName: 'Eve' }), { outcome }))).toEqual({
      inverse: null,
      refused: [{ field: null, reason: 'it was changed since it was created' }],
    });
    expect(invert(write, currently(created, { outcome: null })).refused).toEqual([
      { field: null, reason: 'it is no longer linked' },
    ]);
  });
});

test('the inverse of a delete creates the contact from its last image', () => {
  const before = at({ firstName: 'Ada' }, 'choir');
  expect(invert(done('delete', { before }, null), currently(at({})))).toEqual({
    inverse: { kind: 'create', image: before },
    refused: [],
  });
});
