import { html } from 'hono/html';
import { SIDES } from '../../contact/side.ts';
import type { LinkStatus } from '../../jobs/link-status.ts';
import type { Run } from '../../view/views.ts';
import { haltWords } from '../../view/halt-words.ts';
import { count, formatDuration, grouped } from '../../view/words.ts';
import type { Desk, Progress } from '../desk.ts';
import { agoTag, button, page, table, timeTag, type Html, type PageContext } from '../layout.ts';
import { linkPath, navOf, runPath } from '../paths.ts';
import { facts, liveSection } from './parts.ts';

/** A link with the data of its pages. */
export type LinkView = {
  readonly status: LinkStatus;
  /** The newest first. */
  readonly runs: readonly Run[];
  readonly progress: Progress | null;
};

const CHART = { width: 400, height: 48, bar: 8, gap: 2 };

/** How many contacts a run wrote. */
const wroteCount = ({ wrote }: Run): number =>
  wrote === null
    ? 0
    : SIDES.reduce((sum, side) => sum + wrote[side].created + wrote[side].updated + wrote[side].deleted, 0);

/** The run history as bars, oldest first. The height is the number of writes on a logarithmic scale. */
const chart = (runs: readonly Run[]): Html => {
  const shown = runs.slice(0, CHART.width / (CHART.bar + CHART.gap)).toReversed();
  const top = Math.log2(2 + Math.max(...shown.map(wroteCount), 0));
  const bars = shown.map((run, index) => {
    const height = Math.max(4, Math.round((Math.log2(2 + wroteCount(run)) / top) * CHART.height));
    const x = index * (CHART.bar + CHART.gap);
    return html`<rect
      class="${run.outcome}"
      x="${x}"
      y="${CHART.height - height}"
      width="${CHART.bar}"
      height="${height}"
    />`;
  });
  const failed = shown.filter(({ outcome }) => outcome !== 'completed').length;
  const label = `The last ${count(shown.length, 'run')}: ${grouped(shown.reduce((sum, run) => sum + wroteCount(run), 0))} writes, ${failed} not completed`;
  return html`<svg
    class="chart"
    role="img"
    aria-label="${label}"
    preserveAspectRatio="xMinYMid"
    viewBox="0 0 ${CHART.width} ${CHART.height}"
  >
    ${bars}
  </svg>`;
};

const budgetText = ({ sides, budget }: LinkStatus): string | null => {
  const parts = SIDES.flatMap((side) => {
    const own = budget[side];
    if (own === null) return [];
    return [`${own.limit.requests - own.remaining} of ${grouped(own.limit.requests)} used at ${sides[side].place}`];
  });
  return parts.length === 0 ? null : parts.join(', ');
};

const lastRun = ({ lastRun: run, link }: LinkStatus): Html =>
  run === null
    ? html`none yet`
    : html`<a href="${runPath(link, run.id)}">${run.kind}</a>, <span class="${run.outcome}">${run.outcome}</span>,
        ${timeTag(run.endedAtMs)}`;

/** When deletions at a side are found that its change feed does not report. */
const sweepText = ({ sides, sweepAtMs }: LinkStatus): Html | null => {
  const [side] = SIDES.filter((each) => sweepAtMs[each] !== null);
  const atMs = side === undefined ? null : sweepAtMs[side];
  if (side === undefined || atMs === null) return null;
  return html`at ${sides[side].place} found by the next full listing, ${timeTag(atMs)}`;
};

const statusFacts = (status: LinkStatus): Html => {
  const { state, pairs, openConflicts, refused, skipped, alone, nextRunAtMs, failures, link } = status;
  const leftOut = refused.length + skipped.length + alone.length;
  return facts([
    ['State', html`<strong class="${state}">${state}</strong>`],
    ['Last run', lastRun(status)],
    ['Next run', nextRunAtMs === null ? null : timeTag(nextRunAtMs)],
    ['Deletions', sweepText(status)],
    ['Failures', failures === 0 ? null : `${failures} in a row`],
    ['Contacts', `${grouped(pairs)} linked`],
    [
      'Conflicts',
      openConflicts === 0 ? 'none open' : html`<a href="${linkPath(link, '/conflicts')}">${openConflicts} open</a>`,
    ],
    [
      'Not synced',
      leftOut === 0 ? 'none' : html`<a href="${linkPath(link, '/left')}">${count(leftOut, 'contact')}</a>`,
    ],
    ['Requests', budgetText(status)],
  ]);
};

