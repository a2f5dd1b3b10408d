import { join } from 'node:path';
import { systemClock } from '../../../src/util/clock.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { openVault, type Vault } from '../../../src/store/vault.ts';

/** The tokens in a database file, which is opened for each call and closed after it, as by a process of its own. */
const vaultAt = (path: string, key: string | null = null): Vault => {
  const use = async <T>(call: (vault: Vault) => Promise<T>): Promise<T> => {
    const store = openStore(path);
    try {
      const { tokens: rows } = store;
      return await call(openVault({ rows, key, clock: systemClock }));
    } finally {
      await store.close();
    }
  };
  return {
    place: path,
    setting: 'DATA_DIR',
    read: (...of) => use((vault) => vault.read(...of)),
    forget: () => undefined,
    seals: key !== null,
    save: (...of) => use((vault) => vault.save(...of)),
    names: () => use((vault) => vault.names()),
    remove: (link) => use((vault) => vault.remove(link)),
  };
};

/** The tokens in the database of a DATA_DIR. */
export const vaultIn = (dataDir: string, key: string | null = null): Vault =>
  vaultAt(join(dataDir, 'contact-sync.db'), key);
