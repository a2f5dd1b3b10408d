import type { App } from '../../app/app.ts';
import type { LinkProgress } from '../../app/heartbeat.ts';
import { SIDES, bySide, inWordsOf } from '../../core/contact/side.ts';
import { idsText } from '../../core/view/values.ts';
import type { Run } from '../../core/view/views.ts';
import { count, formatAge, formatEstimate, grouped, progressWords, shortRun } from '../../core/view/words.ts';
import { bySeverity, countNotSynced, headlineOf, isTroubled } from '../../daemon/links/headline.ts';
import { readLinkStatuses, type LinkStatus } from '../../daemon/links/link-status.ts';
import type { LinkRecord } from '../../engine/history/link-record.ts';
import { CredentialsError } from '../../store/store.ts';
import { isoOf, systemClock } from '../../util/clock.ts';
import { EXIT, type ExitCode } from '../command/exit-codes.ts';
import { actionOf, examples, JSON_OPTION, withLinks, type Define, type ListOptions } from '../command/options.ts';
import { withApp, type CommonOptions } from '../command/with-app.ts';
import { formatTable, formatTime, NAME_COLUMNS, shorten } from '../terminal/layout.ts';
import type { Terminal } from '../terminal/terminal.ts';

const ROWS_SHOWN = 20;

/** A line of a status: its name and text. A text that is null is not shown. */
type Fact = readonly [name: string, text: string | null];

/** The wait until a time; work that is due starts with the next run. */
const whenDue = (atMs: number, nowMs: number): string =>
  atMs <= nowMs ? 'with the next run' : `in about ${formatEstimate(atMs - nowMs)}`;

/** The time of the next listing that finds deletions at a side whose change feed does not report them. */
const sweepFacts = ({ sides, sweepAtMs, nextRunAtMs }: LinkStatus, nowMs: number): readonly Fact[] =>
  SIDES.flatMap((side): readonly Fact[] => {
    const atMs = sweepAtMs[side];
    if (atMs === null) return [];
    // Without a daemon, no run is scheduled.
    const isScheduled = nextRunAtMs !== null || atMs <= nowMs;
    const when = isScheduled ? whenDue(atMs, nowMs) : `with a run after ${formatTime(atMs)}`;
    return [['deletions', `at ${sides[side].place}: found by a full listing, ${when}`]];
  });

const factsOf = (status: LinkStatus, nowMs: number): readonly Fact[] => {
  const { link, sides, underWay, lastRun, nextRunAtMs, failures, readAtMs, unselected, alone } = status;
  const outcome = lastRun && `${lastRun.kind}, ${lastRun.outcome}, ${formatAge(lastRun.endedAtMs, nowMs)}`;
  const unselectedAt = SIDES.filter((side) => unselected[side] > 0).map(
    (side) => `${grouped(unselected[side])} at ${sides[side].place}`,
  );
  const unsynced = countNotSynced(status);
  const conflicts = `${status.openConflicts} open (contact-sync conflicts ${link})`;
  return [
    ['running', underWay && progressWords(underWay)],
    ['last run', outcome ?? 'never'],
    ['next run', nextRunAtMs === null ? null : `in about ${formatEstimate(nextRunAtMs - nowMs)}`],
    [
      'failures',
      failures === 0 ? null : `${failures} in a row, last success ${formatAge(status.lastSuccessAtMs, nowMs)}`,
    ],
    ['last read', SIDES.map((side) => `${sides[side].title} ${formatAge(readAtMs[side], nowMs)}`).join(', ')],
    ...sweepFacts(status, nowMs),
    ['pairs', grouped(status.pairs)],
    ['not selected', unselectedAt.join(', ') || null],
    ['conflicts', status.openConflicts === 0 ? 'none open' : conflicts],
    ['not synced', unsynced === 0 ? 'none' : count(unsynced, 'contact')],
    ['one side only', alone.length === 0 ? null : count(alone.length, 'contact')],
  ];
};