/** The reason why a link does not run, with the remedy. */
const trouble = ({ state, reason, link }: LinkStatus): Html => {
  if (reason === null || state === 'active') return html``;
  const remedy =
    state === 'halted'
      ? html`<p><a href="${linkPath(link, '/plan')}">Review the plan</a> and accept it, or correct the cause.</p>`
      : '';
  return html`<div class="panel trouble">
    <p>${haltWords(reason)}</p>
    ${remedy}
  </div>`;
};

/** A notice on a link that is paused by hand. */
const pauseNote = (context: PageContext, { pausedByHandAtMs }: LinkStatus): Html =>
  pausedByHandAtMs === null
    ? html``
    : html`<p class="panel notice">
        Paused by hand ${agoTag(context, pausedByHandAtMs)}. No scheduled run starts until you press Resume. Sync starts
        one run.
      </p>`;

const pauseButton = (context: PageContext, { link, pausedByHandAtMs }: LinkStatus): Html => {
  const at = linkPath(link);
  return pausedByHandAtMs === null
    ? button(context, { action: `${at}/pause`, label: 'Pause', look: 'quiet' })
    : button(context, { action: `${at}/resume`, label: 'Resume' });
};

const linkPanel = (context: PageContext, { status, runs, progress }: LinkView): Html =>
  html`<section class="panel">
    <h2><a href="${linkPath(status.link)}">${status.link}</a></h2>
    <p class="faint">${status.sides.left.title} and ${status.sides.right.title}</p>
    ${progress === null ? '' : html`<p>${progress.text}</p>`} ${pauseNote(context, status)} ${trouble(status)}
    ${statusFacts(status)} ${chart(runs)}
  </section>`;

/** Every link. */
export const linksPage = (context: PageContext, views: readonly LinkView[]): Html =>
  page(context, {
    title: 'Links',
    nav: { link: null, tabs: [] },
    body:
      views.length === 0
        ? html`<p>No link is configured. Run <code>contact-sync init</code>, then restart the daemon.</p>`
        : views.map((view) => linkPanel(context, view)),
  });

const TITLES = ['Started', 'Run', 'Outcome', 'Duration', 'Wrote'];

/** Runs as a table. */
export const runsTable = (link: string, runs: readonly Run[]): Html => {
  const rows = runs.map((run) => [
    timeTag(run.startedAtMs),
    html`<a href="${runPath(link, run.id)}">${run.kind} <span class="faint">${run.id.slice(0, 8)}</span></a>`,
    html`<span class="${run.outcome}">${run.outcome}</span>`,
    run.endedAtMs === null ? 'running' : formatDuration(run.endedAtMs - run.startedAtMs),
    count(wroteCount(run), 'contact'),
  ]);
  if (rows.length > 0) return table('Runs, newest first', TITLES, rows);
  return html`<p>No runs yet. Press Sync to start one, or Plan now to preview it.</p>`;
};

/** One link: its state, its actions and its last runs. */
export const linkPage = (context: PageContext, view: LinkView, report: ReturnType<Desk['lastReport']>): Html => {
  const { status, runs, progress } = view;
  const { link } = status;
  const at = linkPath(link);
  // A job that was skipped or stopped is not an error.
  const isTrouble = report !== null && report.ending !== 'skipped' && report.ending !== 'stopped';
  const message = isTrouble && report.message !== null && status.reason === null ? haltWords(report.message) : null;
  return page(context, {
    title: link,
    nav: navOf({ name: link }, ''),
    isLive: progress !== null,
    body: [
      liveSection(link, progress),
      pauseNote(context, status),
      trouble(status),
      message === null ? html`` : html`<p class="panel trouble">${message}</p>`,
      html`<div class="actions">
        ${button(context, { action: `${at}/sync`, label: 'Sync', fields: { kind: 'incremental' } })}
        ${button(context, { action: `${at}/sync`, label: 'Full resync', fields: { kind: 'full' }, look: 'quiet' })}
        ${button(context, { action: `${at}/plan`, label: 'Plan now', look: 'quiet', shows: true })}
        ${pauseButton(context, status)}
      </div>`,
      statusFacts(status),
      html`<h2>Runs</h2>
        ${chart(runs)} ${runsTable(link, runs.slice(0, 10))}`,
    ],
  });
};
