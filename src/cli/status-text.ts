import { describeIds } from './command-events.ts';
import type { LinkStatus } from './status.ts';
import { formatTable } from './table.ts';
import type { Terminal } from './terminal.ts';
import { count, formatAge, formatDuration, grouped, SIDE_TITLES } from './words.ts';

const REJECTED_SHOWN = 20;

const lastRunText = ({ lastRun }: LinkStatus, nowMs: number): string =>
  lastRun === null ? 'never' : `${lastRun.kind}, ${lastRun.outcome}, ${formatAge(lastRun.endedAtMs, nowMs)}`;

const budgetText = ({ budget }: LinkStatus): string => {
  if (budget === null) return 'unknown without a token';
  const { remaining, limit, resetMs } = budget;
  const wait = resetMs > 0 ? `, all of them in ${formatDuration(resetMs)}` : '';
  return `${remaining} of ${count(limit.requests, 'request')} free at the service${wait}`;
};

const rejectedLines = ({ rejected }: LinkStatus): readonly string[] => {
  const rows = rejected
    .slice(0, REJECTED_SHOWN)
    .map((entry) => [SIDE_TITLES[entry.side], describeIds(entry), entry.reason]);
  const hidden = rejected.length - rows.length;
  const more = hidden > 0 ? [`    ... and ${hidden} more (--json has them all)`] : [];
  return rows.length === 0 ? [] : [formatTable(rows, { indent: '    ' }), ...more];
};

/** How a link stands, for people. */
export const formatStatus = (status: LinkStatus, nowMs: number, terminal: Pick<Terminal, 'style'>): string => {
  const { link, state, reason, pairs, openConflicts, rejected, readAtMs } = status;
  const colour = { active: 'green', paused: 'red', halted: 'yellow', failing: 'red' } as const;
  const title = `${terminal.style('bold', link)}: ${terminal.style(colour[state], state)}`;
  const read = (['google', 'service'] as const).map((side) => {
    return `${SIDE_TITLES[side]} ${formatAge(readAtMs[side], nowMs)}`;
  });
  const facts: [string, string][] = [
    ['last run', lastRunText(status, nowMs)],
    ['last read', read.join(', ')],
    ['pairs', grouped(pairs)],
    ['conflicts', openConflicts === 0 ? 'none open' : `${openConflicts} open (contact-sync conflicts ${link})`],
    ['rate budget', budgetText(status)],
    ['refused', rejected.length === 0 ? 'none' : count(rejected.length, 'contact')],
  ];
  const lines = reason === null ? [title] : [title, `  ${reason}`];
  return [...lines, formatTable(facts, { indent: '  ' }), ...rejectedLines(status)].join('\n');
};
