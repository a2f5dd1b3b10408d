import { createStore } from '../sql/sql-store.ts';
import type { StoreWithTokens } from '../vault.ts';
import { openDatabase, openTemporary } from './database.ts';

/**
 * Opens the store in a file. Creates and migrates the file if needed.
 *
 * @throws {StoreError} if the file is corrupt, of a newer version or cannot be opened; it is left untouched.
 */
export const openStore = (path: string): StoreWithTokens => createStore(openDatabase(path), openTemporary);
