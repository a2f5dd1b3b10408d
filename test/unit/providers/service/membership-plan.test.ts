import type { MembershipRequest } from '../../../../src/core/contact/requests.ts';
import { describe, expect, it } from 'vitest';
import { BULK_SIZE, planMembershipRequests } from '../../../../src/providers/service/membership-plan.ts';

const fresh = (number: number, add: readonly string[], known: readonly string[] | null = []): MembershipRequest => {
  return { key: `k${number}`, id: `contact_${number}`, add, remove: [], knownGroupIds: known };
};

const many = (count: number, add: (index: number) => readonly string[]): MembershipRequest[] =>
  Array.from({ length: count }, (_, index) => fresh(index, add(index)));

const costOf = (batch: readonly MembershipRequest[]) => {
  const plan = planMembershipRequests(batch);
  return { single: plan.single.length, bulk: plan.additions.length };
};

describe('[R11] the plan of membership requests', () => {
  it('adds contacts to a bucket in bulk, five hundred in a request', () => {
    const plan = planMembershipRequests(many(1_250, () => ['b1']));
    expect(plan.single).toEqual([]);
    expect(plan.bulk).toHaveLength(1_250);
    expect(plan.additions.map((addition) => addition.contactIds.length)).toEqual([500, 500, 250]);
    expect(new Set(plan.additions.flatMap((addition) => addition.contactIds)).size).toBe(1_250);
    expect(BULK_SIZE).toBe(500);
  });

  it('writes one contact at a time if that takes no more requests', () => {
    expect(costOf([fresh(1, ['b1'])])).toEqual({ single: 1, bulk: 0 });
    expect(costOf([fresh(1, ['b1', 'b2'])])).toEqual({ single: 1, bulk: 0 });
    expect(costOf([fresh(1, ['b1', 'b2', 'b3'])])).toEqual({ single: 1, bulk: 0 });
    expect(costOf(many(2, (index) => [`b${index}`, 'all', 'also']))).toEqual({ single: 2, bulk: 0 });
  });

  it('splits a batch: big buckets in bulk, contacts with rare buckets one at a time', () => {
    const batch = [...many(40, () => ['big', 'other']), fresh(90, ['big', 'rare1', 'rare2']), fresh(91, ['rare3'])];
    const plan = planMembershipRequests(batch);
    expect(plan.single.map((request) => request.id).toSorted()).toEqual(['contact_90', 'contact_91']);
    expect(plan.additions.map((addition) => addition.bucketId).toSorted()).toEqual(['big', 'other']);
  });

  it('never adds in bulk for a request that removes, has unknown membership or changes nothing', () => {
    const removing = many(60, () => ['b1']).map((request) => ({ ...request, remove: ['b2'] }));
    const unknown = many(60, () => ['b1']).map((request) => ({ ...request, knownGroupIds: null }));
    const present = many(60, () => ['b1']).map((request) => ({ ...request, knownGroupIds: ['b1'] }));
    for (const batch of [removing, unknown, present]) expect(costOf(batch)).toEqual({ single: 60, bulk: 0 });
  });

  it('adds in bulk only what is missing', () => {
    const batch = many(30, (index) => ['b1', ...(index < 10 ? ['b2'] : [])]).map((request, index) => {
      return index < 10 ? { ...request, knownGroupIds: ['b1'] } : request;
    });
    const plan = planMembershipRequests(batch);
    expect(plan.additions.map(({ bucketId, contactIds }) => [bucketId, contactIds.length])).toEqual([
      ['b2', 10],
      ['b1', 20],
    ]);
  });
});
