import { html } from 'hono/html';
import { hasBrowserSignIn } from '../../../app/browser-sign-in.ts';
import type { FaultyLink } from '../../../app/config/link-files.ts';
import type { LinkConfig } from '../../../app/config/link-config.ts';
import { SIDES, type Side } from '../../../core/contact/side.ts';
import { isReviewable } from '../../../core/reconcile/guard.ts';
import { contactsToWrite } from '../../../core/view/changes.ts';
import { capitalized, count, grouped } from '../../../core/view/words.ts';
import { problemTexts } from '../../../util/config-error.ts';
import type { JobReport } from '../../jobs/job.ts';
import { bySeverity, headlineOf, isTroubled, type Severity } from '../../links/headline.ts';
import type { LinkStatus } from '../../links/link-status.ts';
import type { WorkProgress } from '../actions.ts';
import type { Planning } from '../plans.ts';
import {
  agoTag,
  button,
  linkPath,
  messageText,
  navOf,
  page,
  runPath,
  table,
  timeTag,
  type Html,
  type PageContext,
} from '../layout.ts';
import type { Overview } from '../overview.ts';
import { RUN_WORDS, wroteText } from './runs.ts';

/** A link with the data that all pages about links show. */
export type LinkView = { readonly status: LinkStatus; readonly progress: WorkProgress | null };

const isRunning = ({ progress }: LinkView): boolean => progress?.isRun === true;

/** The headline of a link, with a capital letter. */
const headline = (view: LinkView): readonly [Severity, string] => {
  const { severity, text } = headlineOf({ ...view.status, isRunning: isRunning(view) });
  return [severity, capitalized(text)];
};

const dot = (tone: Severity): Html => html`<i class="dot ${tone}" aria-hidden="true"></i>`;

const checkedText = (context: PageContext, { link, lastSync, nextRunAtMs }: LinkStatus): Html => {
  const checked =
    lastSync === null
      ? html`Not checked yet`
      : html`<a href="${runPath(link, lastSync.id)}">Checked ${agoTag(lastSync.endedAtMs)}</a>`;
  if (nextRunAtMs === null) return html`${checked}.`;
  return html`${checked}, next check ${nextRunAtMs <= context.nowMs ? 'is due' : agoTag(nextRunAtMs)}.`;
};

/** The reason why a link does not run, or a notice that it is paused by hand. During a run, the reason is of an earlier one. */
const reasonText = (view: LinkView): Html => {
  const { state, reason, pausedByHandAtMs } = view.status;
  const paused =
    pausedByHandAtMs === null
      ? ''
      : html`<p>
          Paused by hand ${agoTag(pausedByHandAtMs)}. No scheduled run starts until you press Resume. Sync now starts
          one run.
        </p>`;
  const isCurrent = state !== 'active' && !isRunning(view);
  return html`${reason !== null && isCurrent ? messageText(reason) : ''}${paused}`;
};

/** The time of the next listing that finds deletions at a side whose change feed does not report them. */
const sweepText = (context: PageContext, { sides, sweepAtMs, nextRunAtMs }: LinkStatus): Html => {
  const [sweep] = SIDES.flatMap((side) => (sweepAtMs[side] === null ? [] : [{ side, atMs: sweepAtMs[side] }]));
  if (sweep === undefined) return html``;
  const { side, atMs } = sweep;
  const scheduled = nextRunAtMs === null ? html`with a run after ${timeTag(atMs)}` : agoTag(atMs);
  return html`<p class="faint small">
    Contacts deleted at ${sides[side].place} are found by a full listing,
    ${atMs <= context.nowMs ? 'with the next run' : scheduled}.
  </p>`;
};

type LinkDetails = {
  readonly overview: Overview;
  /** Whether a consent page can redirect the browser to this page. */
  readonly canReturn: boolean;
  readonly planning: Planning | null;
  readonly report: JobReport | null;
};

/** The side that the reason of a pause asks to sign in at; null if it names none. */
const sideToSignIn = ({ link, reason, sides }: LinkStatus): Side | null =>
  SIDES.find((side) => reason?.includes(`connect ${sides[side].name} ${link}`)) ?? null;

/** How to sign in at a side: a button, or the command for a terminal. */
const signInPart = (context: PageContext, link: LinkConfig, side: Side, canReturn: boolean): Html => {
  const { name, place } = link.sides[side];
  const command = html`<code>contact-sync connect ${name} ${link.name}</code>`;
  if (!canReturn || !hasBrowserSignIn(link, side)) {
    return html`<p class="faint small">To sign in again, run on the machine of the daemon: ${command}</p>`;
  }
  return html`${button(context, {
      action: linkPath(link.name, '/sign-in'),
      label: 'Sign in again',
      describes: `at ${place}`,
      fields: { side },
      look: 'first',
    })}
    <details class="faint small">
      <summary>If the sign-in does not come back</summary>
      <p>
        The registered application must allow the redirect to the address of this page, followed by
        <code>/connected</code>. Otherwise run ${command}.
      </p>
    </details>`;
};

