import type { SQL } from 'drizzle-orm';
import type { Told } from '../told.ts';
import type { Db } from './database.ts';
import { and, eq, sql } from './drizzle.ts';
import { Held } from './held.ts';
import { OPENING, openingOf, type StoredOpening } from './opening.ts';
import { links } from './schema.ts';

/** Which clock says when a lease runs out. */
export type LeaseClock = 'database' | 'caller';

/** The time of the database, epoch milliseconds: the same for every host, whatever their own clocks say. */
export const DATABASE_TIME = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

type Asked = { readonly link: string; readonly owner: string; readonly nowMs: number; readonly untilMs: number };

const leasing = ({ link, owner, nowMs, untilMs }: Asked, clock: LeaseClock): SQL => {
  const now: SQL = clock === 'database' ? DATABASE_TIME : sql`${nowMs}::bigint`;
  const until = sql`${now} + ${untilMs - nowMs}::bigint`;
  const isOwn = sql`${links.leaseOwner} = ${owner}`;
  return sql`
    insert into ${links} (name, state, lease_owner, lease_until_ms, lease_token)
    values (${link}, 'active', ${owner}, ${until}, greatest(1, ${now}))
    on conflict (name) do update set
      lease_owner = excluded.lease_owner,
      lease_until_ms = excluded.lease_until_ms,
      lease_token = case when ${isOwn} then ${links.leaseToken}
        else greatest(${links.leaseToken} + 1, excluded.lease_token) end
    where ${links.leaseOwner} is null or ${isOwn} or ${links.leaseUntilMs} <= ${now}
    returning lease_token as token, commit_key as key
  `;
};

/** Renews a lease for as long as was asked; answers its token, or null where another owner has it. */
export const renewLease = async (db: Db, clock: LeaseClock, asked: Asked): Promise<number | null> => {
  const { rows } = await db.do((orm) => orm.execute<{ token: string }>(leasing(asked, clock)));
  return rows[0] === undefined ? null : Number(rows[0].token);
};

type Taken = { readonly token: string; readonly isFresh: boolean; readonly opening: StoredOpening | null };

/**
 * Takes a lease for as long as was asked, and reads what a run begins with in the same look. That look is of the moment before
 * the lease was taken: where somebody has committed something since, it says nothing. Null where another owner has the lease.
 */
export const takeLease = async (db: Db, clock: LeaseClock, asked: Asked): Promise<Held | null> => {
  const { rows } = await db.do((orm) =>
    orm.execute<Taken>(sql`
      with taken as (${leasing(asked, clock)}),
        before as (select l.commit_key as key, row_to_json(o) as opening
          from ${links} as l, lateral (select ${OPENING}) as o
          where l.name = ${asked.link} and exists (select from taken))
      select taken.token, before.key is not distinct from taken.key as "isFresh", before.opening
      from taken left join before on true
    `),
  );
  const [taken] = rows;
  if (taken === undefined) return null;
  const opening = taken.isFresh && taken.opening !== null ? openingOf(taken.opening) : null;
  return new Held(asked.owner, Number(taken.token), opening);
};

export const readOwner = async (db: Db, link: string): Promise<string | null> => {
  const rows = await db.do((orm) => orm.select({ owner: links.leaseOwner }).from(links).where(eq(links.name, link)));
  return rows[0]?.owner ?? null;
};

export const dropLease = async (db: Db, link: string, owner: string): Promise<void> => {
  const mine = and(eq(links.name, link), eq(links.leaseOwner, owner));
  await db.do((orm) => orm.update(links).set({ leaseOwner: null, leaseUntilMs: null }).where(mine));
};

/** Answers whether what was told of the link was what stands before. */
export const swapTold = async (db: Db, link: string, before: Told, after: Told): Promise<boolean> => {
  const rows = await db.do(async (orm, attempt) => {
    await orm.insert(links).values({ name: link, state: 'active' }).onConflictDoNothing();
    const isBefore = sql`(${links.toldTrouble} is not distinct from ${before.trouble}
      and ${links.failingSinceMs} is not distinct from ${before.failingSinceMs}
      and ${links.claimedUntilMs} is not distinct from ${before.claimedUntilMs})`;
    // An earlier attempt whose answer was lost has made it so.
    const isAfter = sql`(${links.toldTrouble} is not distinct from ${after.trouble}
      and ${links.failingSinceMs} is not distinct from ${after.failingSinceMs}
      and ${links.claimedUntilMs} is not distinct from ${after.claimedUntilMs})`;
    return orm
      .update(links)
      .set({ toldTrouble: after.trouble, failingSinceMs: after.failingSinceMs, claimedUntilMs: after.claimedUntilMs })
      .where(and(eq(links.name, link), attempt > 1 ? sql`(${isBefore} or ${isAfter})` : isBefore))
      .returning({ name: links.name });
  });
  return rows.length > 0;
};

export const readPausedByHand = async (db: Db, link: string): Promise<number | null> => {
  const rows = await db.do((orm) =>
    orm.select({ atMs: links.pausedByHandAtMs }).from(links).where(eq(links.name, link)),
  );
  return rows[0]?.atMs ?? null;
};

/** Pauses the link or lets it go on; answers whether it was otherwise. */
export const setPausedByHand = async (db: Db, link: string, atMs: number | null): Promise<boolean> => {
  const rows = await db.do(async (orm) => {
    await orm.insert(links).values({ name: link, state: 'active' }).onConflictDoNothing();
    const isOtherwise = sql`(${links.pausedByHandAtMs} is null) <> ${atMs === null}`;
    const same = and(eq(links.name, link), isOtherwise);
    return orm.update(links).set({ pausedByHandAtMs: atMs }).where(same).returning({ name: links.name });
  });
  return rows.length > 0;
};
