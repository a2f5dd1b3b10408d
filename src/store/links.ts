import { and, eq, isNull, lte, or } from 'drizzle-orm';
import type { Orm } from './database.ts';
import { links } from './schema.ts';
import type { LinkRow } from './store.ts';

const toLink = (row: typeof links.$inferSelect): LinkRow => ({
  name: row.name,
  state: row.state,
  reason: row.reason,
  accounts: { google: row.googleAccount, service: row.serviceAccount },
  credentials: { google: row.googleCredential, service: row.serviceCredential },
  sweptAtMs: row.sweptAtMs,
});

export const readLinks = (orm: Orm): readonly LinkRow[] =>
  orm.select().from(links).orderBy(links.name).all().map(toLink);

export const openLink = (orm: Orm, name: string): LinkRow => {
  orm.insert(links).values({ name, state: 'active' }).onConflictDoNothing().run();
  const row = orm.select().from(links).where(eq(links.name, name)).get();
  if (row === undefined) throw new Error(`The link ${name} vanished while it was opened.`);
  return toLink(row);
};

export const patchLink = (orm: Orm, name: string, patch: Partial<Omit<LinkRow, 'name'>>): void => {
  const next = { ...openLink(orm, name), ...patch };
  orm
    .update(links)
    .set({
      state: next.state,
      reason: next.reason,
      googleAccount: next.accounts.google,
      serviceAccount: next.accounts.service,
      googleCredential: next.credentials.google,
      serviceCredential: next.credentials.service,
      sweptAtMs: next.sweptAtMs,
    })
    .where(eq(links.name, name))
    .run();
};

export const takeLease = (orm: Orm, name: string, owner: string, nowMs: number, untilMs: number): boolean => {
  openLink(orm, name);
  const free = or(isNull(links.leaseOwner), eq(links.leaseOwner, owner), lte(links.leaseUntilMs, nowMs));
  const taken = orm
    .update(links)
    .set({ leaseOwner: owner, leaseUntilMs: untilMs })
    .where(and(eq(links.name, name), free))
    .run();
  return taken.changes === 1;
};

export const dropLease = (orm: Orm, name: string, owner: string): void => {
  orm
    .update(links)
    .set({ leaseOwner: null, leaseUntilMs: null })
    .where(and(eq(links.name, name), eq(links.leaseOwner, owner)))
    .run();
};
