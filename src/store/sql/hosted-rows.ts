import { randomBytes } from 'node:crypto';
import type { SQL } from 'drizzle-orm';
import { z } from 'zod';
import { entry as entrySchema, type Entry } from '../credential-entry.ts';
import { sealedSchema, type Sealed } from '../credential-key.ts';
import { StoreError } from '../errors.ts';
import type { AccessClaim, AccessRow, HostedRows, TokenRow } from '../hosted.ts';
import type { SqlDatabase } from './dialect.ts';
import { sql } from './drizzle.ts';
import { all, first, type Step } from './step.ts';

const SALT_BYTES = 16;
/** The one row of its table. */
const ONLY = 1;

const format = (sealed: Sealed): string => JSON.stringify(sealedSchema.parse(sealed));

const parse = (text: string): Sealed => {
  try {
    return sealedSchema.parse(JSON.parse(text));
  } catch (cause) {
    const remedy = 'Restore a backup of the database.';
    throw new StoreError('A sealed text of the database is damaged.', { cause, remedy });
  }
};

/** An open token keeps the name of its kind; a sealed one is stored as it is. */
const formatEntry = (entry: Entry): string =>
  'open' in entry ? JSON.stringify(entrySchema.parse(entry)) : format(entry.sealed);

const storedEntry = z.union([z.object({ open: z.unknown() }), sealedSchema]);

const parseEntry = (text: string): Entry => {
  try {
    const stored = storedEntry.parse(JSON.parse(text));
    return entrySchema.parse('open' in stored ? stored : { sealed: stored });
  } catch {
    // Without the cause, which may quote a token.
    throw new StoreError('A stored token is damaged.', { remedy: 'Sign in again: contact-sync connect SIDE LINK.' });
  }
};

/** Returns the salt of the database, which is this one where it has none yet. */
const keepSalt = function* (salt: string): Step<string> {
  const found = yield* first<{ salt: string }>(sql`select salt from hosting`);
  if (found !== null) return found.salt;
  const made = yield* first<{ salt: string }>(
    sql`insert into hosting (id, salt) values (${ONLY}, ${salt})
      on conflict (id) do update set salt = hosting.salt returning salt`,
  );
  if (made === null) throw new Error('The database did not answer with its salt.');
  return made.salt;
};

const insertToken = (link: string, side: string, entry: Entry): SQL =>
  sql`insert into credentials (link, side, sealed_json) values (${link}, ${side}, ${formatEntry(entry)})`;

type TokenCells = { readonly side: string; readonly sealedJson: string };

const tokenRows = (
  db: SqlDatabase,
): Pick<HostedRows, 'tokens' | 'tokenNames' | 'putToken' | 'importTokens' | 'swapToken' | 'dropTokens'> => ({
  tokens: async (link) => {
    const rows = await db.run(() =>
      all<TokenCells>(sql`select side, sealed_json as "sealedJson" from credentials where link = ${link}`),
    );
    return rows.map(({ side, sealedJson }): TokenRow => ({ side, entry: parseEntry(sealedJson) }));
  },
  tokenNames: () => db.run(() => all(sql`select link, side from credentials order by link, side`)),
  putToken: async (link, side, entry) => {
    await db.run(() =>
      all(
        sql`${insertToken(link, side, entry)} on conflict (link, side) do update set sealed_json = excluded.sealed_json`,
      ),
    );
  },
  importTokens: (salt, tokens) =>
    db.atomic(function* (): Step<boolean> {
      if ((yield* keepSalt(salt)) !== salt) return false;
      for (const { link, side, entry } of tokens) yield sql`${insertToken(link, side, entry)} on conflict do nothing`;
      return true;
    }),
  swapToken: async (link, side, before, after) => {
    await db.run(() =>
      all(sql`update credentials set sealed_json = ${formatEntry(after)}
        where link = ${link} and side = ${side} and sealed_json = ${formatEntry(before)}`),
    );
  },
  dropTokens: async (link) => {
    await db.run(() => all(sql`delete from credentials where link = ${link}`));
  },
});

type Usable = { readonly sealed: string; readonly digest: string; readonly lasts: number };

