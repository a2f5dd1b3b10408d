import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Side } from '../../contact/side.ts';
import { decodeIds } from '../codec.ts';
import { compareKeys } from '../link-state.ts';
import { toLink } from '../rows.ts';
import type { LinkState } from '../store.ts';
import type { Db } from './database.ts';
import { and, asc, eq, getTableColumns, sql } from './drizzle.ts';
import { budgets, cursors, groupPairs, links, rejections, shownPages, verdicts } from './schema.ts';

export type JsonRow = Readonly<Record<string, unknown>>;

/** A row that the database gave as JSON, by the names of its columns. */
export const fromJson = <Table extends PgTable>(table: Table, row: JsonRow): Table['$inferSelect'] => {
  const columns: Readonly<Record<string, PgColumn>> = getTableColumns(table);
  // The columns of a table are those that its type was inferred from.
  return Object.fromEntries(Object.entries(columns).map(([property, { name }]) => [property, row[name]]));
};

export type StoredLink = {
  readonly link: JsonRow;
  readonly cursors: readonly JsonRow[];
  readonly groups: readonly JsonRow[];
  readonly rejections: readonly JsonRow[];
  readonly verdicts: readonly JsonRow[];
};

export const withoutLink = <Row extends { readonly link: string }>({ link: _link, ...row }: Row): Omit<Row, 'link'> =>
  row;

export const linkOf = (stored: StoredLink): LinkState =>
  toLink(fromJson(links, stored.link), {
    cursors: stored.cursors.map((row) => fromJson(cursors, row)),
    groupPairs: stored.groups
      .map((row) => fromJson(groupPairs, row))
      .toSorted((one, other) => compareKeys(one.key, other.key)),
    rejections: stored.rejections
      .map((row) => withoutLink(fromJson(rejections, row)))
      .toSorted((one, other) => compareKeys(one.key, other.key) || compareKeys(one.side, other.side)),
    verdicts: stored.verdicts
      .map((row) => withoutLink(fromJson(verdicts, row)))
      .toSorted((one, other) => compareKeys(one.leftId, other.leftId) || compareKeys(one.rightId, other.rightId)),
  });

/** The rows of a table that belong to the link of the row `l`, as one JSON array. */
const around = (table: PgTable & { readonly link: PgColumn }) =>
  sql`coalesce((select json_agg(row_to_json(${table})) from ${table} where ${table.link} = l.name), '[]')`;

export const ALL_OF_IT = sql`row_to_json(l) as link, ${around(cursors)} as cursors, ${around(groupPairs)} as groups,
  ${around(rejections)} as rejections, ${around(verdicts)} as verdicts`;

/** The link, made where there is none. */
export const openLink = async (db: Db, name: string): Promise<LinkState> => {
  const select = sql`select ${ALL_OF_IT} from ${links} as l where l.name = ${name}`;
  const { rows } = await db.do(async (orm) => {
    const found = await orm.execute<StoredLink>(select);
    if (found.rows.length > 0) return found;
    await orm.insert(links).values({ name, state: 'active' }).onConflictDoNothing();
    return orm.execute<StoredLink>(select);
  });
  if (rows[0] === undefined) throw new Error(`The row of the link ${name} is missing right after it was made.`);
  return linkOf(rows[0]);
};

export const readLinks = async (db: Db): Promise<readonly LinkState[]> => {
  const { rows } = await db.do((orm) =>
    orm.execute<StoredLink>(sql`select ${ALL_OF_IT} from ${links} as l order by l.name collate "C"`),
  );
  return rows.map(linkOf);
};

export const readShown = async (db: Db, link: string, side: Side): Promise<readonly string[]> => {
  const where = and(eq(shownPages.link, link), eq(shownPages.side, side));
  const rows = await db.do((orm) =>
    orm.select({ idsJson: shownPages.idsJson }).from(shownPages).where(where).orderBy(asc(shownPages.id)),
  );
  return rows.flatMap(({ idsJson }) => decodeIds(idsJson));
};

export const readBudget = async (db: Db, key: string): Promise<string | null> => {
  const rows = await db.do((orm) => orm.select().from(budgets).where(eq(budgets.key, key)));
  return rows[0]?.stateJson ?? null;
};

export const writeBudget = async (db: Db, key: string, stateJson: string): Promise<void> => {
  const set = { target: budgets.key, set: { stateJson } };
  await db.do((orm) => orm.insert(budgets).values({ key, stateJson }).onConflictDoUpdate(set));
};

/**
 * What PostgreSQL itself calls the server's data and the table in them, so that it is another one in a copy of the database.
 * A standby that takes over keeps it.
 */
export const readSharedId = async (db: Db): Promise<string> => {
  const { rows } = await db.do((orm) =>
    orm.execute<{ id: string }>(
      sql`select system_identifier || '-' || 'links'::regclass::oid as id from pg_control_system()`,
    ),
  );
  if (rows[0] === undefined) throw new Error('PostgreSQL did not report its server id.');
  return rows[0].id;
};
