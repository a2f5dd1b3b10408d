import type { Db, Orm } from './database.ts';
import { eq, placeholder, sql } from './drizzle.ts';
import { budgets } from './schema.ts';

const selectBudget = (orm: Orm) =>
  orm
    .select()
    .from(budgets)
    .where(eq(budgets.key, placeholder('key')))
    .prepare();

const upsertBudget = (orm: Orm) =>
  orm
    .insert(budgets)
    .values({ key: placeholder('key'), stateJson: placeholder('stateJson') })
    .onConflictDoUpdate({ target: budgets.key, set: { stateJson: sql`excluded.state_json` } })
    .prepare();

export const readBudget = (db: Db, key: string): string | null =>
  db.prepared(selectBudget).get({ key })?.stateJson ?? null;

export const writeBudget = (db: Db, key: string, stateJson: string): void => {
  db.prepared(upsertBudget).run({ key, stateJson });
};
