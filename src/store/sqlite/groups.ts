import type { GroupPairColumns } from '../rows.ts';
import type { Db, Orm } from './database.ts';
import { and, eq, placeholder, sql } from './drizzle.ts';
import { groupPairs } from './schema.ts';

const upsertGroupPair = (orm: Orm) =>
  orm
    .insert(groupPairs)
    .values({
      link: placeholder('link'),
      key: placeholder('key'),
      status: placeholder('status'),
      settled: placeholder('settled'),
      leftId: placeholder('leftId'),
      leftName: placeholder('leftName'),
      rightId: placeholder('rightId'),
      rightName: placeholder('rightName'),
    })
    .onConflictDoUpdate({
      target: [groupPairs.link, groupPairs.key],
      set: {
        status: sql`excluded.status`,
        settled: sql`excluded.settled`,
        leftId: sql`excluded.left_id`,
        leftName: sql`excluded.left_name`,
        rightId: sql`excluded.right_id`,
        rightName: sql`excluded.right_name`,
      },
    })
    .prepare();

const deleteGroupPair = (orm: Orm) =>
  orm
    .delete(groupPairs)
    .where(and(eq(groupPairs.link, placeholder('link')), eq(groupPairs.key, placeholder('key'))))
    .prepare();

export const putGroupPair = (db: Db, link: string, row: GroupPairColumns): void => {
  db.prepared(upsertGroupPair).run({ ...row, link });
};

export const dropGroupPair = (db: Db, link: string, key: string): void => {
  db.prepared(deleteGroupPair).run({ link, key });
};
