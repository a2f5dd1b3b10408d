import type { SQL } from 'drizzle-orm';
import type { RowOperation } from './operations.ts';
import { PRUNED_AT_ONCE } from '../store.ts';
import type { Dialect } from './dialect.ts';
import { sql } from './drizzle.ts';

/** Returns the operations that delete rows of things that ended before a time. */
export const pruneOperations = (dialect: Dialect, link: string, beforeMs: number): readonly RowOperation[] => {
  const id = dialect.byBytes(sql`id`);
  const latest = (isMeant: SQL): SQL => sql`coalesce((select id from runs
    where link = ${link} and ${isMeant} order by started_at_ms desc, ${id} desc limit 1), '')`;
  const over = sql`(select id from runs where link = ${link} and started_at_ms < ${beforeMs} and ended_at_ms < ${beforeMs}
    and id not in (select run from journal where link = ${link} and state = 'intended')
    order by started_at_ms, ${id} limit ${PRUNED_AT_ONCE})`;
  const isLatest = sql`id in (${latest(sql`outcome <> 'running'`)}, ${latest(sql`outcome = 'completed'`)})`;
  const settled = sql`winner is not null and decided is null and at_ms < ${beforeMs}`;
  return [
    { op: 'sweep', table: 'journal', condition: sql`run in ${over}` },
    { op: 'sweep', table: 'runs', condition: sql`id in ${over} and not ${isLatest}` },
    { op: 'sweep', table: 'conflicts', condition: sql`(ended_at_ms < ${beforeMs} or (${settled}))` },
    { op: 'sweep', table: 'rejections', condition: sql`retry_at_ms < ${beforeMs}` },
  ];
};
