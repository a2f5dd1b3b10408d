import type { GroupPair } from '../../reconcile/groups.ts';
import { bySide } from '../../contact/side.ts';
import type { Cursor, LinkState, StoreChange } from '../store.ts';
import type { Told } from '../told.ts';
import { NO_CURSOR } from '../store.ts';
import type { Db, Orm } from './database.ts';
import { and, eq, placeholder, sql } from './drizzle.ts';
import { cursors, groupPairs, links, rejections } from './schema.ts';

const sameLink = eq(links.name, placeholder('link'));

const selectNames = (orm: Orm) => orm.select({ name: links.name }).from(links).orderBy(links.name).prepare();

const selectLink = (orm: Orm) => orm.select().from(links).where(sameLink).prepare();

const insertLink = (orm: Orm) =>
  orm
    .insert(links)
    .values({ name: placeholder('link'), state: 'active' })
    .onConflictDoNothing()
    .prepare();

const updateLink = (orm: Orm) =>
  orm
    .update(links)
    .set({
      state: sql`${placeholder('state')}`,
      reason: sql`${placeholder('reason')}`,
      leftAccount: sql`${placeholder('leftAccount')}`,
      rightAccount: sql`${placeholder('rightAccount')}`,
      leftCredential: sql`${placeholder('leftCredential')}`,
      rightCredential: sql`${placeholder('rightCredential')}`,
      acceptedRun: sql`${placeholder('acceptedRun')}`,
      acceptedAtMs: sql`${placeholder('acceptedAtMs')}`,
    })
    .where(sameLink)
    .prepare();

const updateTold = (orm: Orm) =>
  orm
    .update(links)
    .set({
      toldTrouble: sql`${placeholder('trouble')}`,
      failingSinceMs: sql`${placeholder('failingSinceMs')}`,
      claimedUntilMs: sql`${placeholder('claimedUntilMs')}`,
    })
    .where(
      and(
        sameLink,
        sql`${links.toldTrouble} is ${placeholder('beforeTrouble')}`,
        sql`${links.failingSinceMs} is ${placeholder('beforeFailingSinceMs')}`,
        sql`${links.claimedUntilMs} is ${placeholder('beforeClaimedUntilMs')}`,
      ),
    )
    .returning({ name: links.name })
    .prepare();

const selectCursors = (orm: Orm) =>
  orm
    .select()
    .from(cursors)
    .where(eq(cursors.link, placeholder('link')))
    .prepare();

const selectGroupPairs = (orm: Orm) =>
  orm
    .select()
    .from(groupPairs)
    .where(eq(groupPairs.link, placeholder('link')))
    .orderBy(groupPairs.key)
    .prepare();

const selectRejections = (orm: Orm) =>
  orm
    .select({
      side: rejections.side,
      key: rejections.key,
      leftId: rejections.leftId,
      rightId: rejections.rightId,
      reason: rejections.reason,
      sourceFingerprint: rejections.sourceFingerprint,
      attempts: rejections.attempts,
      retryAtMs: rejections.retryAtMs,
    })
    .from(rejections)
    .where(eq(rejections.link, placeholder('link')))
    .orderBy(rejections.key, rejections.side)
    .prepare();

const readCursors = (db: Db, link: string): LinkState['cursors'] => {
  const rows = db.prepared(selectCursors).all({ link });
  return bySide((side): Cursor => {
    const row = rows.find((each) => each.side === side);
    if (row === undefined) return NO_CURSOR;
    const { cursor, readAtMs, resume, listingStartedAtMs, listedAtMs } = row;
    return { cursor, readAtMs, resume, listingStartedAtMs, listedAtMs };
  });
};

const groupHalf = (id: string | null, name: string | null) => (id === null ? null : { id, name: name ?? '' });

const toGroupPair = (row: typeof groupPairs.$inferSelect): GroupPair => ({
  key: row.key,
  left: groupHalf(row.leftId, row.leftName),
  right: groupHalf(row.rightId, row.rightName),
  status: row.status,
  settled: row.settled,
});

type Accepted = Pick<typeof links.$inferSelect, 'acceptedRun' | 'acceptedAtMs'>;

const accepted = ({ acceptedRun, acceptedAtMs }: Accepted): LinkState['acceptedDeletes'] =>
  acceptedRun === null || acceptedAtMs === null ? null : { run: acceptedRun, atMs: acceptedAtMs };

const toLink = (db: Db, row: typeof links.$inferSelect): LinkState => ({
  name: row.name,
  state: row.state,
  reason: row.reason,
  accounts: { left: row.leftAccount, right: row.rightAccount },
  credentials: { left: row.leftCredential, right: row.rightCredential },
  acceptedDeletes: accepted(row),
  told: { trouble: row.toldTrouble, failingSinceMs: row.failingSinceMs, claimedUntilMs: row.claimedUntilMs },
  cursors: readCursors(db, row.name),
  groupPairs: db.prepared(selectGroupPairs).all({ link: row.name }).map(toGroupPair),
  rejections: db.prepared(selectRejections).all({ link: row.name }),
});

const insertAndSelect = (db: Db, link: string): typeof links.$inferSelect => {
  db.prepared(insertLink).run({ link });
  const row = db.prepared(selectLink).get({ link });
  if (row === undefined) throw new Error(`The row of the link ${link} is missing right after it was made.`);
  return row;
};

/** The link's row, made where there is none. */
const rowOf = (db: Db, link: string) => db.prepared(selectLink).get({ link }) ?? insertAndSelect(db, link);

/** The link, made where there is none. */
export const openLink = (db: Db, link: string): LinkState => toLink(db, rowOf(db, link));

export const readLinks = (db: Db): readonly LinkState[] =>
  db
    .prepared(selectNames)
    .all()
    .map(({ name }) => openLink(db, name));

type Patch = Extract<StoreChange, { kind: 'link' }>['patch'];

export const patchLink = (db: Db, link: string, { accounts, credentials, acceptedDeletes, ...patch }: Patch): void => {
  const row = { ...rowOf(db, link), ...patch };
  const pass = acceptedDeletes === undefined ? accepted(row) : acceptedDeletes;
  db.prepared(updateLink).run({
    link,
    state: row.state,
    reason: row.reason,
    leftAccount: accounts === undefined ? row.leftAccount : accounts.left,
    rightAccount: accounts === undefined ? row.rightAccount : accounts.right,
    leftCredential: credentials === undefined ? row.leftCredential : credentials.left,
    rightCredential: credentials === undefined ? row.rightCredential : credentials.right,
    acceptedRun: pass?.run ?? null,
    acceptedAtMs: pass?.atMs ?? null,
  });
};

/** Answers whether what was told of the link was what stands before. */
export const swapTold = (db: Db, link: string, before: Told, after: Told): boolean => {
  rowOf(db, link);
  const row = db.prepared(updateTold).get({
    link,
    ...after,
    beforeTrouble: before.trouble,
    beforeFailingSinceMs: before.failingSinceMs,
    beforeClaimedUntilMs: before.claimedUntilMs,
  });
  return row !== undefined;
};
