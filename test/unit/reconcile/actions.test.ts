import { describe, expect, test } from 'vitest';
import { listActions } from '../../../src/reconcile/actions.ts';
import { planGroups, type GroupPlan } from '../../../src/reconcile/groups.ts';
import { planContacts, type PlanInput } from '../../../src/reconcile/plan.ts';
import type { Policy } from '../../../src/reconcile/policy.ts';
import {
  address,
  gone,
  link,
  NONE,
  pairOf,
  policyWith,
  present,
  record,
  SCOPES,
  snapshot,
  unpaired,
  values,
} from './support.ts';

const NO_GROUPS: GroupPlan = planGroups({ left: [], right: [], pairs: [] }, policyWith());

const actions = (given: Partial<PlanInput>, policy: Partial<Policy> = {}) => {
  const nobody = { left: [], right: [] };
  const fixed = { groups: NO_GROUPS, openConflicts: [], policy: policyWith(policy), scopes: SCOPES };
  const input = { pairs: [], survivors: [], unpaired: nobody, ...fixed, ...given };
  return listActions(planContacts(input));
};

const ADA = { firstName: 'Ada', emailAddresses: values('ada@x.org') };

describe('the list of actions', () => {
  test('is empty for a plan that has nothing to do', () => {
    expect(actions({ pairs: [pairOf(present(record('g', ADA)), present(record('s', ADA)))] })).toEqual([]);
  });

  test('names a create’s filled fields in one order, buckets last, and only the id that exists', () => {
    const full = {
      ...ADA,
      websites: values('x.org'),
      addresses: [address('Main 1')],
      lastName: 'King',
      company: 'Engine',
      title: 'Dr',
      phoneNumbers: values('112'),
    };
    const groups = { ...NO_GROUPS, links: [link('choir')] };
    const left = unpaired('left', record('g', full, { groupIds: ['g-choir'] }));
    const right = unpaired('right', record('s', { company: 'Other' }));
    expect(actions({ unpaired: { left, right }, groups })).toEqual([
      {
        side: 'right',
        action: 'create',
        leftId: 'g',
        rightId: null,
        fields: [
          'firstName',
          'lastName',
          'company',
          'title',
          'emailAddresses',
          'phoneNumbers',
          'addresses',
          'websites',
          'buckets',
        ],
      },
      { side: 'left', action: 'create', leftId: null, rightId: 's', fields: ['company'] },
    ]);
  });

  test('names an update on each side that is written', () => {
    const left = present(record('g', { ...ADA, title: 'Dr' }), snapshot(ADA));
    const right = present(record('s', { ...ADA, company: 'Engine' }), snapshot(ADA));
    const ids = { leftId: 'g', rightId: 's' };
    expect(actions({ pairs: [pairOf(left, right)] })).toEqual([
      { side: 'left', action: 'update', ...ids, fields: ['company'] },
      { side: 'right', action: 'update', ...ids, fields: ['title'] },
    ]);
  });

  test('names a pairing before the updates that it brings', () => {
    const left = unpaired('left', record('g', ADA));
    const right = unpaired('right', record('s', { ...ADA, title: 'Dr' }));
    const ids = { leftId: 'g', rightId: 's' };
    expect(actions({ unpaired: { left, right } })).toEqual([
      { side: 'left', action: 'pair', ...ids, fields: [] },
      { side: 'left', action: 'update', ...ids, fields: ['title'] },
    ]);
  });

  test('names a kept survivor that is linked again as a pairing', () => {
    const survivors = [pairOf(present(record('g', ADA)), NONE, 'kept')];
    const right = unpaired('right', record('s', ADA));
    expect(actions({ survivors, unpaired: { left: [], right } })).toEqual([
      { side: 'left', action: 'pair', leftId: 'g', rightId: 's', fields: [] },
    ]);
  });

  test('names a delete with both ids', () => {
    expect(actions({ pairs: [pairOf(present(record('g', ADA)), gone('s'))] })).toEqual([
      { side: 'left', action: 'delete', leftId: 'g', rightId: 's', fields: [] },
    ]);
  });

  test.each([
    ['kept', pairOf(gone('g'), present(record('s', ADA))), { deletes: 'keep' }, 'right'],
    ['dormant', pairOf(present(record('g', ADA)), gone('s')), { direction: 'to-right' }, 'left'],
    ['dropped', pairOf(gone('g'), gone('s')), {}, 'right'],
  ] as const)('names an unlinking once: %s', (_, pair, policy, side) => {
    expect(actions({ pairs: [pair] }, policy)).toEqual([
      { side, action: 'unlink', leftId: 'g', rightId: 's', fields: [] },
    ]);
  });

  test.each(['kept', 'dormant'] as const)('does not name a pair that stays %s', (status) => {
    const survivors = [pairOf(present(record('g', ADA)), NONE, status)];
    expect(actions({ survivors }, { deletes: 'keep', direction: 'to-right' })).toEqual([]);
  });

  test('names groups first', () => {
    const group = (id: string, name: string) => ({ id, name, version: '' });
    const half = (id: string, name: string) => ({ id, name });
    const stored = { status: 'linked', settled: true } as const;
    const groups = planGroups(
      {
        left: [group('g1', 'New'), group('g2', 'Renamed')],
        right: [group('s2', 'Old'), group('s3', 'Lost')],
        pairs: [
          { key: 'two', left: half('g2', 'Old'), right: half('s2', 'Old'), ...stored },
          { key: 'three', left: half('g3', 'Lost'), right: half('s3', 'Lost'), ...stored },
        ],
      },
      policyWith(),
    );
    expect(actions({ groups, unpaired: { left: unpaired('left', record('g', ADA)), right: [] } })).toMatchObject([
      { side: 'right', action: 'rename-group', name: 'Renamed' },
      { side: 'right', action: 'delete-group', name: 'Lost' },
      { side: 'right', action: 'create-group', name: 'New' },
      { side: 'right', action: 'create', leftId: 'g' },
    ]);
  });
});
