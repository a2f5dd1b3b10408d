import { SIDES } from '../contact/side.ts';
import { describeIds } from './command-events.ts';
import type { Skipped } from '../history/link-record.ts';
import type { LinkStatus } from '../jobs/link-status.ts';
import { formatTable } from './table.ts';
import type { Terminal } from './terminal.ts';
import { count, formatAge, formatDuration, formatEstimate, grouped } from '../view/words.ts';

const ROWS_SHOWN = 20;

const lastRunText = ({ lastRun }: LinkStatus, nowMs: number): string =>
  lastRun === null ? 'never' : `${lastRun.kind}, ${lastRun.outcome}, ${formatAge(lastRun.endedAtMs, nowMs)}`;

/** When the link is run next, and for how long it has not worked; nothing where neither is to be told. */
const courseFacts = ({ nextRunAtMs, failures, lastSuccessAtMs }: LinkStatus, nowMs: number): [string, string][] => [
  ...(nextRunAtMs === null
    ? []
    : [['next run', `in about ${formatEstimate(nextRunAtMs - nowMs)}`] as [string, string]]),
  ...(failures === 0
    ? []
    : [['failures', `${failures} in a row, last success ${formatAge(lastSuccessAtMs, nowMs)}`] as [string, string]]),
];

/** How far the run is that a daemon has under way; nothing where none is. */
const progressFacts = ({ underWay }: LinkStatus): [string, string][] => {
  if (underWay === null) return [];
  const { listed, planned, written, leftMs } = underWay;
  if (planned === null) return [['under way', `reading, ${count(listed, 'contact')} so far`]];
  const left = leftMs === null ? '' : `, about ${formatEstimate(leftMs)} left`;
  return [['under way', `${grouped(written)} of ${count(planned, 'write')} done${left}`]];
};

/** A line for each side that has a budget to show. */
const budgetFacts = ({ sides, budget, isConnected }: LinkStatus): [string, string][] => {
  const facts = SIDES.flatMap((side): [string, string][] => {
    const own = budget[side];
    if (own === null) return [];
    const wait = own.resetMs > 0 ? `, all of them in ${formatDuration(own.resetMs)}` : '';
    const free = `${own.remaining} of ${count(own.limit.requests, 'request')} free`;
    return [['rate budget', `${free} at ${sides[side].place}${wait}`]];
  });
  return facts.length > 0 || isConnected ? facts : [['rate budget', 'unknown without a token']];
};

/** Contacts with what keeps them back; a name stands beside the ids where it is known. */
const heldLines = (
  sides: LinkStatus['sides'],
  held: readonly Pick<Skipped, 'side' | 'leftId' | 'rightId' | 'name' | 'reason'>[],
): readonly string[] => {
  const rows = held.slice(0, ROWS_SHOWN).map(({ side, name, reason, ...ids }) => {
    const who = name === null ? describeIds(ids) : `${name} (${describeIds(ids)})`;
    return [sides[side].title, who, reason];
  });
  const hidden = held.length - rows.length;
  const more = hidden > 0 ? [`    ... and ${hidden} more (--json has them all)`] : [];
  return rows.length === 0 ? [] : [formatTable(rows, { indent: '    ' }), ...more];
};

/** Contacts that stand at one side only, and how to link them again. */
const aloneLines = ({ sides, alone }: LinkStatus): readonly string[] => {
  if (alone.length === 0) return [];
  const rows = alone
    .slice(0, ROWS_SHOWN)
    .map(({ side, name, undoRun, ...ids }) => [
      sides[side].title,
      name ?? describeIds(ids),
      undoRun === null ? '' : `since the undo ${undoRun}`,
    ]);
  const hidden = alone.length - rows.length;
  return [
    formatTable(rows, { indent: '    ' }),
    ...(hidden > 0 ? [`    ... and ${hidden} more (--json has them all)`] : []),
    '    To link one again, make a contact of the same name and address at the other side,',
    '    or undo the undo: contact-sync undo RUN',
  ];
};

/** A link of which something is stored although the configuration does not have it. */
export const formatLeftBehind = (link: string): string =>
  `${link}: not in the configuration, but its contacts, history or tokens are still stored here. ` +
  `Put it back, or remove them: contact-sync forget link ${link}`;

/** How a link stands, for people. */
export const formatStatus = (status: LinkStatus, nowMs: number, terminal: Pick<Terminal, 'style'>): string => {
  const { link, sides, state, reason, pairs, openConflicts, refused, skipped, alone, readAtMs } = status;
  const colour = { active: 'green', paused: 'red', halted: 'yellow', failing: 'red' } as const;
  const title = `${terminal.style('bold', link)}: ${terminal.style(colour[state], state)}`;
  const read = SIDES.map((side) => `${sides[side].title} ${formatAge(readAtMs[side], nowMs)}`);
  const facts: [string, string][] = [
    ...progressFacts(status),
    ['last run', lastRunText(status, nowMs)],
    ...courseFacts(status, nowMs),
    ['last read', read.join(', ')],
    ['pairs', grouped(pairs)],
    ['conflicts', openConflicts === 0 ? 'none open' : `${openConflicts} open (contact-sync conflicts ${link})`],
    ...budgetFacts(status),
    ['refused', refused.length === 0 ? 'none' : count(refused.length, 'contact')],
  ];
  const section = (name: string, contacts: number, what: string): readonly string[] =>
    contacts === 0 ? [] : [formatTable([[name, count(contacts, 'contact') + what]], { indent: '  ' })];
  const lines = reason === null ? [title] : [title, `  ${reason}`];
  return [
    ...lines,
    formatTable(facts, { indent: '  ' }),
    ...heldLines(sides, refused),
    ...section('skipped', skipped.length, ''),
    ...heldLines(sides, skipped),
    ...section('unpaired', alone.length, ' at one side only'),
    ...aloneLines(status),
  ].join('\n');
};
