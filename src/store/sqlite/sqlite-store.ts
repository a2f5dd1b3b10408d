import { createStore } from '../sql/sql-store.ts';
import { hostedRows } from '../sql/hosted-rows.ts';
import type { HostedStore } from '../hosted.ts';
import { openDatabase, openTemporary } from './database.ts';

/**
 * Opens the store in a file, made and migrated where needed.
 *
 * @throws {StoreError} where the file is corrupt, of a newer version or cannot be opened; it is left untouched.
 */
export const openStore = (path: string): HostedStore => {
  const db = openDatabase(path);
  return Object.assign(createStore(db, { newId: () => '', openScratch: openTemporary }), { hosted: hostedRows(db) });
};