/** The first contacts of a list as a table below a heading. */
const contactRows = <Each>(
  heading: string,
  contacts: readonly Each[],
  rowOf: (contact: Each) => readonly string[],
): readonly string[] => {
  const rows = contacts.slice(0, ROWS_SHOWN).map(rowOf);
  const hidden = contacts.length - rows.length;
  const more = hidden > 0 ? [`    ... and ${hidden} more (--json lists all)`] : [];
  return rows.length === 0 ? [] : [`  ${heading}:`, formatTable(rows, { indent: '    ' }), ...more];
};

/** Contacts that are not synced, with name, ids, reason, and the next attempt of a refused write. */
const unsyncedLines = ({ sides, refused, skipped }: LinkStatus, nowMs: number): readonly string[] => {
  const all: readonly (LinkRecord['skipped'][number] & { readonly retryAtMs?: number })[] = [...refused, ...skipped];
  return contactRows('not synced', all, ({ side, name, reason, retryAtMs, ...ids }) => {
    const contact = name === null ? idsText(ids) : `${shorten(name, NAME_COLUMNS)} (${idsText(ids)})`;
    const next = retryAtMs === undefined ? [] : [`next attempt ${whenDue(retryAtMs, nowMs)}`];
    return [sides[side].title, contact, reason, ...next];
  });
};

/** Contacts that exist on one side only, and how to link them again. */
const aloneLines = ({ sides, alone }: LinkStatus): readonly string[] => {
  if (alone.length === 0) return [];
  const undos = [...new Set(alone.flatMap(({ undoRun }) => undoRun ?? []))];
  return [
    ...contactRows('one side only', alone, ({ side, name, undoRun, ...ids }) => [
      sides[side].title,
      name === null ? idsText(ids) : shorten(name, NAME_COLUMNS),
      undoRun === null ? '' : `since undo ${shortRun(undoRun)}`,
    ]),
    '    To link a contact again, create one with the same name and address on the other side.',
    ...undos.map((run) => `    To revert the undo ${shortRun(run)}: contact-sync undo ${shortRun(run)}`),
  ];
};

/** A link with stored data that is missing from the configuration. */
const formatLeftBehind = (link: string): string =>
  `${link}: not in the configuration, but its contacts, history or tokens are still stored. ` +
  `Add it again, or delete them: contact-sync forget ${link}`;

const COLOURS = { good: 'green', info: 'dim', warn: 'yellow', bad: 'red' } as const;

/** The status of a link, for people. */
export const formatStatus = (status: LinkStatus, nowMs: number, terminal: Pick<Terminal, 'style'>): string => {
  const { link, reason, pausedByHandAtMs, underWay } = status;
  const { severity, text } = headlineOf({ ...status, isRunning: underWay !== null });
  const facts = factsOf(status, nowMs).flatMap(([name, fact]) => (fact === null ? [] : [[name, fact]]));
  const resume = `Resume with: contact-sync resume ${link}`;
  return [
    `${terminal.style('bold', link)}: ${terminal.style(COLOURS[severity], text)}`,
    // The reason is of an earlier run, until the current one ends.
    ...(reason === null || underWay !== null ? [] : [`  ${reason}`]),
    ...(pausedByHandAtMs === null ? [] : [`  Paused by hand ${formatAge(pausedByHandAtMs, nowMs)}. ${resume}`]),
    formatTable(facts, { indent: '  ' }),
    ...unsyncedLines(status, nowMs),
    ...aloneLines(status),
  ].join('\n');
};

const progressToJson = ({ link: _link, ...progress }: LinkProgress) => progress;

/** A stopped run has the outcome `failed` here, and the mark `stopped`. */
const lastRunToJson = ({ id, kind, outcome, endedAtMs }: Run) => ({
  run: id,
  kind,
  outcome: outcome === 'stopped' ? 'failed' : outcome,
  ...(outcome === 'stopped' && { stopped: true }),
  endedAt: isoOf(endedAtMs),
});

