import type { SQL } from 'drizzle-orm';
import { toConflicts, type ConflictColumns, type ReviewColumns } from '../rows.ts';
import type { ConflictRow } from '../store.ts';
import type { Db, Orm } from './database.ts';
import { and, eq, isNull, placeholder, sql } from './drizzle.ts';
import { conflicts } from './schema.ts';

const inLink = eq(conflicts.link, placeholder('link'));
const ofContact = and(inLink, eq(conflicts.leftId, placeholder('leftId')));

const insertConflict = (orm: Orm) =>
  orm
    .insert(conflicts)
    .values({
      link: placeholder('link'),
      run: placeholder('run'),
      leftId: placeholder('leftId'),
      rightId: placeholder('rightId'),
      field: placeholder('field'),
      left: placeholder('left'),
      right: placeholder('right'),
      winner: placeholder('winner'),
      atMs: placeholder('atMs'),
      resolvedAtMs: placeholder('resolvedAtMs'),
    })
    .prepare();

const closeConflicts = (orm: Orm) => {
  const isNamed = sql`${conflicts.field} in (select value from json_each(${placeholder('fields')}))`;
  return orm
    .update(conflicts)
    .set({ resolvedAtMs: sql`${placeholder('atMs')}` })
    .where(and(ofContact, isNull(conflicts.resolvedAtMs), isNamed));
};

const reviewOpen = (orm: Orm) =>
  orm
    .update(conflicts)
    .set({ review: sql`${placeholder('review')}`, reviewedAtMs: sql`${placeholder('atMs')}` })
    .where(and(ofContact, isNull(conflicts.resolvedAtMs), eq(conflicts.field, placeholder('field'))))
    .prepare();

const deleteConflicts = (orm: Orm) => orm.delete(conflicts).where(ofContact).prepare();

const COLUMNS = {
  id: conflicts.id,
  run: conflicts.run,
  leftId: conflicts.leftId,
  rightId: conflicts.rightId,
  field: conflicts.field,
  left: conflicts.left,
  right: conflicts.right,
  winner: conflicts.winner,
  atMs: conflicts.atMs,
  resolvedAtMs: conflicts.resolvedAtMs,
  review: conflicts.review,
  reviewedAtMs: conflicts.reviewedAtMs,
};

const selecting = (orm: Orm, where?: SQL) =>
  orm.select(COLUMNS).from(conflicts).where(and(inLink, where)).orderBy(conflicts.id).prepare();

const selectConflicts = (orm: Orm) => selecting(orm);

const selectOpenConflicts = (orm: Orm) => selecting(orm, isNull(conflicts.resolvedAtMs));

export const putConflict = (
  db: Db,
  link: string,
  row: Omit<ConflictColumns, 'id' | 'review' | 'reviewedAtMs'>,
): void => {
  db.prepared(insertConflict).run({ ...row, link });
};

export const resolveConflicts = (
  db: Db,
  link: string,
  leftId: string,
  fields: readonly string[],
  atMs: number,
): void => {
  db.write(closeConflicts, { link, leftId, fields: JSON.stringify(fields), atMs });
};

export const reviewConflict = (db: Db, link: string, { reviewedAtMs: atMs, ...row }: ReviewColumns): void => {
  db.prepared(reviewOpen).run({ ...row, link, atMs });
};

export const dropConflicts = (db: Db, link: string, leftId: string): void => {
  db.prepared(deleteConflicts).run({ link, leftId });
};

export const readConflicts = (db: Db, link: string, all: boolean): readonly ConflictRow[] =>
  toConflicts(db.prepared(all ? selectConflicts : selectOpenConflicts).all({ link }));
