import type { LinkState, NotificationState } from '../../core/state/rows.ts';
import type { SQL } from 'drizzle-orm';
import type { Side } from '../../core/contact/side.ts';
import { decodeIds } from '../codec.ts';
import { cursors, groupPairs, links, rejections, verdicts, type RowOf, type Table } from '../tables.ts';
import { toLink } from '../columns.ts';
import type { Dialect, Statements } from './dialect.ts';
import { sql } from './drizzle.ts';
import { all, columnsOf, first, valueOf, withBooleans, type Rows, type Step } from './step.ts';

const AROUND = { cursors, groupPairs, rejections, verdicts } as const;

/** Names of the statements that select links with the small rows that belong to them. */
export type LinkPart = 'links' | keyof typeof AROUND;

/** Selects one link, or all of them, with the small rows that belong to each. */
export const selectLinks = (name: string | null): Statements<LinkPart> => {
  const where = (column: string): SQL => (name === null ? sql`` : sql` where ${sql.raw(column)} = ${name}`);
  const around = (table: Table): SQL =>
    sql`select link, ${columnsOf(table)} from ${sql.raw(table.name)}${where('link')}`;
  return {
    links: sql`select ${columnsOf(links)} from links${where('name')}`,
    cursors: around(cursors),
    groupPairs: around(groupPairs),
    rejections: around(rejections),
    verdicts: around(verdicts),
  };
};

type OfLink = { readonly link: string };

/** The links in the rows that {@link selectLinks} selected. */
export const linksOf = (read: Readonly<Record<LinkPart, Rows>>): readonly LinkState[] => {
  const grouped = <Of extends Table>(table: Of, rows: Rows) => {
    const found = Map.groupBy(rows as unknown as readonly (RowOf<Of> & OfLink)[], ({ link }) => link);
    return (link: string): readonly RowOf<Of>[] =>
      withBooleans(
        table,
        (found.get(link) ?? []).map(({ link: _link, ...row }) => row as unknown as RowOf<Of>),
      );
  };
  const of = {
    cursors: grouped(cursors, read.cursors),
    groupPairs: grouped(groupPairs, read.groupPairs),
    rejections: grouped(rejections, read.rejections),
    verdicts: grouped(verdicts, read.verdicts),
  };
  return (read.links as unknown as readonly RowOf<typeof links>[]).map((link) =>
    toLink(link, {
      cursors: of.cursors(link.name),
      groupPairs: of.groupPairs(link.name),
      rejections: of.rejections(link.name),
      verdicts: of.verdicts(link.name),
    }),
  );
};

/** Adds the row of a link if it does not exist. */
export const insertLink = (name: string): SQL =>
  sql`insert into links (name, state) values (${name}, 'active') on conflict (name) do nothing`;

export const readShown = function* (link: string, side: Side): Step<readonly string[]> {
  const rows = yield* all<{ idsJson: string }>(
    sql`select ids_json as "idsJson" from shown_pages where link = ${link} and side = ${side} order by id`,
  );
  return rows.flatMap(({ idsJson }) => decodeIds(idsJson));
};

/** Replaces the notification state of a link if it equals `before`; returns whether it did. */
export const swapNotificationState = function* (
  link: string,
  before: NotificationState,
  after: NotificationState,
  attempt: number,
): Step<boolean> {
  yield insertLink(link);
  const equals = (state: NotificationState): SQL => sql`(told_trouble is not distinct from ${state.trouble}
    and failing_since_ms is not distinct from ${state.failingSinceMs})`;
  // An earlier attempt whose answer was lost may have replaced it.
  const isMeant = attempt > 1 ? sql`(${equals(before)} or ${equals(after)})` : equals(before);
  const swapped = yield* first(sql`update links set told_trouble = ${after.trouble},
    failing_since_ms = ${after.failingSinceMs}
    where name = ${link} and ${isMeant} returning name`);
  return swapped !== null;
};

export const readPausedByHand = (link: string): Step<number | null> =>
  valueOf(sql`select paused_by_hand_at_ms as value from links where name = ${link}`);

/** Pauses a link or resumes it with null; returns whether that changed anything. */
export const setPausedByHand = function* (link: string, atMs: number | null): Step<boolean> {
  yield insertLink(link);
  const isOther = atMs === null ? sql`paused_by_hand_at_ms is not null` : sql`paused_by_hand_at_ms is null`;
  const changed = yield* first(
    sql`update links set paused_by_hand_at_ms = ${atMs} where name = ${link} and ${isOther} returning name`,
  );
  return changed !== null;
};

/** Leases are much shorter. One that ends later was taken before the clock was set back. */
const LONGEST_LEASE_MS = 60_000;

/**
 * Acquires or renews a lease if it is free, expired or the owner's own; returns its token. The token is at least the time:
 * a link that was forgotten and is made again gets no token that it had before.
 */
export const takeLease = (
  dialect: Dialect,
  link: string,
  owner: string,
  nowMs: number,
  untilMs: number,
): Step<number | null> => {
  const now = dialect.leaseTime(nowMs);
  const next = sql`links.lease_token + 1`;
  return valueOf(sql`
    insert into links (name, state, lease_owner, lease_until_ms, lease_token)
    values (${link}, 'active', ${owner}, ${now} + cast(${untilMs - nowMs} as bigint),
      case when ${now} > 1 then ${now} else 1 end)
    on conflict (name) do update set
      lease_owner = excluded.lease_owner,
      lease_until_ms = excluded.lease_until_ms,
      lease_token = case when links.lease_owner = excluded.lease_owner then links.lease_token
        when excluded.lease_token > ${next} then excluded.lease_token else ${next} end
    where links.lease_owner is null or links.lease_owner = excluded.lease_owner or links.lease_until_ms <= ${now}
      or links.lease_until_ms > ${now} + cast(${LONGEST_LEASE_MS} as bigint)
    returning lease_token as value`);
};

export const readOwner = (link: string): Step<string | null> =>
  valueOf(sql`select lease_owner as value from links where name = ${link}`);

export const dropLease = (link: string, owner: string): SQL =>
  sql`update links set lease_owner = null, lease_until_ms = null where name = ${link} and lease_owner = ${owner}`;

export const readBudget = (key: string): Step<string | null> =>
  valueOf(sql`select state_json as value from budgets where key = ${key}`);

export const writeBudget = (key: string, stateJson: string): SQL =>
  sql`insert into budgets (key, state_json) values (${key}, ${stateJson})
    on conflict (key) do update set state_json = excluded.state_json`;