/** The status in the documented JSON format, with the names of the sides. */
const toJson = (status: LinkStatus): unknown =>
  inWordsOf(status.sides, {
    link: status.link,
    state: status.state,
    reason: status.reason,
    pausedByHandAt: isoOf(status.pausedByHandAtMs),
    pairs: status.pairs,
    openConflicts: status.openConflicts,
    rejected: status.refused.map(({ side, leftId, rightId, reason, name, attempts, retryAtMs }) => {
      return { side, leftId, rightId, reason, name, attempts, retryAt: isoOf(retryAtMs) };
    }),
    skipped: status.skipped,
    unpaired: status.alone,
    unselected: status.unselected,
    lastRun: status.lastRun && lastRunToJson(status.lastRun),
    lastSuccessAt: isoOf(status.lastSuccessAtMs),
    failures: status.failures,
    nextRunAt: isoOf(status.nextRunAtMs),
    sweepAt: bySide((side) => isoOf(status.sweepAtMs[side])),
    ...(status.underWay && { underWay: progressToJson(status.underWay) }),
    cursors: bySide((side) => isoOf(status.readAtMs[side])),
  });

/** The links with stored data that are missing from the configuration. */
const findLeftBehind = async ({ config, store, vault }: App): Promise<readonly string[]> => {
  const configured = new Set([...config.links, ...config.faultyLinks].map(({ name }) => name));
  const tokens = await vault.names().catch((error: unknown) => {
    // A damaged file is reported when a token is read from it.
    if (error instanceof CredentialsError) return [];
    throw error;
  });
  const stored = [...(await store.links()).map(({ name }) => name), ...tokens.map(({ link }) => link)];
  return [...new Set(stored)].filter((name) => !configured.has(name)).toSorted();
};

/** Up to this many links are all shown in full. */
const LINKS_SHOWN = 10;

/**
 * The statuses of several links, for people. Of many links, those that need nothing are only counted unless `all` is set, and the
 * others are shown after a summary, the most severe first.
 */
export const formatStatuses = (
  statuses: readonly LinkStatus[],
  { nowMs, all }: { readonly nowMs: number; readonly all: boolean },
  terminal: Pick<Terminal, 'style'>,
): readonly string[] => {
  if (statuses.length <= LINKS_SHOWN) return statuses.map((one) => formatStatus(one, nowMs, terminal));
  const ranked = statuses
    .map((one) => ({ one, headline: headlineOf({ ...one, isRunning: one.underWay !== null }) }))
    .toSorted((one, other) => bySeverity(one.headline.severity, other.headline.severity));
  const counts = [...Map.groupBy(ranked, ({ headline }) => headline.group ?? headline.text)].map(
    ([text, links]) => `${grouped(links.length)} ${text}`,
  );
  const shown = ranked.filter(({ headline }) => all || isTroubled(headline.severity));
  const hidden = ranked.length - shown.length;
  return [
    `${terminal.style('bold', count(statuses.length, 'link'))}: ${counts.join('; ')}`,
    ...shown.map(({ one }) => formatStatus(one, nowMs, terminal)),
    ...(hidden === 0 ? [] : [`${count(hidden, 'link')} without a problem: contact-sync status --all shows them.`]),
  ];
};

type StatusOptions = CommonOptions & ListOptions;

/** `status [LINK]`: prints the state of each link, from the store. */
const status = (terminal: Terminal, linkName: string | undefined, options: StatusOptions): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async ({ app, links }) => {
    const statuses = await readLinkStatuses(app, links, systemClock.now());
    const leftBehind = linkName === undefined ? await findLeftBehind(app) : [];
    if (options.json) {
      const unconfigured = leftBehind.length === 0 ? {} : { unconfigured: leftBehind };
      terminal.print(JSON.stringify({ links: statuses.map(toJson), ...unconfigured }));
    } else {
      const parts = formatStatuses(statuses, { nowMs: systemClock.now(), all: options.all ?? false }, terminal);
      terminal.print([...parts, ...leftBehind.map(formatLeftBehind)].join('\n\n'));
    }
    return EXIT.done;
  });

/** Defines `status`. */
export const define: Define = (command, call) => {
  withLinks(command)
    .option(...JSON_OPTION)
    .option('--all', 'show every link, also if there are many')
    .addHelpText('after', examples('status', 'status work --json'))
    .action(actionOf(call, { links: [] }, status));
};
