import type { GroupPair } from '../reconcile/groups.ts';
import type { Verdict } from '../reconcile/verdict.ts';
import type { LinkState, Rejection, StoreChange } from './store.ts';

// What changes make of a link's small rows, for those who keep them in memory.

/** A change of the rows that {@link LinkState} shows. */
export type LinkChange = Extract<
  StoreChange,
  {
    kind: 'cursor' | 'link' | 'group-pair' | 'drop-group-pair' | 'reject' | 'accept' | 'verdict' | 'drop-verdict';
  }
>;

/** As the store orders texts. */
export const compareKeys = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

const byKey = (one: GroupPair, other: GroupPair): number => compareKeys(one.key, other.key);

const byKeyAndSide = (one: Rejection, other: Rejection): number =>
  compareKeys(one.key, other.key) || compareKeys(one.side, other.side);

const byIds = (one: Verdict, other: Verdict): number =>
  compareKeys(one.leftId, other.leftId) || compareKeys(one.rightId, other.rightId);

const otherGroupPairs = ({ groupPairs }: LinkState, key: string) => groupPairs.filter((pair) => pair.key !== key);

const otherRejections = ({ rejections }: LinkState, { side, key }: Pick<Rejection, 'side' | 'key'>) =>
  rejections.filter((each) => each.side !== side || each.key !== key);

const otherVerdicts = ({ verdicts }: LinkState, { leftId, rightId }: Pick<Verdict, 'leftId' | 'rightId'>) =>
  verdicts.filter((each) => each.leftId !== leftId || each.rightId !== rightId);

/** The link as it stands after a change. */
export const changedLink = (state: LinkState, change: LinkChange): LinkState => {
  switch (change.kind) {
    case 'cursor':
      return { ...state, cursors: { ...state.cursors, [change.side]: change.cursor } };
    case 'link':
      return { ...state, ...change.patch };
    case 'group-pair':
      return { ...state, groupPairs: [...otherGroupPairs(state, change.pair.key), change.pair].toSorted(byKey) };
    case 'drop-group-pair':
      return { ...state, groupPairs: otherGroupPairs(state, change.key) };
    case 'reject': {
      const rejections = [...otherRejections(state, change.rejection), change.rejection];
      return { ...state, rejections: rejections.toSorted(byKeyAndSide) };
    }
    case 'accept':
      return { ...state, rejections: otherRejections(state, change) };
    case 'verdict':
      return { ...state, verdicts: [...otherVerdicts(state, change.verdict), change.verdict].toSorted(byIds) };
    case 'drop-verdict':
      return { ...state, verdicts: otherVerdicts(state, change) };
  }
};

/** The link without the refusals whose next attempt was due before then. */
export const withoutOldRejections = (state: LinkState, beforeMs: number): LinkState => ({
  ...state,
  rejections: state.rejections.filter(({ retryAtMs }) => retryAtMs >= beforeMs),
});
