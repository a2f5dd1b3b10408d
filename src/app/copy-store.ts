import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Clock } from '../util/clock.ts';
import { copyStore, type CopiedRow, type RowStore, type TableSum } from '../store/copy.ts';
import { isOpenText, NO_KEY } from '../store/credential-entry.ts';
import { CredentialsError, StoreError } from '../store/errors.ts';
import { openPostgresDatabase } from '../store/postgres/postgres-store.ts';
import { rowStoreOf } from '../store/sql/copy-rows.ts';
import { hostedRows } from '../store/sql/hosted-rows.ts';
import { openDatabase } from '../store/sqlite/database.ts';
import { importTokenFile, TOKEN_FILE } from '../store/token-file.ts';

export type { TableSum } from '../store/copy.ts';

const SQLITE = /^sqlite:(?:\/\/)?(.+)$/u;
const POSTGRES = /^postgres(?:ql)?:\/\//u;

/** Converts an error of the token file into an error of its store. */
const asStoreError = (error: unknown): never => {
  throw error instanceof CredentialsError ? new StoreError(error.message, { cause: error }) : error;
};

/** Refuses rows that must not be copied: unencrypted tokens, and settings of links into a database that does not use them. */
const checked = (store: RowStore): RowStore => ({
  ...store,
  rows: async function* (table) {
    for await (const rows of store.rows(table)) {
      if (table === 'credentials') refuseOpenTokens(rows, store.place);
      yield rows;
    }
  },
  add: (batches) =>
    store.add(async function* () {
      for await (const batch of batches()) {
        if (batch.table === 'linkSettings') refuseSettings(batch.rows, store.place);
        yield batch;
      }
    }),
});

const refuseOpenTokens = (rows: readonly CopiedRow[], place: string): void => {
  const open = rows.find(({ sealedJson }) => isOpenText(String(sealedJson)));
  if (open === undefined) return;
  throw new StoreError(
    `The ${String(open['side'])} token of the link ${String(open['link'])} in ${place} is not encrypted, and is not copied ` +
      `as it is. Set CREDENTIALS_KEY, and CREDENTIALS_KEY_OLD=${NO_KEY}, run contact-sync doctor, which encrypts it, and ` +
      'copy again.',
  );
};

/** With SQLite, only the links of the configuration file are served. */
const refuseSettings = (rows: readonly CopiedRow[], place: string): void => {
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => String(name)).join(', ');
  throw new StoreError(`The source stores the settings of links itself, which ${place} cannot: ${names}.`, {
    remedy: 'Add them to the configuration file, then remove them there: contact-sync links remove NAME.',
  });
};

const openRowsOf = async (url: string, clock: Clock, makes: boolean): Promise<RowStore | null> => {
  const [, path] = SQLITE.exec(url) ?? [];
  if (path !== undefined) {
    const file = isAbsolute(path) ? path : resolve(path);
    if (!makes && !existsSync(file)) throw new StoreError(`There is no database ${file}.`);
    const db = openDatabase(file);
    if (!makes) await importTokenFile(hostedRows(db), join(dirname(file), TOKEN_FILE)).catch(asStoreError);
    return checked(rowStoreOf(db));
  }
  if (!POSTGRES.test(url) || !URL.canParse(url)) return null;
  return rowStoreOf(openPostgresDatabase({ url, clock, connections: 2, newId: randomUUID }));
};

/**
 * Copies a store to an empty one of either engine, each named by a URL: `sqlite:/path/to/contact-sync.db` or
 * `postgres://...`. Returns the copied tables, or which of the two URLs is not that of a store. The stored tokens are copied
 * sealed.
 *
 * @throws {StoreError} if a store cannot be used, the target is not empty, a token is not encrypted, or the copy differs.
 */
export const copyBetween = async (
  from: string,
  to: string,
  clock: Clock,
): Promise<readonly TableSum[] | { readonly unknown: 'from' | 'to' }> => {
  const source = await openRowsOf(from, clock, false);
  if (source === null) return { unknown: 'from' };
  try {
    const target = await openRowsOf(to, clock, true);
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
