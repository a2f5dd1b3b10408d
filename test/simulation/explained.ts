import { SIDES } from '../../src/contact/side.ts';
import { fieldsOfDifferences } from '../../src/reconcile/differences.ts';
import type { GroupLink } from '../../src/reconcile/membership.ts';
import type { Policy } from '../../src/reconcile/policy.ts';
import { findDiffering } from '../../src/sync/repair.ts';
import type { World } from './world.ts';

/** Each linked pair has equal halves, or a rule explains the difference; every group takes part. */
export const checkExplained = async ({ link, store }: World, policy: Policy): Promise<readonly string[]> => {
  const { groupPairs } = await store.link(link);
  const links = groupPairs.map(({ key, left, right, ...pair }): GroupLink => {
    return { key, left: left?.id ?? null, right: right?.id ?? null, settled: pair.settled };
  });
  const violations: string[] = [];
  for await (const found of findDiffering({ store, link, policy }, links)) {
    for (const { pair, differences } of found) {
      const ids = SIDES.map((side) => pair[side].id).join(' and ');
      violations.push(`${ids} differ without an explanation: ${fieldsOfDifferences(differences).join(', ')}`);
    }
  }
  return violations;
};
