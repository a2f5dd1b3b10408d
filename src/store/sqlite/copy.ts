import Database from 'better-sqlite3';
import { closeSync, openSync } from 'node:fs';
import { isOpenText } from '../credential-entry.ts';
import { StoreError } from '../errors.ts';
import type { TokenName } from '../hosted.ts';
import { appliedUpTo, checkVersion } from './migrate.ts';
import { explainTrouble } from './trouble.ts';

/** More pages than any database has: all are copied in one step, as they stand together at one moment. */
const ALL_PAGES = 0x7f_ff_ff_ff;

/** @throws {StoreError} where SQLite finds the file damaged. */
const checkIntegrity = (client: Database.Database, path: string): void => {
  const found = client.pragma('integrity_check', { simple: true });
  if (found !== 'ok') throw new StoreError(`The database ${path} is damaged: ${String(found)}.`);
};

/** Uses an existing database file. Errors name the file. */
const withFile = async <T>(path: string, use: (client: Database.Database) => T | Promise<T>): Promise<T> => {
  let client: Database.Database | null = null;
  try {
    client = new Database(path, { fileMustExist: true });
    return await use(client);
  } catch (error) {
    const explained = explainTrouble(error, path);
    if (explained instanceof StoreError) throw explained;
    throw new StoreError(`The database ${path} cannot be read.`, { cause: error });
  } finally {
    client?.close();
  }
};

/**
 * The schema of a database file: when its latest migration was made, epoch milliseconds. Changes nothing in it.
 *
 * @throws {StoreError} where it is damaged, of a newer version, or another program's.
 */
export const inspectDatabase = (path: string): Promise<number> =>
  withFile(path, (client) => {
    checkVersion(client, path);
    checkIntegrity(client, path);
    return appliedUpTo(client);
  });

/** The schema of a copy, as {@link inspectDatabase} returns it, and the tokens that it was made without. */
type CopiedDatabase = { readonly schema: number; readonly leftOut: readonly TokenName[] };

/** Deletes the tokens that are not encrypted, and leaves nothing of them in the file. */
const dropOpenTokens = (client: Database.Database): readonly TokenName[] => {
  const table = client.prepare("select 1 from sqlite_master where type = 'table' and name = 'credentials'").get();
  if (table === undefined) return [];
  const tokens = client
    .prepare<[], TokenName & { sealed: string }>('select link, side, sealed_json as sealed from credentials')
    .all();
  const open = tokens.filter(({ sealed }) => isOpenText(sealed)).map(({ link, side }) => ({ link, side }));
  const drop = client.prepare('delete from credentials where link = ? and side = ?');
  for (const { link, side } of open) drop.run(link, side);
  if (open.length > 0) client.exec('vacuum');
  return open;
};

/**
 * Copies the state of a database at one moment, its log included, while other processes may write to it. The copy is not
 * migrated. It is one file (0600), without a log. Tokens that are not encrypted are left out unless
 * `withOpenTokens`.
 *
 * @throws {StoreError} where either file cannot be used.
 */
export const copyDatabase = async (
  path: string,
  to: string,
  { withOpenTokens }: { readonly withOpenTokens: boolean },
): Promise<CopiedDatabase> => {
  await withFile(path, async (client) => {
    checkVersion(client, path);
    closeSync(openSync(to, 'wx', 0o600));
    await client.backup(to, { progress: () => ALL_PAGES });
  });
  const leftOut = await withFile(to, (client) => {
    client.pragma('journal_mode = delete');
    return withOpenTokens ? [] : dropOpenTokens(client);
  });
  return { schema: await inspectDatabase(to), leftOut };
};
