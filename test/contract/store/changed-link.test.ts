import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changedLink } from '../../../src/core/state/changed-link.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { NO_CURSOR } from '../../../src/core/state/rows.ts';
import type { Side } from '../../../src/core/contact/side.ts';
import { draft, leaseOf, LINK, type Draft } from '../../support/store/drafts.ts';

const cursor = fc
  .record({ side: fc.constantFrom<Side>('left', 'right'), readAtMs: fc.nat(9) })
  .map((row): Draft => ({ kind: 'put', table: 'cursors', row: { ...NO_CURSOR, ...row } }));
const key = fc.constantFrom('friends', 'family');
const groupPair = fc.record({ key, isUnited: fc.boolean() }).map((row): Draft => ({
  kind: 'put',
  table: 'groupPairs',
  row: { ...row, status: 'linked', left: { id: 'g1', name: 'Friends' }, right: null },
}));
const endedGroupPair = key.map((each): Draft => ({ kind: 'drop', table: 'groupPairs', where: { key: each } }));
const change = fc.oneof({ arbitrary: draft, weight: 3 }, cursor, groupPair, endedGroupPair);

it('the state that a run derives from its own commits is the one that the store returns', async () => {
  const property = fc.asyncProperty(fc.array(fc.array(change, { maxLength: 5 }), { maxLength: 8 }), async (commits) => {
    const store = openStore(':memory:');
    const token = await leaseOf(store, LINK);
    let state = await store.link(LINK);
    for (const changes of commits) {
      await store.commit(LINK, token, changes);
      state = changedLink(state, changes);
      expect(state).toEqual(await store.link(LINK));
    }
    await store.close();
  });
  await fc.assert(property, { numRuns: 150, seed: 20_261_127 });
});
