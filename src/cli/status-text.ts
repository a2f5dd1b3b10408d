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

const clockHour = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** Hours that follow each other as one span: `08:00-12:00`. */
const formatHours = (hours: readonly number[]): string => {
  const first = hours.filter((hour) => !hours.includes(hour - 1));
  const last = hours.filter((hour) => !hours.includes(hour + 1));
  return first.map((hour, index) => `${clockHour(hour)}-${clockHour((last[index] ?? hour) + 1)}`).join(', ');
};

/** How often the link is looked at where that follows the changes, and why; nothing where it is fixed. */
const paceFacts = ({ pace }: LinkStatus, nowMs: number): [string, string][] => {
  if (pace === null) return [];
  const { everyMs, lastChangeAtMs, workingHours } = pace;
  const change = lastChangeAtMs === null ? 'no change yet' : `last change ${formatAge(lastChangeAtMs, nowMs)}`;
  const busy = workingHours.length === 0 ? 'not known yet' : `${formatHours(workingHours)} UTC`;
  return [
    ['looked at', `every ${formatEstimate(everyMs)} (${change})`],
    ['busy hours', busy],
  ];
};

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

/** Pairs that are set apart. */
const setApartLines = ({ setApart }: LinkStatus): readonly string[] => {
  const rows = setApart.slice(0, ROWS_SHOWN).map(({ name, ...ids }) => [name ?? describeIds(ids)]);
  const hidden = setApart.length - rows.length;
  return [
    ...(rows.length === 0 ? [] : [formatTable(rows, { indent: '    ' })]),
    ...(hidden > 0 ? [`    ... and ${hidden} more (--json has them all)`] : []),
  ];
};

/** How many contacts of no pair take no part; nothing where all do. */
const unselectedFacts = ({ sides, unselected }: LinkStatus): [string, string][] => {
  const parts = SIDES.filter((side) => unselected[side] > 0).map(
    (side) => `${grouped(unselected[side])} at ${sides[side].place}`,
  );
  return parts.length === 0 ? [] : [['not selected', parts.join(', ')]];
};

/** A link of which something is stored although the configuration does not have it. */
export const formatLeftBehind = (link: string): string =>
  `${link}: not in the configuration, but its contacts, history or tokens are still stored here. ` +
  `Put it back, or remove them: contact-sync forget link ${link}`;

/** That a person has paused the link, and how it goes on. */
const pauseLines = ({ link, pausedByHandAtMs }: LinkStatus, nowMs: number): readonly string[] =>
  pausedByHandAtMs === null
    ? []
    : [`  Paused by hand ${formatAge(pausedByHandAtMs, nowMs)}. Let it go on with: contact-sync resume ${link}`];

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
    ...paceFacts(status, nowMs),
    ['last read', read.join(', ')],
    ['pairs', grouped(pairs)],
    ...unselectedFacts(status),
    ['conflicts', openConflicts === 0 ? 'none open' : `${openConflicts} open (contact-sync conflicts ${link})`],
    ...budgetFacts(status),
    ['refused', refused.length === 0 ? 'none' : count(refused.length, 'contact')],
  ];
  const section = (name: string, contacts: number, what: string): readonly string[] =>
    contacts === 0 ? [] : [formatTable([[name, count(contacts, 'contact') + what]], { indent: '  ' })];
  const lines = [title, ...(reason === null ? [] : [`  ${reason}`]), ...pauseLines(status, nowMs)];
  return [
    ...lines,
    formatTable(facts, { indent: '  ' }),
    ...heldLines(sides, refused),
    ...section('skipped', skipped.length, ''),
    ...heldLines(sides, skipped),
    ...section('unpaired', alone.length, ' at one side only'),
    ...aloneLines(status),
    ...section('set apart', status.setApart.length, ' that no side selects any longer'),
    ...setApartLines(status),
  ].join('\n');
};
