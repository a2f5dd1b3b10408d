import { eq, placeholder, sql } from './drizzle.ts';
import type { Db, Orm } from './database.ts';
import { runs } from './schema.ts';
import type { RunEnd, RunStart } from './store.ts';

const insertRun = (orm: Orm) =>
  orm
    .insert(runs)
    .values({
      id: placeholder('id'),
      link: placeholder('link'),
      kind: placeholder('kind'),
      outcome: 'running',
      startedAtMs: placeholder('startedAtMs'),
      summaryJson: placeholder('summary'),
    })
    .prepare();

const updateRun = (orm: Orm) =>
  orm
    .update(runs)
    .set({
      outcome: sql`${placeholder('outcome')}`,
      reason: sql`${placeholder('reason')}`,
      endedAtMs: sql`${placeholder('endedAtMs')}`,
      summaryJson: sql`${placeholder('summary')}`,
    })
    .where(eq(runs.id, placeholder('id')))
    .prepare();

export const writeRunStart = (db: Db, { undoes, ...run }: RunStart): void => {
  db.prepared(insertRun).run({ ...run, summary: undoes === null ? null : JSON.stringify({ undoes }) });
};

export const writeRunEnd = (db: Db, id: string, { summary, ...end }: RunEnd): void => {
  db.prepared(updateRun).run({ ...end, id, summary: JSON.stringify(summary) });
};
