import { randomUUID } from 'node:crypto';
import type { SQL } from 'drizzle-orm';
import { FenceError } from '../errors.ts';
import { assignedValue, isIdReturned } from '../sql/operations.ts';
import { newIdOf, type Cells, type RowOperation } from '../sql/row-operation.ts';
import type { Fence } from '../sql/dialect.ts';
import { sql } from '../sql/drizzle.ts';
import { TABLES, type Table } from '../tables.ts';
import { batchOf, storable, type Batch } from './batch.ts';
import type { Connection } from './database.ts';
import type { SendStatement } from '../sql/step.ts';

/** The sequence that new rows get their ids from. */
const ROW_IDS = 'row_ids';
/** The number of ids that are taken from the database at once. */
const RESERVED_AT_ONCE = 500;

/**
 * Ids for the rows of links, taken ahead of the commits that use them. Those of a link are used while its lease has the same
 * token, so that they grow with time although several hosts work on it by turns.
 */
export class RowIds {
  readonly #reserved = new Map<string, { readonly token: number; readonly ids: number[] }>();

  async take(db: Connection, link: string, token: number, count: number): Promise<readonly number[]> {
    if (count === 0) return [];
    const kept = this.#reserved.get(link);
    const ids = kept?.token === token ? kept.ids : [];
    this.#reserved.set(link, { token, ids });
    if (ids.length < count) {
      const asked = Math.max(count, RESERVED_AT_ONCE);
      const rows = await db.do((send) =>
        send(sql`select nextval(${ROW_IDS}) as id from generate_series(1, ${asked}::int)`),
      );
      // The rest of an earlier reservation is left unused: a commit gets all of its ids together, in order.
      ids.splice(0, ids.length, ...rows.map(({ id }) => Number(id)));
    }
    return ids.splice(0, count);
  }

  forget(link: string): void {
    this.#reserved.delete(link);
  }
}

/** An operation with assigned ids in place of those below zero. */
const completed = (operation: RowOperation, ids: ReadonlyMap<number, number>): RowOperation => {
  const withIds = (cells: Cells): Cells =>
    Object.fromEntries(Object.entries(cells).map(([name, value]) => [name, assignedValue(name, value, ids)]));
  switch (operation.op) {
    case 'add':
    case 'put':
      return { ...operation, row: withIds(operation.row) };
    case 'patch':
      return { ...operation, set: withIds(operation.set) };
    case 'delete':
    case 'sweep':
      return operation;
  }
};

/** Updates the link's row only for a commit with the current token that was not made before. Locks the row until the commit ends. */
const fenceOf = ({ link, token }: Fence, key: string, patch: Cells): SQL => {
  const { columns }: Table = TABLES.links;
  const set = Object.entries(patch).flatMap(([property, value]) => {
    const column = columns[property];
    return column === undefined ? [] : [sql`, ${sql.identifier(column.name)} = ${storable(property, value)}`];
  });
  return sql`update links set commit_key = ${key}${sql.join(set, sql``)}
    where name = ${link} and lease_token = ${token} and lease_owner is not null and commit_key is distinct from ${key}
    returning 1`;
};

const together = (fencing: SQL, { parts }: Batch): SQL => {
  const named = parts.map(
    (part, nth) => sql`, ${sql.identifier(`part_${nth}`)} as (${part(sql`exists (select from fence)`)})`,
  );
  return sql`with fence as (${fencing})${sql.join(named, sql``)} select 1 from fence`;
};

/** Whether the commit was made by an earlier attempt whose answer was lost. The deletion of a link leaves no row with its key. */
const wasMade = async (
  send: SendStatement,
  { link }: Fence,
  key: string,
  operations: readonly RowOperation[],
): Promise<boolean> => {
  const [row] = await send(sql`select commit_key as key from links where name = ${link}`);
  if (row === undefined) return operations.some(({ op, table }) => op === 'delete' && table === 'links');
  return row['key'] === key;
};

/**
 * Applies operations in their order, all or none, and once: in one statement if they are independent, else in a transaction. Returns
 * the ids that it assigned.
 *
 * @throws {FenceError} if the token is not that of the link's current lease.
 */
export const commit = async (
  db: Connection,
  rowIds: RowIds,
  fence: Fence,
  made: Iterable<RowOperation>,
): Promise<readonly number[]> => {
  const { link, token } = fence;
  const key = randomUUID();
  const operations = [...made];
  const asked = operations.flatMap((operation) => newIdOf(operation) ?? []);
  const taken = await rowIds.take(db, link, token, asked.length);
  const ids = new Map(asked.map((id, index) => [id, taken[index] ?? id]));
  const complete = operations.map((operation) => completed(operation, ids));
  // The fence changes the row of the link.
  const patches = complete.flatMap((operation) =>
    operation.op === 'patch' && operation.table === 'links' ? [operation] : [],
  );
  const fencing = fenceOf(fence, key, Object.assign({}, ...patches.map(({ set }) => set)) as Cells);
  const batch = batchOf(
    link,
    complete.filter((operation) => operation.op !== 'patch' || operation.table !== 'links'),
  );
  const [first, ...others] = batch.isIndependent
    ? [together(fencing, batch)]
    : [fencing, ...batch.parts.map((part) => part(sql`true`))];
  const perform = async (send: SendStatement, attempt: number): Promise<void> => {
    const isCurrent = (await send(first)).length > 0;
    if (!isCurrent && attempt > 1 && (await wasMade(send, fence, key, operations))) return;
    if (!isCurrent) throw new FenceError(link, token);
    for (const statement of others) await send(statement);
  };
  await (batch.isIndependent ? db.do(perform) : db.atomic(perform));
  return operations.filter(isIdReturned).flatMap((operation) => ids.get(newIdOf(operation) ?? 0) ?? []);
};
