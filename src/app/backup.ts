import { createHash } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { chmod, link, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { makeDirectory, readChunks, readTextFile } from '../util/files.ts';
import { createLeaseHolders } from './lease-holders.ts';
import type { Clock } from '../util/clock.ts';
import type { Config } from './config/config.ts';
import { findOtherDaemons } from './heartbeat.ts';
import { BackupError } from '../store/errors.ts';
import { copyDatabase, inspectDatabase } from '../store/sqlite/copy.ts';
import { openStore } from '../store/sqlite/sqlite-store.ts';
import { importTokenFile, TOKEN_FILE } from '../store/token-file.ts';

const DATABASE = 'contact-sync.db';
/** Written last, so that an incomplete copy has none. */
const MANIFEST = 'manifest.json';

const manifestSchema = z.object({
  format: z.literal(1),
  /** The version of contact-sync that made it. */
  program: z.string(),
  createdAt: z.iso.datetime(),
  /** The time of the latest migration of the database, epoch milliseconds. */
  schema: z.number(),
  /** Backups of earlier versions have the tokens in a separate file. */
  files: z.array(
    z.object({ name: z.enum([DATABASE, TOKEN_FILE]), bytes: z.number(), sha256: z.string().length(64) }).readonly(),
  ),
  /** Tokens that are left out because they are not encrypted. */
  leftOut: z.array(z.object({ link: z.string(), side: z.string() })),
});

/** The manifest of a backup. */
export type Manifest = Readonly<z.output<typeof manifestSchema>>;

/** A folder at the root of some file systems. */
const IGNORED = 'lost+found';

/** Creates a private directory, or accepts an empty one. */
const claimEmptyDirectory = async (path: string, remedy: string): Promise<void> => {
  try {
    makeDirectory(path);
    const [first] = (await readdir(path)).filter((name) => name !== IGNORED);
    if (first === undefined) return;
    throw new BackupError(`${path} is not empty: it holds ${first}. ${remedy}`, { isUsage: true });
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new BackupError(`${path} cannot be used. Check that it is a directory that you may write to.`, {
      cause: error,
    });
  }
};

const digestOf = async (path: string): Promise<{ readonly bytes: number; readonly sha256: string }> => {
  const hash = createHash('sha256');
  await pipeline(readChunks(path, Infinity), hash);
  return { bytes: (await stat(path)).size, sha256: hash.digest('hex') };
};

/** Refuses a database on a server, which has its own tools for backups. */
const refuseServer = (databaseUrl: Config['databaseUrl'], remedy: string): void => {
  if (databaseUrl === null) return;
  throw new BackupError(`The state is on PostgreSQL (DATABASE_URL). ${remedy}; the stored tokens are there too.`, {
    isUsage: true,
  });
};

/** Moves tokens from the file of an earlier version into the database, so that its copy contains them. */
const moveTokensIntoDatabase = async (dataDir: string): Promise<void> => {
  const file = join(dataDir, TOKEN_FILE);
  if (!existsSync(file)) return;
  const store = openStore(join(dataDir, DATABASE));
  try {
    await importTokenFile(store.hosted, file);
  } finally {
    await store.close();
  }
};

type BackupOptions = {
  /** The version of this program. */
  readonly program: string;
  /** Whether tokens that are not encrypted are copied too. */
  readonly plainTokens: boolean;
  readonly clock: Clock;
};

/**
 * Copies the state of this DATA_DIR into an empty directory. A daemon or a command may use it in the meantime.
 *
 * @throws {BackupError} if the directory is not empty, or if there is no state yet.
 * @throws {StoreError | CredentialsError} if the state cannot be read.
 */
export const backUp = async (
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
  directory: string,
  { program, plainTokens, clock }: BackupOptions,
): Promise<Manifest> => {
  refuseServer(databaseUrl, 'Copy it with pg_dump');
  const source = join(dataDir, DATABASE);
  if ((await stat(source).catch(() => null))?.isFile() !== true) {
    throw new BackupError(`${source} does not exist or is not a file, so nothing can be copied. Check DATA_DIR.`, {
      isUsage: true,
    });
  }
  await claimEmptyDirectory(directory, 'Name a new one: a backup overwrites nothing.');
  const copy = join(directory, DATABASE);
  try {
    await moveTokensIntoDatabase(dataDir);
    const createdAt = new Date(clock.now()).toISOString();
    const { schema, leftOut } = await copyDatabase(source, copy, { withOpenTokens: plainTokens });
    const files = [{ name: DATABASE, ...(await digestOf(copy)) } as const];
    const manifest: Manifest = { format: 1, program, createdAt, schema, files, leftOut: [...leftOut] };
    const content = `${JSON.stringify(manifest, null, 2)}\n`;
    await writeFile(join(directory, MANIFEST), content, { mode: 0o600, flag: 'wx', flush: true });
    return manifest;
  } catch (error) {
    await rm(copy, { force: true });
    throw error;
  }
};

const readManifest = async (directory: string): Promise<Manifest> => {
  const path = join(directory, MANIFEST);
  const text = await readTextFile(path).catch((cause: unknown) => {
    throw new BackupError(`${directory} is no backup, or one that was broken off: it has no ${MANIFEST}.`, {
      isUsage: true,
      cause,
    });
  });
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new BackupError(`${path} cannot be read. Use another backup, or the version that made this one.`, { cause });
  }
};

