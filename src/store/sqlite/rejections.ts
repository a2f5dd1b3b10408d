import type { Rejection } from '../store.ts';
import type { Db, Orm } from './database.ts';
import { and, eq, placeholder, sql } from './drizzle.ts';
import type { Place } from './halves.ts';
import { rejections } from './schema.ts';

const upsertRejection = (orm: Orm) =>
  orm
    .insert(rejections)
    .values({
      link: placeholder('link'),
      side: placeholder('side'),
      key: placeholder('key'),
      leftId: placeholder('leftId'),
      rightId: placeholder('rightId'),
      reason: placeholder('reason'),
      sourceFingerprint: placeholder('sourceFingerprint'),
      attempts: placeholder('attempts'),
      retryAtMs: placeholder('retryAtMs'),
    })
    .onConflictDoUpdate({
      target: [rejections.link, rejections.side, rejections.key],
      set: {
        leftId: sql`excluded.left_id`,
        rightId: sql`excluded.right_id`,
        reason: sql`excluded.reason`,
        sourceFingerprint: sql`excluded.source_fingerprint`,
        attempts: sql`excluded.attempts`,
        retryAtMs: sql`excluded.retry_at_ms`,
      },
    })
    .prepare();

const deleteRejection = (orm: Orm) => {
  const same = and(
    eq(rejections.link, placeholder('link')),
    eq(rejections.side, placeholder('side')),
    eq(rejections.key, placeholder('key')),
  );
  return orm.delete(rejections).where(same).prepare();
};

export const putRejection = (db: Db, link: string, rejection: Rejection): void => {
  db.prepared(upsertRejection).run({ ...rejection, link });
};

export const dropRejection = (db: Db, place: Place, key: string): void => {
  db.prepared(deleteRejection).run({ ...place, key });
};
