import type { SQL } from 'drizzle-orm';
import { applyChanges } from '../changes.ts';
import type { PatchColumns } from '../rows.ts';
import { FenceError, type StoreChange } from '../store.ts';
import { Batch, type Stage } from './batch.ts';
import type { Db, Orm } from './database.ts';
import { eq, sql } from './drizzle.ts';
import { ROW_IDS, links } from './schema.ts';
import { partsOf } from './statement.ts';

type Sender = Pick<Orm, 'execute' | 'select'>;

/** How many new rows changes make, of those that get an id. */
const countNew = (changes: readonly StoreChange[]): number => {
  const isNew = (change: StoreChange): boolean =>
    (change.kind === 'put-pair' && change.id === null) || ['intend', 'conflict', 'shown'].includes(change.kind);
  return changes.filter(isNew).length;
};

/** So many ids are taken from the database at once. */
const RESERVED_AT_ONCE = 500;

/**
 * Ids for the rows of links, taken ahead of the commits that use them. Those of a link are used while its lease has the same
 * token, so that they grow with time although several hosts work on it by turns.
 */
export class RowIds {
  readonly #reserved = new Map<string, { readonly token: number; readonly ids: number[] }>();

  async take(db: Db, link: string, token: number, count: number): Promise<readonly number[]> {
    if (count === 0) return [];
    const kept = this.#reserved.get(link);
    const ids = kept?.token === token ? kept.ids : [];
    this.#reserved.set(link, { token, ids });
    if (ids.length < count) {
      const asked = Math.max(count, RESERVED_AT_ONCE);
      const { rows } = await db.do((orm) =>
        orm.execute<{ id: string }>(sql`select nextval(${ROW_IDS}) as id from generate_series(1, ${asked}::int)`),
      );
      // The rest of an earlier lot is left: a commit asks for all of its ids, in their order.
      ids.splice(0, ids.length, ...rows.map(({ id }) => Number(id)));
    }
    return ids.splice(0, count);
  }

  forget(link: string): void {
    this.#reserved.delete(link);
  }
}

type Fence = {
  readonly link: string;
  readonly token: number;
  /** Names the commit. */
  readonly key: string;
  readonly patch: Partial<PatchColumns>;
};

/** Lets a commit pass that has the current token and has not been made before; no other commit of the link can overtake it. */
const fenceOf = ({ link, token, key, patch }: Fence): SQL => {
  const set = Object.entries(patch).map(
    ([property, value]) => sql`, ${sql.identifier(links[property as keyof PatchColumns].name)} = ${value}`,
  );
  return sql`update ${links} set commit_key = ${key}${sql.join(set, sql``)}
    where ${links.name} = ${link} and ${links.leaseToken} = ${token} and ${links.leaseOwner} is not null
      and ${links.commitKey} is distinct from ${key}
    returning 1`;
};

/** Answers whether the fence let it pass. */
const sendFirst = async (orm: Sender, stage: Stage, fence: Fence): Promise<boolean> => {
  const pass = sql`exists (select from fence)`;
  const parts = partsOf(fence.link, stage, pass).map(([name, part]) => sql`, ${sql.identifier(name)} as (${part})`);
  const { rows } = await orm.execute<{ held: number }>(
    sql`with fence as (${fenceOf(fence)})${sql.join(parts, sql``)} select count(*)::int as held from fence`,
  );
  return rows[0]?.held === 1;
};

const sendNext = async (orm: Sender, stage: Stage, link: string): Promise<void> => {
  const parts = partsOf(link, stage, sql`true`).map(([name, part]) => sql`${sql.identifier(name)} as (${part})`);
  await orm.execute(sql`with ${sql.join(parts, sql`, `)} select 1`);
};

const sendStages = async (orm: Sender, [first, ...others]: readonly Stage[], fence: Fence): Promise<boolean> => {
  if (first === undefined || !(await sendFirst(orm, first, fence))) return false;
  for (const stage of others) await sendNext(orm, stage, fence.link);
  return true;
};

/** Whether the commit was made by an earlier attempt whose answer was lost. */
const wasMade = async (orm: Orm, { link, key }: Fence): Promise<boolean> => {
  const rows = await orm.select({ key: links.commitKey }).from(links).where(eq(links.name, link));
  return rows[0]?.key === key;
};

/**
 * Makes the changes in their order, all or none, and once: in one statement where no row is changed twice, else in a
 * transaction. Answers the ids of new pairs and of intents.
 *
 * @throws {FenceError} where the token is not that of the link's current lease.
 */
export const commit = async (
  db: Db,
  rowIds: RowIds,
  { link, token, key }: Pick<Fence, 'link' | 'token' | 'key'>,
  changes: readonly StoreChange[],
): Promise<readonly number[]> => {
  const batch = new Batch(await rowIds.take(db, link, token, countNew(changes)));
  const made = applyChanges(batch.writer, changes);
  const { stages, patch } = batch;
  const fence: Fence = { link, token, key, patch };
  await db.do(async (orm, attempt) => {
    const isHeld =
      stages.length === 1
        ? await sendStages(orm, stages, fence)
        : await orm.transaction((step) => sendStages(step, stages, fence));
    if (!isHeld && !(attempt > 1 && (await wasMade(orm, fence)))) throw new FenceError(link, token);
  });
  return made;
};
