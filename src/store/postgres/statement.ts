import type { SQL } from 'drizzle-orm';
import { PRUNED_AT_ONCE } from '../store.ts';
import type { Deed, Stage } from './batch.ts';
import { sql } from './drizzle.ts';
import { arrayOf, changeRows, dropRows, putRows, type Pass, type Row } from './parts.ts';
import { links, TABLES } from './schema.ts';

const { conflicts, cursors, groupPairs, halves, journal, pairs, rejections, runs, shownPages, verdicts } = TABLES;

type Write = (link: string, rows: readonly Row[], pass: Pass) => readonly SQL[];

/** One part for all rows of a deed. */
const one =
  (part: (link: string, rows: readonly Row[], pass: Pass) => SQL): Write =>
  (link, rows, pass) => [part(link, rows, pass)];

const ids = (rows: readonly Row[], isMeant: (row: Row) => boolean): SQL =>
  arrayOf(
    rows.filter(isMeant).map(({ id }) => String(id)),
    'text',
  );

const addRuns: Write = (link, rows, pass) => {
  const [{ reasonOfOthers, startedAtMs } = { reasonOfOthers: null, startedAtMs: 0 }] = rows;
  const begun = rows.map(({ reasonOfOthers: _reason, ...row }) => ({
    ...row,
    outcome: 'running',
    reason: null,
    endedAtMs: null,
  }));
  return [
    sql`update ${runs} set outcome = 'failed', reason = ${reasonOfOthers}, ended_at_ms = ${startedAtMs}
      where ${runs.link} = ${link} and ${runs.outcome} = 'running' and not ${runs.id} = any(${ids(rows, () => true)})
      and ${pass}`,
    putRows(runs, link, begun, ['id'], pass),
  ];
};

/** The latest run of those whose outcome is meant; runs that end in the same statement are not seen to have ended. */
const latestRun = (link: string, isMeant: SQL, alsoIds: SQL): SQL =>
  sql`(select id from ${runs} where ${runs.link} = ${link} and (${isMeant} or ${runs.id} = any(${alsoIds}))
    order by ${runs.startedAtMs} desc, ${runs.id} collate "C" desc limit 1)`;

type Part = readonly [name: string, part: SQL];

/** Drops what is over since before then; `ended` are the runs that end in the same statement. */
const pruneParts = (link: string, beforeMs: unknown, ended: readonly Row[], pass: Pass): readonly Part[] => {
  const all = ids(ended, () => true);
  const completed = ids(ended, ({ outcome }) => outcome === 'completed');
  const open = sql`select ${journal.run} from ${journal} where ${journal.link} = ${link} and ${journal.state} = 'intended'`;
  const over = sql`select ${runs.id} from ${runs} where ${runs.link} = ${link} and ${runs.startedAtMs} < ${beforeMs}
    and ${runs.endedAtMs} < ${beforeMs} and not ${runs.id} = any(${all}) and ${runs.id} not in (${open})
    order by ${runs.startedAtMs}, ${runs.id} collate "C" limit ${PRUNED_AT_ONCE}`;
  const isOver = sql`in (select id from over_runs)`;
  return [
    ['over_runs', over],
    [
      'over_entries',
      sql`delete from ${journal} where ${journal.link} = ${link} and ${journal.run} ${isOver} and ${pass}`,
    ],
    [
      'pruned_runs',
      sql`delete from ${runs} where ${runs.link} = ${link} and ${runs.id} ${isOver}
        and ${runs.id} is distinct from ${latestRun(link, sql`${runs.outcome} <> 'running'`, all)}
        and ${runs.id} is distinct from ${latestRun(link, sql`${runs.outcome} = 'completed'`, completed)} and ${pass}`,
    ],
    [
      'over_conflicts',
      sql`delete from ${conflicts} where ${conflicts.link} = ${link} and (${conflicts.resolvedAtMs} < ${beforeMs}
        or (${conflicts.review} = 'dismissed' and ${conflicts.reviewedAtMs} < ${beforeMs})) and ${pass}`,
    ],
    [
      'over_rejections',
      sql`delete from ${rejections}
        where ${rejections.link} = ${link} and ${rejections.retryAtMs} < ${beforeMs} and ${pass}`,
    ],
  ];
};