/** The buttons of the top card. At most one of them is the main action. */
const actions = (context: PageContext, view: LinkView, link: LinkConfig, { canReturn }: LinkDetails): Html => {
  const { status } = view;
  const { state, pausedByHandAtMs } = status;
  const at = linkPath(link.name);
  const isStopped = state === 'halted' || state === 'paused';
  const first = (isFirst: boolean) => (isFirst ? { look: 'first' as const } : {});
  const [step, label] = pausedByHandAtMs === null ? ['pause', 'Pause'] : ['resume', 'Resume'];
  const expired = state === 'paused' ? sideToSignIn(status) : null;
  const isSync = !isStopped && pausedByHandAtMs === null;
  return html`<div class="actions">
    ${expired === null ? '' : signInPart(context, link, expired, canReturn)}
    ${
      state === 'halted' && isReviewable(status.reason ?? '') && !isRunning(view)
        ? html`<a class="button first" href="${linkPath(link.name, '/plan')}">Review the plan</a>`
        : ''
    }
    ${button(context, { action: `${at}/sync`, label: 'Sync now', fields: { kind: 'incremental' }, ...first(isSync) })}
    ${button(context, { action: `${at}/${step}`, label, ...first(!isStopped && !isSync) })}
    ${isStopped ? '' : button(context, { action: `${at}/sync`, label: 'Full sync', fields: { kind: 'full' } })}
  </div>`;
};

const hero = (context: PageContext, view: LinkView, link: LinkConfig, details: LinkDetails): Html => {
  const { status } = view;
  const { planning } = details;
  const [tone, text] = headline(view);
  const linked = status.pairs === 0 ? '' : html` ${count(status.pairs, 'contact')} linked.`;
  const planned =
    status.state === 'halted' && planning?.state === 'planned'
      ? html`<p>${count(contactsToWrite(planning.view.changes), 'contact')} to write.</p>`
      : '';
  return html`<section class="panel hero ${tone}">
    <p class="headline">${dot(tone)}<strong>${text}</strong></p>
    <p>${checkedText(context, status)}${linked}</p>
    ${reasonText(view)} ${planned} ${actions(context, view, link, details)} ${sweepText(context, status)}
  </section>`;
};

/** A task for the user: the number of things, their name, an explanation, and the page where it is done. */
type Need = {
  readonly tone: Severity;
  readonly number: number;
  readonly text: string;
  readonly about: string;
  readonly href: string;
};

const needsOf = (status: LinkStatus, planning: Planning | null): readonly Need[] => {
  const { link, openConflicts, refused, skipped, alone } = status;
  const unpaired = planning?.state === 'planned' ? planning.view.unpaired.length : 0;
  const need = (
    tone: Severity,
    number: number,
    [one, many]: readonly [string, string],
    about: string,
    path = '/contacts?show=unsynced',
  ) => ({
    tone,
    number,
    text: count(number, one, many),
    about,
    href: `${linkPath(link)}${path}`,
  });
  return [
    need(
      'warn',
      openConflicts,
      ['conflict to decide', 'conflicts to decide'],
      'Both sides keep their value until you choose one.',
      '/conflicts',
    ),
    need(
      'warn',
      unpaired,
      ['possible match to decide', 'possible matches to decide'],
      'Without a decision, each contact is created on the other side.',
      '/plan#unpaired',
    ),
    need(
      'bad',
      refused.length,
      ['contact was refused', 'contacts were refused'],
      'A side did not accept the values. They are retried automatically.',
    ),
    need(
      'info',
      skipped.length,
      ['contact is skipped', 'contacts are skipped'],
      'They, or some of their fields, are not synced.',
    ),
    need(
      'info',
      alone.length,
      ['contact is on one side only', 'contacts are on one side only'],
      'No run creates them on the other side.',
      '/contacts?show=alone',
    ),
  ].filter(({ number }) => number > 0);
};

const needItem = ({ tone, text, about, href }: Need): Html =>
  html`<li class="entry">
    <div>
      <h3>${dot(tone)}${text}</h3>
      <span class="faint small">${about}</span>
    </div>
    <a class="button" href="${href}">Show<span class="skip"> ${text}</span></a>
  </li>`;

const needsSection = (needs: readonly Need[]): Html =>
  needs.length === 0
    ? html``
    : html`<section>
        <h2>Needs your attention</h2>
        <ul class="panel changes">
          ${needs.map(needItem)}
        </ul>
      </section>`;

/** The latest runs that wrote something, each with the page on which it is undone. */
const changesSection = ({ name, sides }: LinkConfig, { changes }: Overview): Html =>
  html`<section>
    <h2>Latest changes</h2>
    ${
      changes.length === 0
        ? html`<p class="panel faint">No recent run has changed a contact.</p>`
        : html`<ul class="panel changes">
            ${changes.map(
              (run) =>
                html`<li class="entry">
                  <div>
                    <h3>${RUN_WORDS[run.kind]} ${agoTag(run.startedAtMs)}</h3>
                    ${wroteText(run, sides)}
                  </div>
                  <a class="button" href="${runPath(name, run.id)}">Show or undo</a>
                </li>`,
            )}
          </ul>`
    }
  </section>`;

