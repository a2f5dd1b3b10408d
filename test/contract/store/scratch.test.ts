import fc from 'fast-check';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { createFolder } from '../../support/folder.ts';
import { draft, everything, leaseOf, LINK, play, started } from '../../support/store/drafts.ts';
import { expectWholePairsInCopy } from '../../support/store/one-moment.ts';
import { newPair, operationOf } from '../../support/store/rows.ts';
import { storeContract } from './store-contract.ts';
import { extentOf } from '../../support/extent.ts';

storeContract('a scratch copy of an empty store', async () => {
  const origin = openStore(':memory:');
  const store = await origin.scratch(LINK);
  const close = async (): Promise<void> => {
    await Promise.all([store.close(), origin.close()]);
  };
  return { store, close };
});

describe('a scratch copy of a link', () => {
  it('returns the same results as the store after the same changes, and does not change the store', async () => {
    const drafts = fc.array(draft, { maxLength: 14 });
    const property = fc.asyncProperty(drafts, drafts, async (before, after) => {
      const [origin, plain] = [openStore(':memory:'), openStore(':memory:')];
      const [originEntries, plainEntries]: [number[], number[]] = [[], []];
      await play(origin, originEntries, [...started, ...before]);
      await play(plain, plainEntries, [...started, ...before, ...after]);
      const untouched = await everything(origin, originEntries);
      const scratch = await origin.scratch(LINK);
      const scratchEntries = [...originEntries];
      await play(scratch, scratchEntries, after);
      expect(await everything(scratch, scratchEntries)).toEqual(await everything(plain, plainEntries));
      expect(await everything(origin, originEntries)).toEqual(untouched);
      await Promise.all([origin.close(), plain.close(), scratch.close()]);
    });
    await fc.assert(property, { numRuns: extentOf({ all: 60, sample: 15 }), seed: 20_261_122 });
  });

  it('gives new rows ids after the copied ids', async () => {
    const origin = openStore(':memory:');
    const intended = { kind: 'intend', run: 'run', operation: operationOf('update'), atMs: 1 } as const;
    const ids = await origin.commit(LINK, await leaseOf(origin, LINK), [...newPair('l1', 'r1'), intended]);
    const scratch = await origin.scratch(LINK);
    const next = await scratch.commit(LINK, await leaseOf(scratch, LINK), [...newPair('l2', 'r2'), intended]);
    expect(next).toEqual(ids.map((id) => id + 1));
    await Promise.all([origin.close(), scratch.close()]);
  });

  it('has the state of one moment while another run stores pairs', async () => {
    await using folder = await createFolder();
    const origin = openStore(join(folder.path, 'state.db'));
    await expectWholePairsInCopy(origin);
    await origin.close();
  });

  it('contains the link rows of the other links', async () => {
    const origin = openStore(':memory:');
    const token = (await origin.acquireLease('other', 'owner', 0, 10)) ?? 0;
    await origin.commit('other', token, [{ kind: 'link', patch: { accountsKey: 'both accounts' } }]);
    const scratch = await origin.scratch(LINK);
    expect(await scratch.links()).toMatchObject([{ name: 'other', accountsKey: 'both accounts' }]);
    await Promise.all([origin.close(), scratch.close()]);
  });
});
