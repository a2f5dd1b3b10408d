import { expect, test } from 'vitest';
import { guard } from '../../../src/engine/guard.ts';
import type { Session } from '../../../src/engine/session.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { SIDE_WORDS } from '../../support/side-words.ts';
import { newPair, newState } from '../../support/store/rows.ts';

const NOW_MS = 1_000_000_000;
const LAG_MS = 60_000;

test.each([
  ['just written are not missing', NOW_MS - 1, null],
  ['written long ago are missing', NOW_MS - 10 * LAG_MS, 'side-emptied'],
] as const)('R7, R8: contacts that a side does not show and that were %s', async (_, writtenAtMs, reason) => {
  const store = openStore(':memory:');
  await using _closing = { [Symbol.asyncDispose]: () => store.close() };
  const token = (await store.acquireLease('work', 'owner', NOW_MS, NOW_MS + 1_000)) ?? 0;
  const pairs = ['1', '2', '3'].flatMap((name) => newPair(`l${name}`, `r${name}`));
  const unseen = pairs.map((change) => {
    if (change.kind !== 'put' || change.table !== 'halves' || change.row.half.side === 'left') return change;
    const half = { ...change.row.half, state: 'unseen' as const, writtenAtMs };
    return { ...change, row: { ...change.row, half } };
  });
  await store.commit('work', token, unseen);
  const session = {
    clock: { now: () => NOW_MS },
    link: 'work',
    policy: { deleteLimit: { count: 10, percent: null }, direction: 'both', directions: {} },
    remotes: { left: { capabilities: { lagMs: LAG_MS } }, right: { capabilities: { lagMs: LAG_MS } } },
    sides: SIDE_WORDS,
    state: () => newState('work'),
    store,
    undoes: null,
    writer: { opening: null },
  } as unknown as Session;
  const halt = await guard(session, { left: {}, right: { title: 1 } });
  expect(halt?.reason ?? null).toBe(reason);
});
