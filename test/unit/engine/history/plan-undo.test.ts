import { describe, expect, test } from 'vitest';
import { USUAL_FIELDS } from '../../../../src/core/contact/contact.ts';
import { contactOf, type ContactRecord, type GroupRecord } from '../../../../src/core/contact/record.ts';
import type { Side } from '../../../../src/core/contact/side.ts';
import type { ContactOperationKind } from '../../../../src/core/reconcile/operation.ts';
import type { CompleteWrite } from '../../../../src/engine/history/follow.ts';
import { planUndo, type WrittenContact } from '../../../../src/engine/history/plan-undo.ts';
import { operationOf, type OperationOf, rowOf } from '../../../support/store/rows.ts';
import { NONE, pairOf, policyWith, present, record, values } from '../../core/reconcile/support.ts';

const done = (operation: OperationOf<ContactOperationKind>, after: ContactRecord | null): CompleteWrite =>
  rowOf(operation, { state: 'done', after });

const group = (id: string, name = id): GroupRecord => ({ id, name, version: '' });

const GOOGLE = present(record('people/c1', {}));

/** A contact at the service that the run wrote, in its current state. */
const written = (now: ContactRecord | null, writes: readonly CompleteWrite[], given: Partial<WrittenContact> = {}) => {
  const right = now === null ? NONE : present(now);
  const [newest] = writes;
  const outcome = newest?.after ?? null;
  return {
    side: 'right' as const,
    id: 'contact_1',
    writes,
    isUnlinked: false,
    unjoined: [],
    lostGroups: [],
    pair: pairOf(GOOGLE, right),
    outcome: outcome === null ? null : { record: outcome, isExact: newest?.kind !== 'membership', atMs: 0 },
    ...given,
  };
};

const plan = (contacts: readonly WrittenContact[], given: Partial<Parameters<typeof planUndo>[0]> = {}) => {
  return planUndo({
    contacts,
    removedGroups: [],
    groups: { left: [], right: [] },
    policy: policyWith(),
    fields: new Set(USUAL_FIELDS),
    ...given,
  });
};

const at = (contact: Parameters<typeof record>[1], more: Parameters<typeof record>[2] = {}) => {
  return record('contact_1', contact, more);
};

const decisionOf = (result: ReturnType<typeof planUndo>) => result.decisions[0];

const titled = (before: string, after: string): CompleteWrite => {
  return done(operationOf('update', { fields: ['title'], before: at({ title: before }) }), at({ title: after }));
};

test('R18: a contact that is no longer linked is not written', () => {
  const { decisions, refused } = plan([
    written(at({ title: 'New' }), [titled('Old', 'New')], { isUnlinked: true, pair: null }),
  ]);
  expect(decisions).toEqual([]);
  expect(refused).toMatchObject([{ field: null, reason: 'it is no longer linked' }]);
});

