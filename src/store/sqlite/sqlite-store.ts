import { createStore } from '../sql/sql-store.ts';
import type { SqlDatabase } from '../sql/dialect.ts';
import type { Store } from '../store.ts';
import { openDatabase } from './database.ts';

const openScratch = (): SqlDatabase => openDatabase(':memory:');

/**
 * Opens the store in a file, made and migrated where needed.
 *
 * @throws {StoreError} where the file is corrupt, of a newer version or cannot be opened; it is left untouched.
 */
export const openStore = (path: string): Store => createStore(openDatabase(path), { newId: () => '', openScratch });