const accessRows = (db: SqlDatabase): Pick<HostedRows, 'claimAccess' | 'putAccess' | 'dropClaim'> => {
  const { number, time } = db.dialect;
  /** Claims the renewal where no access token will do and no other process has claimed it. */
  const claim = ({ name, owner, leaseMs, leastMs, refused }: AccessClaim): SQL => sql`
    insert into access_tokens (name, owner, owned_until_ms) values (${name}, ${owner}, ${time} + ${number(leaseMs)})
    on conflict (name) do update set owner = excluded.owner, owned_until_ms = excluded.owned_until_ms
    where (access_tokens.sealed_json is null or access_tokens.expires_at_ms <= ${time} + ${number(leastMs)}
        or access_tokens.digest = ${refused})
      and (access_tokens.owner is null or access_tokens.owner = ${owner} or access_tokens.owned_until_ms <= ${time})
    returning 1 as mine`;
  /** The access token where it will do. */
  const usable = ({ name, leastMs, refused }: AccessClaim): SQL => sql`
    select sealed_json as sealed, digest, expires_at_ms - ${time} as lasts from access_tokens
    where name = ${name} and sealed_json is not null and expires_at_ms > ${time} + ${number(leastMs)}
      and digest is distinct from ${refused}`;
  const take = function* (asked: AccessClaim): Step<AccessRow | 'mine' | null> {
    if ((yield* first(claim(asked))) !== null) return 'mine';
    const found = yield* first<Usable>(usable(asked));
    return found === null ? null : { sealed: parse(found.sealed), digest: found.digest, lastsMs: found.lasts };
  };
  return {
    claimAccess: (asked) => db.run(() => take(asked)),
    putAccess: async ({ name, owner }, { sealed, digest, lastsMs }) => {
      const put = function* (): Step<void> {
        yield sql`delete from access_tokens where name <> ${name} and coalesce(expires_at_ms, 0) <= ${time}
          and coalesce(owned_until_ms, 0) <= ${time}`;
        yield sql`update access_tokens set sealed_json = ${format(sealed)}, digest = ${digest},
            expires_at_ms = ${time} + ${number(Math.floor(lastsMs))}, owner = null, owned_until_ms = null
          where name = ${name} and owner = ${owner}`;
      };
      await db.atomic(put);
    },
    dropClaim: async ({ name, owner }) => {
      await db.run(() =>
        all(
          sql`update access_tokens set owner = null, owned_until_ms = null where name = ${name} and owner = ${owner}`,
        ),
      );
    },
  };
};

/** Makes a change that returns a row where it changed one, and counts it in the revision. */
const changing = function* (change: SQL): Step<boolean> {
  if ((yield* first(change)) === null) return false;
  yield sql`update hosting set links_revision = links_revision + 1`;
  return true;
};

/** Whether the settings of a link are stored exactly so: an earlier attempt, whose answer was lost, may have stored them. */
const areStored = function* (name: string, sealedJson: string): Step<boolean> {
  return (yield* first(sql`select 1 from link_settings where name = ${name} and sealed_json = ${sealedJson}`)) !== null;
};

type LinkRows = Pick<
  HostedRows,
  'linksRevision' | 'linkSettings' | 'addLinkSettings' | 'swapLinkSettings' | 'dropLinkSettings'
>;

const linkRows = (db: SqlDatabase): LinkRows => {
  const add = function* (name: string, sealedJson: string, attempt: number): Step<boolean> {
    const isAdded = yield* changing(
      sql`insert into link_settings (name, sealed_json) values (${name}, ${sealedJson}) on conflict do nothing returning 1`,
    );
    return isAdded || (attempt > 1 && (yield* areStored(name, sealedJson)));
  };
  const swap = function* (
    { name, sealed }: Parameters<HostedRows['swapLinkSettings']>[0],
    before: Sealed,
    isNews: boolean,
    attempt: number,
  ): Step<boolean> {
    const sealedJson = format(sealed);
    const change = sql`update link_settings set sealed_json = ${sealedJson}
      where name = ${name} and sealed_json = ${format(before)} returning 1`;
    const isSwapped = isNews ? yield* changing(change) : (yield* first(change)) !== null;
    return isSwapped || (attempt > 1 && (yield* areStored(name, sealedJson)));
  };
  return {
    linksRevision: async () => {
      const row = await db.run(() => first<{ revision: number }>(sql`select links_revision as revision from hosting`));
      return row?.revision ?? 0;
    },
    linkSettings: async (names) => {
      const isNamed = names === null ? sql`1 = 1` : db.dialect.isOneOf(sql`name`, names);
      const rows = await db.run(() =>
        all<{ readonly name: string; readonly sealedJson: string }>(
          sql`select name, sealed_json as "sealedJson" from link_settings
            where ${isNamed} order by ${db.dialect.byBytes(sql`name`)}`,
        ),
      );
      return rows.map(({ name, sealedJson }) => ({ name, sealed: parse(sealedJson) }));
    },
    addLinkSettings: ({ name, sealed }) => db.atomic((attempt) => add(name, format(sealed), attempt)),
    swapLinkSettings: (row, before, { isNews }) => db.atomic((attempt) => swap(row, before, isNews, attempt)),
    dropLinkSettings: async (name) => {
      let attempts = 0;
      const isDropped = await db.atomic((attempt) => {
        attempts = attempt;
        return changing(sql`delete from link_settings where name = ${name} returning 1`);
      });
      return isDropped || attempts > 1;
    },
  };
};

/** The rows that processes share in a database in addition to those of runs. */
export const hostedRows = (db: SqlDatabase): HostedRows => {
  let salt: Promise<string> | null = null;
  return {
    place: db.place,
    salt: () =>
      (salt ??= db
        .run(() => keepSalt(randomBytes(SALT_BYTES).toString('base64')))
        .catch((error: unknown) => {
          salt = null;
          throw error;
        })),
    ...tokenRows(db),
    ...accessRows(db),
    ...linkRows(db),
  };
};
