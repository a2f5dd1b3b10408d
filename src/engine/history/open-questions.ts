import { halfKey, isPresent } from '../../core/contact/half.ts';
import { bySide, type Sides } from '../../core/contact/side.ts';
import type { Verdict } from '../../core/reconcile/verdict.ts';
import { nameOf } from '../../core/view/values.ts';
import type { Store } from '../../store/store.ts';
import { loadHalves } from '../workload.ts';

/** A user's decision about two contacts, with their names; null for a contact that no run has read. */
export type VerdictView = Verdict & { readonly names: Sides<string | null> };

/** Returns the decisions of users about contacts that are not paired, the newest first (R13). */
export const listVerdicts = async (store: Store, link: string): Promise<readonly VerdictView[]> => {
  const { verdicts } = await store.link(link);
  if (verdicts.length === 0) return [];
  const ids = { left: verdicts.map(({ leftId }) => leftId), right: verdicts.map(({ rightId }) => rightId) };
  const present = (await loadHalves(store, link, ids)).filter(isPresent);
  const names = new Map(present.map((half) => [halfKey(half), nameOf(half.record.contact)]));
  const nameIn = ({ leftId, rightId }: Verdict) =>
    bySide((side) => names.get(`${side} ${side === 'left' ? leftId : rightId}`) ?? null);
  return verdicts.map((verdict) => ({ ...verdict, names: nameIn(verdict) })).toSorted((a, b) => b.atMs - a.atMs);
};
