import { randomBytes } from 'node:crypto';
import type { SQL } from 'drizzle-orm';
import { sealedSchema, type Sealed } from '../credential-key.ts';
import { StoreError } from '../errors.ts';
import type { AccessClaim, AccessRow, HostedRows } from '../hosted.ts';
import type { Db, Orm } from './database.ts';
import { and, asc, eq, sql } from './drizzle.ts';
import { DATABASE_TIME } from './lease.ts';
import { arrayOf } from './parts.ts';
import { accessTokens, credentials, hosting, linkSettings } from './schema.ts';

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

/** Answers a row that the statement returned, where it returned any. */
const oneRow = async (orm: Orm, statement: SQL): Promise<Readonly<Record<string, unknown>> | null> =>
  (await orm.execute(statement)).rows[0] ?? null;

const readSalt = async (db: Db): Promise<string> => {
  const salt = randomBytes(SALT_BYTES).toString('base64');
  const row = await db.do((orm) =>
    oneRow(
      orm,
      sql`insert into ${hosting} (id, salt) values (${ONLY}, ${salt})
        on conflict (id) do update set salt = ${hosting.salt} returning salt`,
    ),
  );
  if (row === null) throw new Error('The database did not answer with its salt.');
  return String(row['salt']);
};

const tokenRows = (db: Db): Pick<HostedRows, 'tokens' | 'tokenNames' | 'putToken' | 'swapToken' | 'dropTokens'> => ({
  tokens: async (link) => {
    const rows = await db.do((orm) => orm.select().from(credentials).where(eq(credentials.link, link)));
    return rows.map(({ side, sealedJson }) => ({ side, sealed: parse(sealedJson) }));
  },
  tokenNames: () =>
    db.do((orm) =>
      orm
        .select({ link: credentials.link, side: credentials.side })
        .from(credentials)
        .orderBy(asc(credentials.link), asc(credentials.side)),
    ),
  putToken: async (link, side, sealed) => {
    const sealedJson = format(sealed);
    const onConflict = { target: [credentials.link, credentials.side], set: { sealedJson } };
    await db.do((orm) => orm.insert(credentials).values({ link, side, sealedJson }).onConflictDoUpdate(onConflict));
  },
  swapToken: async (link, side, before, after) => {
    const isIt = and(
      eq(credentials.link, link),
      eq(credentials.side, side),
      eq(credentials.sealedJson, format(before)),
    );
    await db.do((orm) =>
      orm
        .update(credentials)
        .set({ sealedJson: format(after) })
        .where(isIt),
    );
  },
  dropTokens: async (link) => {
    await db.do((orm) => orm.delete(credentials).where(eq(credentials.link, link)));
  },
});

/** Takes the claim where no access token will do and nobody else has it; says then that it did. */
const claim = ({ name, owner, leaseMs, leastMs, refused }: AccessClaim): SQL => sql`
  insert into ${accessTokens} (name, owner, owned_until_ms)
  values (${name}, ${owner}, ${DATABASE_TIME} + ${leaseMs}::bigint)
  on conflict (name) do update set owner = excluded.owner, owned_until_ms = excluded.owned_until_ms
  where (${accessTokens.sealedJson} is null or ${accessTokens.expiresAtMs} <= ${DATABASE_TIME} + ${leastMs}::bigint
      or ${accessTokens.digest} = ${refused})
    and (${accessTokens.owner} is null or ${accessTokens.owner} = ${owner}
      or ${accessTokens.ownedUntilMs} <= ${DATABASE_TIME})
  returning 1 as mine
`;

/** The access token where it will do. */
const usable = ({ name, leastMs, refused }: AccessClaim): SQL => sql`
  select sealed_json as sealed, digest, (expires_at_ms - ${DATABASE_TIME})::float8 as lasts from ${accessTokens}
  where name = ${name} and sealed_json is not null and expires_at_ms > ${DATABASE_TIME} + ${leastMs}::bigint
    and digest is distinct from ${refused}
`;

type Usable = { readonly sealed: string; readonly digest: string; readonly lasts: number };

