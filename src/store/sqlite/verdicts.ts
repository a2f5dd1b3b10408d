import type { Verdict } from '../../reconcile/verdict.ts';
import type { Db, Orm } from './database.ts';
import { and, eq, placeholder, sql } from './drizzle.ts';
import { verdicts } from './schema.ts';

const upsertVerdict = (orm: Orm) =>
  orm
    .insert(verdicts)
    .values({
      link: placeholder('link'),
      leftId: placeholder('leftId'),
      rightId: placeholder('rightId'),
      says: placeholder('says'),
      atMs: placeholder('atMs'),
    })
    .onConflictDoUpdate({
      target: [verdicts.link, verdicts.leftId, verdicts.rightId],
      set: { says: sql`excluded.says`, atMs: sql`excluded.at_ms` },
    })
    .prepare();

const deleteVerdict = (orm: Orm) => {
  const same = and(
    eq(verdicts.link, placeholder('link')),
    eq(verdicts.leftId, placeholder('leftId')),
    eq(verdicts.rightId, placeholder('rightId')),
  );
  return orm.delete(verdicts).where(same).prepare();
};

const selectVerdicts = (orm: Orm) =>
  orm
    .select({ leftId: verdicts.leftId, rightId: verdicts.rightId, says: verdicts.says, atMs: verdicts.atMs })
    .from(verdicts)
    .where(eq(verdicts.link, placeholder('link')))
    .orderBy(verdicts.leftId, verdicts.rightId)
    .prepare();

export const putVerdict = (db: Db, link: string, { leftId, rightId, says, atMs }: Verdict): void => {
  db.prepared(upsertVerdict).run({ link, leftId, rightId, says, atMs });
};

export const dropVerdict = (db: Db, link: string, { leftId, rightId }: Pick<Verdict, 'leftId' | 'rightId'>): void => {
  db.prepared(deleteVerdict).run({ link, leftId, rightId });
};

export const readVerdicts = (db: Db, link: string): readonly Verdict[] => db.prepared(selectVerdicts).all({ link });