const BLANK = sql`intent_json = u.intent_json, pair_id = null, left_id = null, right_id = null, before_json = null,
  after_json = null, error = null`;

const REASON = sql`reason = u.reason, summary_json =
  jsonb_set(replace(summary_json, '\\u0000', '\\ufffd')::jsonb, '{reason}', coalesce(to_jsonb(u.reason), 'null'::jsonb), false)::text`;

/** The SQL of each deed but `prune`, which depends on what else is done. */
const WRITES: Record<Exclude<Deed, 'prune'>, Write> = {
  'add-pair': one((link, rows, pass) => putRows(pairs, link, rows, ['id'], pass)),
  'put-pair': one((link, rows, pass) => putRows(pairs, link, rows, ['id'], pass)),
  'drop-pair': one((link, rows, pass) => dropRows(pairs, link, rows, pass)),
  'put-half': one((link, rows, pass) => putRows(halves, link, rows, ['side', 'id'], pass)),
  'drop-half': one((link, rows, pass) => dropRows(halves, link, rows, pass)),
  'put-cursor': one((link, rows, pass) => putRows(cursors, link, rows, ['side'], pass)),
  'add-shown': one((link, rows, pass) => putRows(shownPages, link, rows, ['id'], pass)),
  'drop-shown': one((link, rows, pass) => dropRows(shownPages, link, rows, pass)),
  'add-entry': one((link, rows, pass) => putRows(journal, link, rows, ['id'], pass)),
  'settle-entry': one((link, rows, pass) =>
    changeRows(journal, link, rows, ['id'], { where: sql`${journal.state} = 'intended'`, pass }),
  ),
  'drop-entry': one((link, rows, pass) => dropRows(journal, link, rows, pass)),
  'blank-entry': one((link, rows, pass) => changeRows(journal, link, rows, ['id'], { set: BLANK, pass })),
  'put-group-pair': one((link, rows, pass) => putRows(groupPairs, link, rows, ['key'], pass)),
  'drop-group-pair': one((link, rows, pass) => dropRows(groupPairs, link, rows, pass)),
  'add-conflict': one((link, rows, pass) => putRows(conflicts, link, rows, ['id'], pass)),
  'resolve-conflict': one((link, rows, pass) =>
    changeRows(conflicts, link, rows, ['leftId', 'field'], { where: sql`${conflicts.resolvedAtMs} is null`, pass }),
  ),
  'review-conflict': one((link, rows, pass) =>
    changeRows(conflicts, link, rows, ['leftId', 'field'], { where: sql`${conflicts.resolvedAtMs} is null`, pass }),
  ),
  'drop-conflict': one((link, rows, pass) => dropRows(conflicts, link, rows, pass)),
  'put-rejection': one((link, rows, pass) => putRows(rejections, link, rows, ['side', 'key'], pass)),
  'drop-rejection': one((link, rows, pass) => dropRows(rejections, link, rows, pass)),
  'put-verdict': one((link, rows, pass) => putRows(verdicts, link, rows, ['leftId', 'rightId'], pass)),
  'drop-verdict': one((link, rows, pass) => dropRows(verdicts, link, rows, pass)),
  'add-run': addRuns,
  'end-run': one((link, rows, pass) => changeRows(runs, link, rows, ['id'], { pass })),
  'set-reason': one((link, rows, pass) => changeRows(runs, link, rows, ['id'], { set: REASON, pass })),
  clear: (link, rows, pass) =>
    rows.map(({ table }) => {
      const cleared = TABLES[table as keyof typeof TABLES];
      return sql`delete from ${cleared} where ${cleared.link} = ${link} and ${pass}`;
    }),
  'drop-link': one((link, _, pass) => sql`delete from ${links} where ${links.name} = ${link} and ${pass}`),
};

/** The parts of a statement, each to be named so in its `with`. */
export const partsOf = (link: string, { deeds }: Stage, pass: Pass): readonly Part[] => {
  const ended = [...(deeds.get('end-run')?.values() ?? [])];
  return [...deeds].flatMap(([deed, named], index): readonly Part[] => {
    const rows = [...named.values()];
    if (deed === 'prune') return pruneParts(link, rows[0]?.['beforeMs'], ended, pass);
    return WRITES[deed](link, rows, pass).map((part, nth) => [`part_${index}_${nth}`, part]);
  });
};
