import { and, eq, isNull, lte, or, placeholder, sql } from './drizzle.ts';
import type { Db, Orm } from './database.ts';
import { links } from './schema.ts';
import type { LinkRow } from './store.ts';

const sameLink = eq(links.name, placeholder('name'));

const selectLink = (orm: Orm) => orm.select().from(links).where(sameLink).prepare();

const insertLink = (orm: Orm) =>
  orm
    .insert(links)
    .values({ name: placeholder('name'), state: 'active' })
    .onConflictDoNothing()
    .prepare();

const updateLink = (orm: Orm) =>
  orm
    .update(links)
    .set({
      state: sql`${placeholder('state')}`,
      reason: sql`${placeholder('reason')}`,
      leftAccount: sql`${placeholder('googleAccount')}`,
      rightAccount: sql`${placeholder('serviceAccount')}`,
      leftCredential: sql`${placeholder('googleCredential')}`,
      rightCredential: sql`${placeholder('serviceCredential')}`,
    })
    .where(sameLink)
    .prepare();

const updateLease = (orm: Orm) => {
  const isFree = or(
    isNull(links.leaseOwner),
    eq(links.leaseOwner, placeholder('owner')),
    lte(links.leaseUntilMs, placeholder('nowMs')),
  );
  return orm
    .update(links)
    .set({ leaseOwner: sql`${placeholder('owner')}`, leaseUntilMs: sql`${placeholder('untilMs')}` })
    .where(and(sameLink, isFree))
    .prepare();
};

const clearLease = (orm: Orm) =>
  orm
    .update(links)
    .set({ leaseOwner: null, leaseUntilMs: null })
    .where(and(sameLink, eq(links.leaseOwner, placeholder('owner'))))
    .prepare();

const toLink = (row: typeof links.$inferSelect): LinkRow => ({
  name: row.name,
  state: row.state,
  reason: row.reason,
  accounts: { left: row.leftAccount, right: row.rightAccount },
  credentials: { left: row.leftCredential, right: row.rightCredential },
});

export const readLinks = (db: Db): readonly LinkRow[] =>
  db.orm.select().from(links).orderBy(links.name).all().map(toLink);

/** The link's row, made where there is none. */
export const openLink = (db: Db, name: string): LinkRow => {
  const row = db.prepared(selectLink).get({ name });
  if (row !== undefined) return toLink(row);
  db.prepared(insertLink).run({ name });
  return openLink(db, name);
};

export const patchLink = (db: Db, name: string, patch: Partial<Omit<LinkRow, 'name'>>): void => {
  const { state, reason, accounts, credentials } = { ...openLink(db, name), ...patch };
  db.prepared(updateLink).run({
    name,
    state,
    reason,
    leftAccount: accounts.left,
    rightAccount: accounts.right,
    leftCredential: credentials.left,
    rightCredential: credentials.right,
  });
};

export const takeLease = (db: Db, name: string, owner: string, nowMs: number, untilMs: number): boolean => {
  openLink(db, name);
  return db.prepared(updateLease).run({ name, owner, nowMs, untilMs }).changes === 1;
};

export const dropLease = (db: Db, name: string, owner: string): void => {
  db.prepared(clearLease).run({ name, owner });
};
