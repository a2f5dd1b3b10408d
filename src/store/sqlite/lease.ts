import { FenceError } from '../store.ts';
import type { Db, Orm } from './database.ts';
import { and, eq, isNotNull, isNull, lte, or, placeholder, sql } from './drizzle.ts';
import { links } from './schema.ts';

const sameLink = eq(links.name, placeholder('link'));

const ensureLink = (orm: Orm) =>
  orm
    .insert(links)
    .values({ name: placeholder('link'), state: 'active' })
    .onConflictDoNothing()
    .prepare();

const updateLease = (orm: Orm) => {
  const isOwn = eq(links.leaseOwner, placeholder('owner'));
  const isFree = or(isNull(links.leaseOwner), isOwn, lte(links.leaseUntilMs, placeholder('nowMs')));
  return orm
    .update(links)
    .set({
      // At least the time: a link that was forgotten and is made again gets no token that it had before.
      leaseToken: sql`case when ${isOwn} then ${links.leaseToken} else max(${links.leaseToken} + 1, ${placeholder('nowMs')}) end`,
      leaseOwner: sql`${placeholder('owner')}`,
      leaseUntilMs: sql`${placeholder('untilMs')}`,
    })
    .where(and(sameLink, isFree))
    .returning({ token: links.leaseToken })
    .prepare();
};

const clearLease = (orm: Orm) =>
  orm
    .update(links)
    .set({ leaseOwner: null, leaseUntilMs: null })
    .where(and(sameLink, eq(links.leaseOwner, placeholder('owner'))))
    .prepare();

const selectToken = (orm: Orm) =>
  orm
    .select({ token: links.leaseToken })
    .from(links)
    .where(and(sameLink, isNotNull(links.leaseOwner)))
    .prepare();

const selectOwner = (orm: Orm) => orm.select({ owner: links.leaseOwner }).from(links).where(sameLink).prepare();

export const takeLease = (
  db: Db,
  lease: { readonly link: string; readonly owner: string; readonly nowMs: number; readonly untilMs: number },
): number | null => {
  db.prepared(ensureLink).run({ link: lease.link });
  return db.prepared(updateLease).get(lease)?.token ?? null;
};

export const readOwner = (db: Db, link: string): string | null => db.prepared(selectOwner).get({ link })?.owner ?? null;

export const dropLease = (db: Db, link: string, owner: string): void => {
  db.prepared(clearLease).run({ link, owner });
};

/** @throws {FenceError} where the token is not that of the link's current lease. */
export const checkToken = (db: Db, link: string, token: number): void => {
  if (db.prepared(selectToken).get({ link })?.token !== token) throw new FenceError(link, token);
};