/** @throws {BackupError} if the file does not match the manifest. */
const verify = async (path: string, expected: Manifest['files'][number]): Promise<void> => {
  const found = await digestOf(path).catch(() => null);
  if (found?.sha256 === expected.sha256 && found.bytes === expected.bytes) return;
  throw new BackupError(`${path} is not what was backed up: its checksum differs. Use another backup.`);
};

const refuseLiveDaemon = async (dataDir: string, clock: Clock): Promise<void> => {
  const [daemon] = await findOtherDaemons(dataDir, clock.now(), createLeaseHolders());
  if (daemon === undefined) return;
  const which = `host ${daemon.host}${daemon.pid === null ? '' : `, process ${daemon.pid}`}`;
  throw new BackupError(`A daemon works on ${dataDir} (${which}). Stop it first, and name an empty DATA_DIR.`, {
    isUsage: true,
  });
};

/**
 * Restores a backup into this DATA_DIR, which must be empty, and verifies it: checksums, schema, integrity. A database of an
 * earlier version is migrated when it is first used.
 *
 * @throws {BackupError | StoreError} if DATA_DIR is in use or not empty, or if the backup is damaged or of a newer version.
 * DATA_DIR then stays empty.
 */
export const restore = async (
  { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
  directory: string,
  { clock }: { readonly clock: Clock },
): Promise<Manifest> => {
  refuseServer(databaseUrl, 'Restore it with pg_restore');
  await refuseLiveDaemon(dataDir, clock);
  const manifest = await readManifest(directory);
  if (manifest.files.every(({ name }) => name !== DATABASE)) {
    throw new BackupError(`${directory} is no backup: its ${MANIFEST} names no database.`);
  }
  await claimEmptyDirectory(dataDir, 'Move it away, or name an empty DATA_DIR: a backup overwrites nothing.');
  const draftOf = (name: string): string => join(dataDir, `${name}.restoring`);
  try {
    for (const file of manifest.files) {
      const draft = draftOf(file.name);
      const copy = pipeline(
        readChunks(join(directory, file.name), Infinity),
        createWriteStream(draft, { flags: 'wx', mode: 0o600 }),
      );
      await copy.catch((cause: unknown) => {
        throw new BackupError(`${join(directory, file.name)} cannot be copied to ${dataDir}.`, { cause });
      });
      await chmod(draft, 0o600);
      await verify(draft, file);
    }
    const schema = await inspectDatabase(draftOf(DATABASE));
    if (schema !== manifest.schema) {
      throw new BackupError(`The database in ${directory} has another version than its ${MANIFEST} names.`);
    }
    // A hard link is created atomically and replaces no file. The database is the last one.
    for (const { name } of manifest.files.toReversed()) await link(draftOf(name), join(dataDir, name));
    return manifest;
  } finally {
    for (const { name } of manifest.files) await rm(draftOf(name), { force: true });
  }
};
