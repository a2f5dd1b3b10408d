import type { SQL } from 'drizzle-orm';
import type { PruneOperations } from './operations.ts';
import { PRUNED_AT_ONCE } from '../store.ts';
import type { Dialect } from './dialect.ts';
import { sql } from './drizzle.ts';

/**
 * Deletes rows of things that ended before a time. Runs that end in the same commit are kept, and count as ended
 * whether their rows say so yet or not.
 */
export const pruneOperations =
  (dialect: Dialect): PruneOperations =>
  (link, beforeMs, ended) => {
    const id = dialect.byBytes(sql`id`);
    const isOneOf = (ids: readonly string[]): SQL => dialect.isOneOf(sql`id`, ids);
    const latest = (isMeant: SQL, also: readonly string[]): SQL => sql`coalesce((select id from runs
      where link = ${link} and (${isMeant} or ${isOneOf(also)}) order by started_at_ms desc, ${id} desc limit 1), '')`;
    const all = ended.map((run) => run.id);
    const completed = ended.filter(({ outcome }) => outcome === 'completed').map((run) => run.id);
    const over = sql`(select id from runs where link = ${link} and started_at_ms < ${beforeMs} and ended_at_ms < ${beforeMs}
      and not ${isOneOf(all)} and id not in (select run from journal where link = ${link} and state = 'intended')
      order by started_at_ms, ${id} limit ${PRUNED_AT_ONCE})`;
    const isLatest = sql`id in (${latest(sql`outcome <> 'running'`, all)}, ${latest(sql`outcome = 'completed'`, completed)})`;
    const settled = sql`winner is not null and decided is null and at_ms < ${beforeMs}`;
    return [
      { op: 'sweep', table: 'journal', condition: sql`run in ${over}` },
      { op: 'sweep', table: 'runs', condition: sql`id in ${over} and not ${isLatest}` },
      {
        op: 'sweep',
        table: 'conflicts',
        condition: sql`(ended_at_ms < ${beforeMs} or (${settled}))`,
      },
      { op: 'sweep', table: 'rejections', condition: sql`retry_at_ms < ${beforeMs}` },
    ];
  };
