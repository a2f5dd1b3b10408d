import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { inCompleteRun } from '../../support/extent.ts';
import { createFolder } from '../../support/folder.ts';
import { storeContract } from './store-contract.ts';

inCompleteRun(() => {
  storeContract('SQLite in memory', async () => {
    const store = openStore(':memory:');
    return { store, close: () => store.close() };
  });
});

storeContract('SQLite in a file', async () => {
  const folder = await createFolder();
  const store = openStore(join(folder.path, 'contact-sync.db'));
  const close = async (): Promise<void> => {
    await store.close();
    await folder.remove();
  };
  return { store, close };
});

describe('a store in one of two processes with the same file', () => {
  const open = async () => {
    const folder = await createFolder();
    const path = join(folder.path, 'contact-sync.db');
    const [one, other] = [openStore(path), openStore(path)];
    const close = async (): Promise<void> => {
      await Promise.all([one.close(), other.close()]);
      await folder.remove();
    };
    return { one, other, [Symbol.asyncDispose]: close };
  };

  it('returns to the owner of the lease that another process has paused the link', async () => {
    await using stores = await open();
    const { one, other } = stores;
    await one.acquireLease('a', 'run', 1, 60_000);
    expect((await one.link('a')).pausedByHandAtMs).toBeNull();
    expect(await other.setPausedByHand('a', 7)).toBe(true);
    expect(await one.pausedByHandAtMs('a')).toBe(7);
  });

  it('returns the changes of another process that had the lease in between', async () => {
    await using stores = await open();
    const { one, other } = stores;
    await one.acquireLease('a', 'run', 1, 10);
    expect(await one.link('a')).toMatchObject({ state: 'active' });
    expect((await one.counts('a')).pairs).toBe(0);
    const token = (await other.acquireLease('a', 'another run', 11, 20)) ?? 0;
    await other.commit('a', token, [{ kind: 'link', patch: { state: 'halted' } }]);
    await one.acquireLease('a', 'run', 21, 30);
    expect(await one.link('a')).toMatchObject({ state: 'halted' });
  });
});