/** How many contacts of a side are linked, and why the others are not; null if all of them may be linked. */
const linkedText = ({ pairs, unselected }: LinkStatus, side: Side, present: number): string | null => {
  if (present <= pairs) return null;
  const parts = [
    [pairs, 'linked'],
    [unselected[side], 'not selected'],
    [present - pairs - unselected[side], 'not linked'],
  ] as const;
  return parts.flatMap(([number, word]) => (number > 0 ? [`${grouped(number)} ${word}`] : [])).join(', ');
};

const account = (side: Side, status: LinkStatus, overview: Overview): Html => {
  const { title } = status.sides[side];
  const present = overview.contacts[side];
  const used = overview.used[side];
  const limit = used === null ? '' : ` · ${Math.round(used * 100)}% of the rate limit used`;
  const linked = linkedText(status, side, present);
  const name = overview.accounts[side];
  return html`<section class="panel account">
    <h3>${title}</h3>
    ${name === null ? '' : html`<p class="faint small">${name}</p>`}
    <p class="number">${grouped(present)} <span>${present === 1 ? 'contact' : 'contacts'}</span></p>
    ${linked === null ? '' : html`<p class="faint small">${linked}</p>`}
    <p class="faint small">Read ${agoTag(status.readAtMs[side])}${limit}</p>
  </section>`;
};

const linkRow = (view: LinkView): readonly (Html | string)[] => {
  const { status, progress } = view;
  const [tone, text] = headline(view);
  return [
    html`<a href="${linkPath(status.link)}">${status.link}</a>`,
    html`${dot(tone)}${text}`,
    progress?.text ?? count(status.pairs, 'contact'),
    html`Checked ${agoTag(status.lastSync?.endedAtMs ?? null)}`,
  ];
};

const faultText = ({ name, problems }: FaultyLink): Html =>
  html`<p class="panel notice">
    <strong>${name}</strong> is not served, because its settings are invalid: ${problemTexts(problems).join(' ')}
  </p>`;

/** The page of all links, those with problems first. */
export const linksPage = (context: PageContext, views: readonly LinkView[], faulty: readonly FaultyLink[]): Html => {
  const ranked = views
    .map((view) => ({ view, name: view.status.link, severity: headline(view)[0] }))
    .toSorted((one, other) => bySeverity(one.severity, other.severity) || (one.name < other.name ? -1 : 1));
  const problems = ranked.filter(({ severity }) => isTroubled(severity)).length;
  return page(context, {
    title: 'Links',
    nav: null,
    body:
      views.length + faulty.length === 0
        ? html`<p>No link is configured. Run <code>contact-sync init</code>, then restart the daemon.</p>`
        : [
            ...faulty.map(faultText),
            html`<p>
              <strong>${count(views.length, 'link')}</strong>: ${grouped(problems)} with problems,
              ${grouped(ranked.filter(({ severity }) => severity === 'good').length)} in sync,
              ${count(
                views.reduce((sum, { status }) => sum + status.pairs, 0),
                'contact',
              )}.
            </p>`,
            ranked.length === 0
              ? html``
              : table({
                  caption: 'Links, those with problems first',
                  titles: ['Link', 'State', 'Contacts', 'Last check'],
                  rows: ranked.map(({ view }) => linkRow(view)),
                }),
          ],
  });
};

/** The page of an idle link is reloaded when its next run has likely ended. */
const RELOAD_AFTER_MS = 10_000;
const LONGEST_RELOAD_MS = 3_600_000;

const reloadMark = ({ nowMs }: PageContext, { status, progress }: LinkView): Html => {
  if (progress !== null || status.nextRunAtMs === null) return html``;
  const delayMs = Math.min(Math.max(0, status.nextRunAtMs - nowMs) + RELOAD_AFTER_MS, LONGEST_RELOAD_MS);
  return html`<span data-reload="${delayMs}"></span>`;
};

/** The page of one link: its state, the tasks for the user, the latest changes, and its accounts. */
export const linkPage = (context: PageContext, link: LinkConfig, view: LinkView, details: LinkDetails): Html => {
  const { status, progress } = view;
  const { overview, planning, report } = details;
  // A job that was skipped or stopped is not an error. Another process may have run the link since.
  const isTrouble =
    report !== null &&
    report.ending !== 'skipped' &&
    report.ending !== 'stopped' &&
    (report.summary === null || report.summary.run === status.lastRun?.id);
  const message = isTrouble && status.reason === null ? report.message : null;
  return page(context, {
    title: link.name,
    nav: navOf(link, ''),
    progress,
    body: [
      hero(context, view, link, details),
      message === null ? html`` : html`<div class="panel trouble">${messageText(message)}</div>`,
      needsSection(needsOf(status, planning)),
      changesSection(link, overview),
      html`<section>
        <h2>Accounts</h2>
        <div class="accounts">${SIDES.map((side) => account(side, status, overview))}</div>
      </section>`,
      reloadMark(context, view),
    ],
  });
};
