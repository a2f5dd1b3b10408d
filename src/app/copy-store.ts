import { isAbsolute, resolve } from 'node:path';
import type { Clock } from '../clock.ts';
import { existsSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { copyStore, type RowStore, type TableSum } from '../store/copy.ts';
import { StoreError } from '../store/errors.ts';
import { rowStoreOf } from '../store/sql/copy-rows.ts';
import { openPostgresDatabase } from '../store/postgres/postgres-store.ts';
import { openDatabase } from '../store/sqlite/database.ts';
import { withTokenFile } from '../store/token-file.ts';

export type { TableSum } from '../store/copy.ts';

const SQLITE = /^sqlite:(?:\/\/)?(.+)$/u;
const POSTGRES = /^postgres(?:ql)?:\/\//u;

const openRowsOf = (url: string, clock: Clock, makes: boolean): RowStore | null => {
  const [, path] = SQLITE.exec(url) ?? [];
  if (path !== undefined) {
    const file = isAbsolute(path) ? path : resolve(path);
    if (!makes && !existsSync(file)) throw new StoreError(`There is no database ${file}.`);
    return withTokenFile(rowStoreOf(openDatabase(file)), file);
  }
  if (!POSTGRES.test(url) || !URL.canParse(url)) return null;
  return rowStoreOf(openPostgresDatabase({ url, clock, connections: 2, newId: randomUUID }));
};

/**
 * Copies a store to an empty one of either engine, each named by a URL: `sqlite:/path/to/contact-sync.db` or
 * `postgres://...`. Answers what was copied, or which of the two URLs is none.
 *
 * The tokens that `connect` stored go with it, as they are sealed.
 *
 * @throws {StoreError} where either cannot be used, the target is not empty, a token is not encrypted, or they differ in the
 *   end.
 */
export const copyBetween = async (
  from: string,
  to: string,
  clock: Clock,
): Promise<readonly TableSum[] | { readonly unknown: 'from' | 'to' }> => {
  const source = openRowsOf(from, clock, false);
  if (source === null) return { unknown: 'from' };
  try {
    const target = openRowsOf(to, clock, true);
    if (target === null) return { unknown: 'to' };
    try {
      return await copyStore(source, target);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
};
