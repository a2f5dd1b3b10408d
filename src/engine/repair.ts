import { isPresent, isAway } from '../core/contact/half.ts';
import { SIDES } from '../core/contact/side.ts';
import type { Pair, WholePair } from '../core/reconcile/decision.ts';
import { disputedHalves, fieldsOfDifferences, unexplainedDifferences } from '../core/reconcile/differences.ts';
import type { GroupPlan } from '../core/reconcile/groups.ts';
import type { Policy } from '../core/reconcile/policy.ts';
import type { Store } from '../store/store.ts';
import type { Session } from './context.ts';
import { chunks } from '../util/batches.ts';
import { yieldToEventLoop } from './execute/in-parallel.ts';
import { loadPairsOf } from './workload.ts';

/** The number of pairs that are loaded at once. */
const BATCH = 500;

type Differences = NonNullable<ReturnType<typeof unexplainedDifferences>>;

/** A linked pair with differences that no rule explains. */
type Differing = { readonly pair: WholePair; readonly differences: Differences };

const isWhole = (pair: Pair): pair is WholePair =>
  pair.status === 'linked' && SIDES.every((side) => isPresent(pair[side]) && !isAway(pair[side]));

/** The ids of pairs with two halves. */
const wholePairs = async (store: Store, link: string): Promise<readonly number[]> => {
  const [left, right] = await Promise.all(SIDES.map((side) => store.index(link, side)));
  const others = new Set(right?.map(({ pair }) => pair));
  return (left ?? []).flatMap(({ pair }) => (pair !== null && others.has(pair) ? [pair] : []));
};

/** Finds the linked pairs whose halves differ although no rule explains it (R5). Omits pairs with a write of unknown outcome. */
export async function* findDiffering(
  { store, link, policy }: { readonly store: Store; readonly link: string; readonly policy: Policy },
  links: GroupPlan['links'],
): AsyncGenerator<readonly Differing[]> {
  const open = await store.journal(link, { open: true });
  const unsettled = new Set(open.flatMap(({ leftId, rightId }) => [`left ${leftId}`, `right ${rightId}`]));
  for (const pairIds of chunks(await wholePairs(store, link), BATCH)) {
    const pairs = (await loadPairsOf(store, link, { ids: [], pairIds })).filter(isWhole);
    const settled = pairs.filter((pair) => !SIDES.some((side) => unsettled.has(`${side} ${pair[side].id}`)));
    yield settled.flatMap((pair): Differing[] => {
      const differences = unexplainedDifferences(pair, links, policy);
      return differences === null ? [] : [{ pair, differences }];
    });
  }
}

/**
 * Repairs linked pairs whose halves differ although no rule explains it (R5): removes the disputed values from their bases, so
 * that the next plan unites both sides' values. An error in an earlier run may have caused the difference.
 */
export const repairDiffering = async (session: Session, links: GroupPlan['links']): Promise<void> => {
  const { tally, writer } = session;
  for await (const found of findDiffering(session, links)) {
    await yieldToEventLoop();
    if (found.length === 0) continue;
    const ids = { left: found.map(({ pair }) => pair.left.id), right: found.map(({ pair }) => pair.right.id) };
    await writer.apply({ ids }, (set) => {
      for (const { pair, differences } of found) {
        const halves = disputedHalves(pair, differences);
        for (const side of SIDES) set.put({ ...halves[side], state: 'changed' });
      }
    });
    tally.repaired += found.length;
    for (const { pair, differences } of found) {
      const fields = fieldsOfDifferences(differences);
      session.emit({ kind: 'repaired', leftId: pair.left.id, rightId: pair.right.id, fields });
    }
  }
};
