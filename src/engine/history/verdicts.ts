import { stands } from '../../core/contact/half.ts';
import { bySide, SIDES, type Sides } from '../../core/contact/side.ts';
import type { Verdict } from '../../core/reconcile/verdict.ts';
import type { Store } from '../../store/store.ts';
import { nameOf } from '../../core/view/values.ts';

/** What a person said of two contacts, with what they are called; null where no run has read one. */
export type VerdictView = Verdict & { readonly names: Sides<string | null> };

/** What people have said of contacts that are not paired, the newest first (R13). */
export const listVerdicts = async (store: Store, link: string): Promise<readonly VerdictView[]> => {
  const { verdicts } = await store.link(link);
  if (verdicts.length === 0) return [];
  const ids = { left: verdicts.map(({ leftId }) => leftId), right: verdicts.map(({ rightId }) => rightId) };
  const found = await Promise.all(SIDES.map((side) => store.halves(link, { by: 'id', side, ids: ids[side] })));
  const halves = found.flat().filter(stands);
  const names = new Map(halves.map(({ side, id, record }) => [`${side} ${id}`, nameOf(record.contact)]));
  const nameIn = ({ leftId, rightId }: Verdict) =>
    bySide((side) => names.get(`${side} ${side === 'left' ? leftId : rightId}`) ?? null);
  return verdicts.map((verdict) => ({ ...verdict, names: nameIn(verdict) })).toSorted((a, b) => b.atMs - a.atMs);
};