const accessRows = (db: Db): Pick<HostedRows, 'claimAccess' | 'putAccess' | 'dropClaim'> => ({
  claimAccess: (asked) =>
    db.do(async (orm): Promise<AccessRow | 'mine' | null> => {
      if ((await oneRow(orm, claim(asked))) !== null) return 'mine';
      const [found] = (await orm.execute<Usable>(usable(asked))).rows;
      if (found === undefined) return null;
      return { sealed: parse(found.sealed), digest: found.digest, lastsMs: found.lasts };
    }),
  putAccess: async ({ name, owner }, { sealed, digest, lastsMs }) => {
    await db.do((orm) =>
      orm.execute(sql`
        with past as (
          delete from ${accessTokens}
          where name <> ${name} and coalesce(expires_at_ms, 0) <= ${DATABASE_TIME}
            and coalesce(owned_until_ms, 0) <= ${DATABASE_TIME}
        )
        update ${accessTokens} set sealed_json = ${format(sealed)}, digest = ${digest},
          expires_at_ms = ${DATABASE_TIME} + ${Math.floor(lastsMs)}::bigint, owner = null, owned_until_ms = null
        where name = ${name} and owner = ${owner}`),
    );
  },
  dropClaim: async ({ name, owner }) => {
    const isIt = and(eq(accessTokens.name, name), eq(accessTokens.owner, owner));
    await db.do((orm) => orm.update(accessTokens).set({ owner: null, ownedUntilMs: null }).where(isIt));
  },
});

/** Does a change, and lets the revision grow where it changed a row. */
const changing = async (orm: Orm, change: SQL): Promise<boolean> => {
  const row = await oneRow(
    orm,
    sql`with changed as (${change} returning 1),
      grown as (update ${hosting} set links_revision = links_revision + 1 where exists (select from changed))
      select 1 from changed`,
  );
  return row !== null;
};

const linkRows = (
  db: Db,
): Pick<
  HostedRows,
  'linksRevision' | 'linkSettings' | 'addLinkSettings' | 'swapLinkSettings' | 'dropLinkSettings'
> => ({
  linksRevision: async () => {
    const [row] = await db.do((orm) => orm.select({ revision: hosting.linksRevision }).from(hosting));
    return row?.revision ?? 0;
  },
  linkSettings: async (names) => {
    const rows = await db.do((orm) =>
      orm
        .select()
        .from(linkSettings)
        .where(names === null ? sql`true` : sql`${linkSettings.name} = any(${arrayOf(names, 'text')})`)
        .orderBy(sql`${linkSettings.name} collate "C"`),
    );
    return rows.map(({ name, sealedJson }) => ({ name, sealed: parse(sealedJson) }));
  },
  addLinkSettings: ({ name, sealed }) =>
    db.do(async (orm, attempt) => {
      const sealedJson = format(sealed);
      const add = sql`insert into ${linkSettings} (name, sealed_json) values (${name}, ${sealedJson}) on conflict do nothing`;
      if (await changing(orm, add)) return true;
      // An earlier attempt whose answer was lost has added it.
      return attempt > 1 && (await stands(orm, name, sealedJson));
    }),
  swapLinkSettings: ({ name, sealed }, before, { isNews }) =>
    db.do(async (orm, attempt) => {
      const sealedJson = format(sealed);
      const swap = sql`update ${linkSettings} set sealed_json = ${sealedJson}
        where name = ${name} and sealed_json = ${format(before)}`;
      const isSwapped = isNews ? await changing(orm, swap) : (await oneRow(orm, sql`${swap} returning 1`)) !== null;
      return isSwapped || (attempt > 1 && (await stands(orm, name, sealedJson)));
    }),
  dropLinkSettings: (name) =>
    db.do(async (orm, attempt) => {
      const isDropped = await changing(orm, sql`delete from ${linkSettings} where name = ${name}`);
      return isDropped || attempt > 1;
    }),
});

const stands = async (orm: Orm, name: string, sealedJson: string): Promise<boolean> => {
  const isIt = and(eq(linkSettings.name, name), eq(linkSettings.sealedJson, sealedJson));
  return (await orm.select({ name: linkSettings.name }).from(linkSettings).where(isIt)).length > 0;
};

/** What hosts share beside what runs store, in the database of the store. */
export const hostedRows = (db: Db): HostedRows => {
  let salt: Promise<string> | null = null;
  return {
    place: db.place,
    salt: () =>
      (salt ??= readSalt(db).catch((error: unknown) => {
        salt = null;
        throw error;
      })),
    ...tokenRows(db),
    ...accessRows(db),
    ...linkRows(db),
  };
};
