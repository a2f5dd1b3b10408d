import { describe, expect, test } from 'vitest';
import { listActions } from '../../../src/reconcile/actions.ts';
import { planGroups, type GroupPlan } from '../../../src/reconcile/groups.ts';
import { planContacts, type PlanInput } from '../../../src/reconcile/plan.ts';
import type { Policy } from '../../../src/reconcile/policy.ts';
import { address, gone, link, NONE, pairOf, policyWith, present, record, snapshot, values } from './support.ts';

const NO_GROUPS: GroupPlan = planGroups({ google: [], service: [], pairs: [] }, policyWith());

const actions = (given: Partial<PlanInput>, policy: Partial<Policy> = {}) => {
  const unpaired = { google: [], service: [] };
  const input = { pairs: [], survivors: [], unpaired, groups: NO_GROUPS, policy: policyWith(policy), ...given };
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
    const google = [record('g', full, { groupIds: ['g-choir'] })];
    const service = [record('s', { company: 'Other' })];
    expect(actions({ unpaired: { google, service }, groups })).toEqual([
      {
        side: 'service',
        action: 'create',
        googleId: 'g',
        serviceId: null,
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
      { side: 'google', action: 'create', googleId: null, serviceId: 's', fields: ['company'] },
    ]);
  });

  test('names an update on each side that is written', () => {
    const google = present(record('g', { ...ADA, title: 'Dr' }), snapshot(ADA));
    const service = present(record('s', { ...ADA, company: 'Engine' }), snapshot(ADA));
    const ids = { googleId: 'g', serviceId: 's' };
    expect(actions({ pairs: [pairOf(google, service)] })).toEqual([
      { side: 'google', action: 'update', ...ids, fields: ['company'] },
      { side: 'service', action: 'update', ...ids, fields: ['title'] },
    ]);
  });

  test('names a pairing before the updates that it brings', () => {
    const unpaired = { google: [record('g', ADA)], service: [record('s', { ...ADA, title: 'Dr' })] };
    const ids = { googleId: 'g', serviceId: 's' };
    expect(actions({ unpaired })).toEqual([
      { side: 'google', action: 'pair', ...ids, fields: [] },
      { side: 'google', action: 'update', ...ids, fields: ['title'] },
    ]);
  });

  test('names a kept survivor that is linked again as a pairing', () => {
    const survivors = [pairOf(present(record('g', ADA)), NONE, 'kept')];
    const unpaired = { google: [], service: [record('s', ADA)] };
    expect(actions({ survivors, unpaired })).toEqual([
      { side: 'google', action: 'pair', googleId: 'g', serviceId: 's', fields: [] },
    ]);
  });

  test('names a delete with both ids', () => {
    expect(actions({ pairs: [pairOf(present(record('g', ADA)), gone('s'))] })).toEqual([
      { side: 'google', action: 'delete', googleId: 'g', serviceId: 's', fields: [] },
    ]);
  });

  test.each([
    ['kept', pairOf(gone('g'), present(record('s', ADA))), { deletes: 'keep' }, 'service'],
    ['dormant', pairOf(present(record('g', ADA)), gone('s')), { direction: 'to-service' }, 'google'],
    ['dropped', pairOf(gone('g'), gone('s')), {}, 'service'],
  ] as const)('names an unlinking once: %s', (_, pair, policy, side) => {
    expect(actions({ pairs: [pair] }, policy)).toEqual([
      { side, action: 'unlink', googleId: 'g', serviceId: 's', fields: [] },
    ]);
  });

  test.each(['kept', 'dormant'] as const)('does not name a pair that stays %s', (status) => {
    const survivors = [pairOf(present(record('g', ADA)), NONE, status)];
    expect(actions({ survivors }, { deletes: 'keep', direction: 'to-service' })).toEqual([]);
  });

  test('names groups first', () => {
    const group = (id: string, name: string) => ({ id, name, version: '' });
    const half = (id: string, name: string) => ({ id, name });
    const stored = { status: 'linked', settled: true } as const;
    const groups = planGroups(
      {
        google: [group('g1', 'New'), group('g2', 'Renamed')],
        service: [group('s2', 'Old'), group('s3', 'Lost')],
        pairs: [
          { key: 'two', google: half('g2', 'Old'), service: half('s2', 'Old'), ...stored },
          { key: 'three', google: half('g3', 'Lost'), service: half('s3', 'Lost'), ...stored },
        ],
      },
      policyWith(),
    );
    expect(actions({ groups, unpaired: { google: [record('g', ADA)], service: [] } })).toMatchObject([
      { side: 'service', action: 'rename-group', name: 'Renamed' },
      { side: 'service', action: 'delete-group', name: 'Lost' },
      { side: 'service', action: 'create-group', name: 'New' },
      { side: 'service', action: 'create', googleId: 'g' },
    ]);
  });
});
