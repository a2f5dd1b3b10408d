import { SIDES } from '../../src/core/contact/side.ts';
import { fieldsOfDifferences } from '../../src/core/reconcile/differences.ts';
import type { GroupLink } from '../../src/core/reconcile/membership.ts';
import type { Policy } from '../../src/core/reconcile/policy.ts';
import { findDiffering } from '../../src/engine/repair.ts';
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
