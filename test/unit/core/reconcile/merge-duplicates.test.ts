import { expect, test } from 'vitest';
import { planMergeByHand } from '../../../../src/core/reconcile/merge-duplicates.ts';
import { bothSides, halfOf, link, policyWith, present, record, SIDE_PAIRS, snapshot } from './support.ts';

test.each(SIDE_PAIRS)(
  '[R12] a contact at %s that others are merged into joins their groups, and those that the contact at %s joined',
  (side, other) => {
    const links = ['choir', 'team', 'club'].map((key) => link(key));
    const idsOf = (of: typeof side, ...keys: readonly string[]) =>
      links.flatMap((each) => (keys.includes(each.key) ? (each[of] ?? []) : []));
    const own = present(record('own', { firstName: 'Ada' }, { groupIds: idsOf(side, 'club') }));
    const groupIds = idsOf(other, 'club', 'team');
    const joined = present(
      record('other', { firstName: 'Ada' }, { groupIds }),
      snapshot({ firstName: 'Ada' }, idsOf(other, 'club')),
    );
    const halves = side === 'left' ? bothSides(own, joined) : bothSides(joined, own);
    const twin = halfOf(record('twin', { firstName: 'Ada' }, { groupIds: idsOf(side, 'choir', 'club') }), { side });
    const decisions = planMergeByHand({
      side,
      survivor: { id: 1, status: 'linked', ...halves },
      others: [{ half: twin, pair: null }],
      links,
      open: [],
      policy: policyWith(),
    });
    expect(decisions).toMatchObject([
      {
        kind: 'merge',
        writes: [{ kind: 'membership', side, joins: ['team', 'choir'], leaves: [], given: ['buckets'] }],
      },
      { kind: 'delete', side, record: { id: 'twin' }, byHand: true },
    ]);
  },
);