describe('an update', () => {
  test('is reverted on the side that it was written on, and only there', () => {
    const result = plan([written(at({ title: 'New' }), [titled('Old', 'New')])]);
    expect(result.refused).toEqual([]);
    expect(decisionOf(result)).toMatchObject({
      kind: 'merge',
      writes: [{ kind: 'update', side: 'right', fields: ['title'], desired: { title: 'Old' } }],
    });
  });

  test('does not change values that a side computes', () => {
    const last = 'lastContacted';
    const [before, after] = [at({ title: 'Old', [last]: 'monday' }), at({ title: 'New', [last]: 'today' })];
    const both = done(operationOf('update', { fields: ['title', last], before }), after);
    const fields = new Set([...USUAL_FIELDS, last] as const);
    expect(decisionOf(plan([written(after, [both])], { fields }))).toMatchObject({
      writes: [{ kind: 'update', side: 'right', fields: ['title'], desired: { title: 'Old', [last]: 'today' } }],
    });
  });

  test('holds all values that it does not write, so that nothing is propagated', () => {
    const decision = decisionOf(plan([written(at({ title: 'New' }), [titled('Old', 'New')])]));
    if (decision?.kind !== 'merge') throw new Error('A reversal was expected.');
    expect(decision.localFields.left).toHaveLength(9);
    expect(decision.localFields.right).not.toContain('title');
    expect(decision.localFields.right).toHaveLength(8);
  });

  test('is refused if the field was changed since, and needs no write if the field has its former value', () => {
    const changed = plan([written(at({ title: 'Newer' }), [titled('Old', 'New')])]);
    expect(changed.decisions).toEqual([]);
    expect(changed.refused).toEqual([
      {
        side: 'right',
        leftId: 'people/c1',
        rightId: 'contact_1',
        name: 'Ada',
        field: 'title',
        reason: 'it was changed since',
      },
    ]);
    expect(plan([written(at({ title: 'Old' }), [titled('Old', 'New')])])).toMatchObject({
      decisions: [],
      refused: [],
    });
  });

  test('reverts several writes of the run step by step, the newest first', () => {
    const result = plan([written(at({ title: 'C' }), [titled('B', 'C'), titled('A', 'B')])]);
    expect(decisionOf(result)).toMatchObject({ writes: [{ kind: 'update', side: 'right', desired: { title: 'A' } }] });
    const cut = plan([written(at({ title: 'C' }), [titled('B', 'C'), titled('A', 'X')])]);
    expect(decisionOf(cut)).toMatchObject({ writes: [{ kind: 'update', side: 'right', desired: { title: 'B' } }] });
    expect(cut.refused).toHaveLength(1);
  });

  test('of a list removes the elements that it added and restores those that it removed, element by element', () => {
    const before = at({ emailAddresses: values('kept@x.org', 'removed@x.org') });
    const after = at({ emailAddresses: values('kept@x.org', 'added@x.org') });
    const now = at({ emailAddresses: values('Added@X.org', 'later@x.org') });
    const result = plan([written(now, [done(operationOf('update', { fields: ['emailAddresses'], before }), after)])]);
    const expected = contactOf({ emailAddresses: values('later@x.org', 'removed@x.org') });
    expect(decisionOf(result)).toMatchObject({
      writes: [{ kind: 'update', side: 'right', desired: expected, fields: ['emailAddresses'] }],
    });
  });

  test('is refused if the contact or its other half is deleted, or if the link does not write', () => {
    const deleted = plan([written(null, [titled('Old', 'New')])]);
    expect(deleted.refused).toMatchObject([{ field: null, reason: 'it was deleted since' }]);
    const now = at({ title: 'New' });
    const alone = plan([written(now, [titled('Old', 'New')], { pair: pairOf(NONE, present(now)) })]);
    expect(alone.refused).toMatchObject([{ field: null, reason: 'its counterpart no longer exists' }]);
    const policy = policyWith({ direction: 'to-left' });
    const oneWay = plan([written(now, [titled('Old', 'New')])], { policy });
    expect(oneWay.refused).toMatchObject([{ reason: 'the link does not write to this side' }]);
    for (const { decisions } of [deleted, alone, oneWay]) expect(decisions).toEqual([]);
  });
});

describe('a change of membership', () => {
  const before = at({}, { groupIds: ['left'] });
  const moved = done(
    operationOf('membership', { join: ['joined'], leave: ['left'], before }),
    at({}, { groupIds: ['joined'] }),
  );
  const groups = (...right: readonly GroupRecord[]) => ({ left: [], right });

  test('joins the groups that were left and leaves those that were joined', () => {
    const now = at({}, { groupIds: ['joined', 'other'] });
    const result = plan([written(now, [moved])], { groups: groups(group('left'), group('joined'), group('other')) });
    expect(decisionOf(result)).toMatchObject({
      writes: [{ kind: 'membership', side: 'right', joins: ['right left'], leaves: ['right joined'] }],
    });
  });

  test('is refused for a group that is deleted or that BUCKETS leaves out by now', () => {
    const now = at({}, { groupIds: [] });
    for (const given of [
      { groups: groups() },
      { groups: groups(group('left')), policy: policyWith({ buckets: ['*', '!left'] }) },
    ]) {
      const result = plan([written(now, [moved])], given);
      expect(result.decisions).toEqual([]);
      expect(result.refused).toMatchObject([{ field: 'buckets' }]);
    }
  });
});

