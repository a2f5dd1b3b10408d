import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { storeContract } from './store-contract.ts';

storeContract('SQLite in memory', async () => {
  const store = openStore(':memory:');
  return { store, close: () => store.close() };
});

storeContract('SQLite in a file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'contact-sync-store-'));
  const store = openStore(join(directory, 'contact-sync.db'));
  const close = async (): Promise<void> => {
    await store.close();
    await rm(directory, { recursive: true });
  };
  return { store, close };
});
