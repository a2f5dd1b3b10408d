import { toLink, type LinkRows, type PatchColumns } from '../rows.ts';
import type { LinkState } from '../store.ts';
import type { Told } from '../told.ts';
import type { Db, Orm } from './database.ts';
import { and, eq, placeholder, sql } from './drizzle.ts';
import { cursors, groupPairs, links, rejections } from './schema.ts';
import { readVerdicts } from './verdicts.ts';

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
      accountsKey: sql`${placeholder('accountsKey')}`,
      leftCredential: sql`${placeholder('leftCredential')}`,
      rightCredential: sql`${placeholder('rightCredential')}`,
      acceptedRun: sql`${placeholder('acceptedRun')}`,
      acceptedAtMs: sql`${placeholder('acceptedAtMs')}`,
      fieldsName: sql`${placeholder('fieldsName')}`,
      fieldsJoining: sql`${placeholder('fieldsJoining')}`,
      selectionPatterns: sql`${placeholder('selectionPatterns')}`,
      selectionKey: sql`${placeholder('selectionKey')}`,
      activityJson: sql`${placeholder('activityJson')}`,
      forgottenAtMs: sql`${placeholder('forgottenAtMs')}`,
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

const updatePaused = (orm: Orm) =>
  orm
    .update(links)
    .set({ pausedByHandAtMs: sql`${placeholder('atMs')}` })
    .where(and(sameLink, sql`(${links.pausedByHandAtMs} is null) <> (${placeholder('atMs')} is null)`))
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

const readRows = (db: Db, link: string): LinkRows => ({
  cursors: db.prepared(selectCursors).all({ link }),
  groupPairs: db.prepared(selectGroupPairs).all({ link }),
  rejections: db.prepared(selectRejections).all({ link }),
  verdicts: readVerdicts(db, link),
});

const insertAndSelect = (db: Db, link: string): typeof links.$inferSelect => {
  db.prepared(insertLink).run({ link });
  const row = db.prepared(selectLink).get({ link });
  if (row === undefined) throw new Error(`The row of the link ${link} is missing right after it was made.`);
  return row;
};

/** The link's row, made where there is none. */
const rowOf = (db: Db, link: string) => db.prepared(selectLink).get({ link }) ?? insertAndSelect(db, link);

/** Null where there is none. */
export const readLink = (db: Db, link: string): LinkState | null => {
  const row = db.prepared(selectLink).get({ link });
  return row === undefined ? null : toLink(row, readRows(db, link));
};

export const makeLink = (db: Db, link: string): LinkState => toLink(rowOf(db, link), readRows(db, link));

export const readLinks = (db: Db): readonly LinkState[] =>
  db
    .prepared(selectNames)
    .all()
    .flatMap(({ name }) => readLink(db, name) ?? []);

export const patchLink = (db: Db, link: string, columns: Partial<PatchColumns>): void => {
  db.prepared(updateLink).run({ ...rowOf(db, link), ...columns, link });
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

/** Pauses the link or lets it go on; answers whether it was otherwise. */
export const setPausedByHand = (db: Db, link: string, atMs: number | null): boolean => {
  rowOf(db, link);
  return db.prepared(updatePaused).get({ link, atMs }) !== undefined;
};