describe('a create', () => {
  const created = at({ firstName: 'Ada' });
  const create = done(operationOf('create'), created);

  test('is deleted again if it is unchanged; the other half is kept alone', () => {
    const decision = decisionOf(plan([written(created, [create])]));
    expect(decision).toMatchObject({ kind: 'delete', side: 'right', record: created });
  });

  test.each([
    ['a value was changed', at({ firstName: 'Ada', title: 'Dr' })],
    ['it joined a group', at({ firstName: 'Ada' }, { groupIds: ['team'] })],
    ['a value that is not synced was changed', at({ firstName: 'Ada' }, { version: '2' })],
  ])('is kept if %s since', (_, now) => {
    const result = plan([written(now, [create])]);
    expect(result.decisions).toEqual([]);
    expect(result.refused).toMatchObject([{ reason: 'it was changed since it was created' }]);
  });

  test('that joined groups afterwards is judged by its time, since the response to the join had no version', () => {
    const after = at({ firstName: 'Ada' }, { groupIds: ['team'] });
    const join = done(operationOf('membership', { join: ['team'], before: created }), after);
    const now = (modifiedAtMs: number) => at({ firstName: 'Ada' }, { groupIds: ['team'], version: '2', modifiedAtMs });
    expect(decisionOf(plan([written(now(1_000), [join, create])]))?.kind).toBe('delete');
    expect(plan([written(now(3_600_000), [join, create])]).refused).toHaveLength(1);
  });

  test('that is deleted already needs no write', () => {
    expect(plan([written(null, [create])])).toMatchObject({ decisions: [], refused: [] });
  });
});

describe('a delete', () => {
  const before = at({ firstName: 'Ada', title: 'New' }, { groupIds: ['gone', 'team'] });
  const removal = done(operationOf('delete', { before }), null);
  const alone: Partial<WrittenContact> = { pair: null };
  const groups = { left: [], right: [group('team')] };

  test('restores the contact from its last image, with its earlier writes undone and the existing groups', () => {
    const result = plan([written(null, [removal, titled('Old', 'New')], alone)], { groups });
    expect(decisionOf(result)).toMatchObject({
      kind: 'restore',
      side: 'right',
      pair: null,
      image: { contact: { firstName: 'Ada', title: 'Old' } },
      joins: ['right team'],
      existing: null,
    });
    expect(result.refused).toMatchObject([{ field: 'buckets', reason: 'a group it was in is deleted' }]);
  });

  test('is linked again with the remaining half', () => {
    const result = plan([written(null, [removal])], { groups });
    expect(decisionOf(result)).toMatchObject({ kind: 'restore', pair: { id: 1 } });
  });

  test('needs no write if the contact exists again, except for groups that an interrupted undo left out', () => {
    const now = at({ firstName: 'Ada' }, { groupIds: [] });
    expect(plan([written(now, [removal])], { groups })).toMatchObject({ decisions: [], refused: [] });
    const result = plan([written(now, [removal], { unjoined: ['gone', 'team'] })], { groups });
    expect(decisionOf(result)).toMatchObject({ kind: 'restore', existing: now, joins: ['right team'] });
  });
});

test('writes to both halves of a pair are one decision', () => {
  const halves: Record<Side, ContactRecord> = {
    left: record('people/c1', { company: 'New' }),
    right: at({ title: 'New' }),
  };
  const pair = pairOf(present(halves.left), present(halves.right));
  const company = done(
    operationOf('update', { fields: ['company'], before: record('people/c1', { company: 'Old' }) }),
    record('people/c1', { company: 'New' }),
  );
  const contacts: WrittenContact[] = [
    written(halves.right, [titled('Old', 'New')], { pair }),
    written(halves.left, [company], { side: 'left', id: 'people/c1', pair }),
  ];
  expect(plan(contacts).decisions).toMatchObject([
    {
      kind: 'merge',
      writes: [
        { kind: 'update', side: 'left', fields: ['company'] },
        { kind: 'update', side: 'right', fields: ['title'] },
      ],
    },
  ]);
});
