import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../util/package.ts';
import { StoreError } from '../errors.ts';
import { readMigrationFiles, sql } from '../sql/drizzle.ts';
import type { SendStatement } from '../sql/step.ts';

const MIGRATIONS_FOLDER = join(PACKAGE_ROOT, 'migrations', 'postgres');

/** Names the lock under which the schema is changed: of this program alone, whatever else works on the server. */
const LOCK = 'contact-sync migrations';

/** Reads in one statement whether this table and any other one exist, and the encoding of the database. */
const look = async (send: SendStatement) => {
  const [row] = await send(sql`
    select to_regclass('contact_sync_migrations')::text as made, current_setting('server_encoding') as encoding,
      (select count(*) from pg_tables where schemaname = current_schema()) as others
  `);
  return {
    isMade: typeof row?.['made'] === 'string',
    others: Number(row?.['others'] ?? 0),
    encoding: String(row?.['encoding']),
  };
};

const appliedUpTo = async (send: SendStatement): Promise<number> => {
  const rows = await send(sql`select coalesce(max(created_at), 0) as at from contact_sync_migrations`);
  return Number(rows[0]?.['at'] ?? 0);
};

/** In another encoding, one name that it lacks would end each run. */
const refuseEncoding = (place: string, encoding: string): void => {
  if (encoding === 'UTF8') return;
  throw new StoreError(`The database ${place} has the encoding ${encoding}, which cannot store every name.`, {
    remedy: 'Create one with: createdb --encoding=UTF8 --template=template0 NAME. Then correct DATABASE_URL.',
  });
};

const refuseNewer = (place: string, applied: number, latest: number): void => {
  if (applied <= latest) return;
  throw new StoreError(
    `The database ${place} was written by a newer version of contact-sync. Run that version, or name another database.`,
  );
};

/**
 * Applies the migrations of the folder that the database lacks, all or none, under a lock of the server: of many processes that
 * begin at once one does so and the others wait.
 *
 * @throws {StoreError} if the database is of a newer version, holds another program's tables, or is not in UTF-8.
 */
export const migrate = async (
  send: SendStatement,
  inTransaction: (step: (send: SendStatement) => Promise<void>) => Promise<void>,
  place: string,
  folder = MIGRATIONS_FOLDER,
): Promise<void> => {
  const migrations = readMigrationFiles({ migrationsFolder: folder });
  const latest = Math.max(...migrations.map((file) => file.folderMillis));
  const found = await look(send);
  refuseEncoding(place, found.encoding);
  if (found.isMade) {
    const applied = await appliedUpTo(send);
    refuseNewer(place, applied, latest);
    if (applied === latest) return;
  }
  await inTransaction(async (step) => {
    await step(sql`select pg_advisory_xact_lock(hashtext(${LOCK}), hashtext(current_schema()))`);
    const { isMade, others } = await look(step);
    if (!isMade && others > 0) {
      throw new StoreError(
        `The database ${place} holds the tables of another program. Name an empty one in DATABASE_URL, or a schema of ` +
          'its own: options=-csearch_path%3Dcontact_sync.',
      );
    }
    if (!isMade) {
      await step(sql`create table contact_sync_migrations (hash text not null, created_at bigint not null)`);
    }
    const applied = await appliedUpTo(step);
    refuseNewer(place, applied, latest);
    for (const file of migrations.filter(({ folderMillis }) => folderMillis > applied)) {
      for (const statement of file.sql) await step(sql.raw(statement));
      await step(sql`insert into contact_sync_migrations values (${file.hash}, ${file.folderMillis})`);
    }
  });
};
