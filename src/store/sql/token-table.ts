import { randomBytes } from 'node:crypto';
import { entry as entrySchema, type Entry } from '../credential-entry.ts';
import { StoreError } from '../errors.ts';
import type { SqlDatabase } from './dialect.ts';
import { sql } from './drizzle.ts';
import { all, type Step, valueOf } from './step.ts';

const SALT_BYTES = 16;
/** The one row of its table. */
const ONLY = 1;

const parseEntry = (text: string): Entry => {
  try {
    return entrySchema.parse(JSON.parse(text));
  } catch {
    // Without the cause, which may quote a token.
    throw new StoreError('A stored token is damaged.', { remedy: 'Sign in again: contact-sync connect SIDE LINK.' });
  }
};

/** Returns the salt of the database. A database without a salt takes this one. */
const keepSalt = function* (salt: string): Step<string> {
  const found = yield* valueOf<string>(sql`select salt as value from key_salt`);
  if (found !== null) return found;
  const made = yield* valueOf<string>(
    sql`insert into key_salt (id, salt) values (${ONLY}, ${salt})
      on conflict (id) do update set salt = key_salt.salt returning salt as value`,
  );
  if (made === null) throw new Error('The database did not answer with its salt.');
  return made;
};

type TokenCells = { readonly side: string; readonly sealedJson: string };

/** Names a stored token by its link and its side. */
type TokenName = { readonly link: string; readonly side: string };

/** The tokens that `connect` stored. Each method is one atomic step. */
export const tokenTable = (db: SqlDatabase) => ({
  /** The location, for messages. */
  place: db.place,
  /** The setting that names the database. */
  setting: db.dialect.isLocal ? ('DATA_DIR' as const) : ('DATABASE_URL' as const),
  /** The salt of keys that are derived from a passphrase, as base64. The first call makes it. */
  salt: (): Promise<string> => db.run(() => keepSalt(randomBytes(SALT_BYTES).toString('base64'))),
  tokens: async (link: string) => {
    const rows = await db.run(() =>
      all<TokenCells>(sql`select side, sealed_json as "sealedJson" from credentials where link = ${link}`),
    );
    return rows.map(({ side, sealedJson }) => ({ side, entry: parseEntry(sealedJson) }));
  },
  tokenNames: (): Promise<readonly TokenName[]> =>
    db.run(() => all(sql`select link, side from credentials order by link, side`)),
  putToken: async (link: string, side: string, entry: Entry): Promise<void> => {
    await db.run(() =>
      all(
        sql`insert into credentials (link, side, sealed_json) values (${link}, ${side}, ${JSON.stringify(entry)})
          on conflict (link, side) do update set sealed_json = excluded.sealed_json`,
      ),
    );
  },
  dropTokens: async (link: string): Promise<void> => {
    await db.run(() => all(sql`delete from credentials where link = ${link}`));
  },
});

export type TokenTable = ReturnType<typeof tokenTable>;
