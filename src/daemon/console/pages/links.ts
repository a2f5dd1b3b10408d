import { html } from 'hono/html';
import { hasBrowserSignIn } from '../../../app/browser-sign-in.ts';
import type { LinkConfig } from '../../../app/config/link-config.ts';
import { SIDES, type Side } from '../../../core/contact/side.ts';
import { count, grouped } from '../../../core/view/words.ts';
import type { JobReport } from '../../jobs/job.ts';
import { headlineOf, type Severity } from '../../links/headline.ts';
import type { LinkStatus } from '../../links/link-status.ts';
import type { WorkProgress } from '../actions.ts';
import {
  agoTag,
  button,
  linkPath,
  liveSection,
  messageText,
  navOf,
  page,
  runPath,
  table,
  type Html,
  type PageContext,
} from '../layout.ts';
import type { Overview } from '../overview.ts';
import { RUN_WORDS, wroteText } from './runs.ts';

/** A link with the data that all pages about links show. */
export type LinkView = { readonly status: LinkStatus; readonly progress: WorkProgress | null };

/** The headline of a link, with a capital letter. */
const headline = ({ status, progress }: LinkView): readonly [Severity, string] => {
  const { severity, text } = headlineOf({ ...status, isRunning: progress?.isRun === true });
  return [severity, text.charAt(0).toUpperCase() + text.slice(1)];
};

const dot = (tone: Severity): Html => html`<i class="dot ${tone}" aria-hidden="true"></i>`;

const checkedText = ({ nowMs }: PageContext, { link, lastRun, nextRunAtMs }: LinkStatus): Html => {
  const checked =
    lastRun === null
      ? html`Not checked yet`
      : html`<a href="${runPath(link, lastRun.id)}">Checked ${agoTag(lastRun.endedAtMs)}</a>`;
  if (nextRunAtMs === null) return html`${checked}.`;
  return html`${checked}, next check ${nextRunAtMs <= nowMs ? 'is due' : agoTag(nextRunAtMs)}.`;
};

/** The reason why a link does not run, or a notice that it is paused by hand. */
const reasonText = ({ state, reason, pausedByHandAtMs }: LinkStatus): Html => {
  const paused =
    pausedByHandAtMs === null
      ? ''
      : html`<p>
          Paused by hand ${agoTag(pausedByHandAtMs)}. No scheduled run starts until you press Resume. Sync now starts
          one run.
        </p>`;
  return html`${reason === null || state === 'active' ? '' : messageText(reason)}${paused}`;
};

/** The time of the next listing that finds deletions at a side whose change feed does not report them. */
const sweepText = ({ sides, sweepAtMs }: LinkStatus): Html => {
  const side = SIDES.find((each) => sweepAtMs[each] !== null);
  if (side === undefined) return html``;
  return html`<p class="faint small">
    Contacts deleted at ${sides[side].place} are found by the next full listing, ${agoTag(sweepAtMs[side])}.
  </p>`;
};

type LinkDetails = {
  readonly overview: Overview;
  /** Whether a consent page can redirect the browser to this page. */
  readonly canReturn: boolean;
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
const actions = (context: PageContext, status: LinkStatus, link: LinkConfig, { canReturn }: LinkDetails): Html => {
  const { state, pausedByHandAtMs } = status;
  const at = linkPath(link.name);
  const isHeld = state === 'halted' || state === 'paused';
  const first = (isFirst: boolean) => (isFirst ? { look: 'first' as const } : {});
  const [step, label] = pausedByHandAtMs === null ? ['pause', 'Pause'] : ['resume', 'Resume'];
  const expired = state === 'paused' ? sideToSignIn(status) : null;
  const isSync = !isHeld && pausedByHandAtMs === null;
  return html`<div class="actions">
    ${expired === null ? '' : signInPart(context, link, expired, canReturn)}
    ${state === 'halted' ? html`<a class="button first" href="${linkPath(link.name, '/plan')}">Review the plan</a>` : ''}
    ${button(context, { action: `${at}/sync`, label: 'Sync now', fields: { kind: 'incremental' }, ...first(isSync) })}
    ${button(context, { action: `${at}/${step}`, label, ...first(!isHeld && !isSync) })}
    ${isHeld ? '' : button(context, { action: `${at}/sync`, label: 'Full sync', fields: { kind: 'full' } })}
  </div>`;
};

const hero = (context: PageContext, view: LinkView, link: LinkConfig, details: LinkDetails): Html => {
  const { status } = view;
  const [tone, text] = headline(view);
  const linked = status.pairs === 0 ? '' : html` ${count(status.pairs, 'contact')} linked.`;
  return html`<section class="panel hero ${tone}">
    <p class="headline">${dot(tone)}<strong>${text}</strong></p>
    <p>${checkedText(context, status)}${linked}</p>
    ${reasonText(status)} ${actions(context, status, link, details)} ${sweepText(status)}
  </section>`;
};

/** A task for the user: the number of things, their noun, an explanation, and the page where it is done. */
type Need = readonly [tone: Severity, number: number, noun: string, about: string, path: string];

const needsOf = ({ openConflicts, refused, skipped, alone }: LinkStatus): readonly Need[] => {
  const needs: readonly Need[] = [
    ['warn', openConflicts, 'conflict', 'Both sides keep their value until you choose one.', '/conflicts'],
    ['bad', refused.length, 'refused contact', 'Retried automatically.', '/contacts?show=unsynced'],
    ['info', skipped.length, 'skipped contact', 'Not synced, or not in all fields.', '/contacts?show=unsynced'],
    ['info', alone.length, 'unlinked contact', 'No run creates it on the other side.', '/contacts?show=alone'],
  ];
  return needs.filter(([, number]) => number > 0);
};

const needsSection = (status: LinkStatus): Html => {
  const needs = needsOf(status);
  if (needs.length === 0) return html``;
  return html`<section>
    <h2>Needs your attention</h2>
    <ul class="panel changes">
      ${needs.map(
        ([tone, number, noun, about, path]) =>
          html`<li class="entry">
            <div>
              <h3>${dot(tone)}${count(number, noun)}</h3>
              <span class="faint small">${about}</span>
            </div>
            <a class="button" href="${linkPath(status.link)}${path}">Show<span class="skip"> each ${noun}</span></a>
          </li>`,
      )}
    </ul>
  </section>`;
};

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

/** How many contacts of a side are linked, and why the others are not; null if all of them are linked. */
const linkedText = ({ pairs, unselected }: LinkStatus, side: Side, present: number): string | null => {
  if (present === pairs) return null;
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
  const own = status.budget[side];
  const used =
    own === null ? '' : html` · ${own.limit.requests - own.remaining} of ${grouped(own.limit.requests)} requests used`;
  const linked = linkedText(status, side, present);
  const name = overview.accounts[side];
  return html`<section class="panel account">
    <h3>${title}</h3>
    ${name === null ? '' : html`<p class="faint small">${name}</p>`}
    <p class="number">${grouped(present)} <span>${present === 1 ? 'contact' : 'contacts'}</span></p>
    ${linked === null ? '' : html`<p class="faint small">${linked}</p>`}
    <p class="faint small">Read ${agoTag(status.readAtMs[side])}${used}</p>
  </section>`;
};

const RANK: Readonly<Record<Severity, number>> = { bad: 0, warn: 1, info: 2, good: 3 };

const linkRow = (view: LinkView): readonly (Html | string)[] => {
  const { status, progress } = view;
  const [tone, text] = headline(view);
  return [
    html`<a href="${linkPath(status.link)}">${status.link}</a>`,
    html`${dot(tone)}${text}`,
    progress?.text ?? count(status.pairs, 'contact'),
    html`Checked ${agoTag(status.lastRun?.endedAtMs ?? null)}`,
  ];
};

/** The page of all links, those with problems first. */
export const linksPage = (context: PageContext, views: readonly LinkView[]): Html => {
  const ranked = views
    .map((view) => ({ view, name: view.status.link, rank: RANK[headline(view)[0]] }))
    .toSorted((one, other) => one.rank - other.rank || (one.name < other.name ? -1 : 1));
  const problems = ranked.filter(({ rank }) => rank < RANK.info).length;
  return page(context, {
    title: 'Links',
    nav: null,
    body:
      views.length === 0
        ? html`<p>No link is configured. Run <code>contact-sync init</code>, then restart the daemon.</p>`
        : [
            html`<p><strong>${count(views.length, 'link')}</strong>: ${grouped(problems)} with problems.</p>`,
            table({
              caption: 'Links, those with problems first',
              titles: ['Link', 'State', 'Contacts', 'Last check'],
              rows: ranked.map(({ view }) => linkRow(view)),
            }),
          ],
  });
};

/** The page of one link: its state, the tasks for the user, the latest changes, and its accounts. */
export const linkPage = (context: PageContext, link: LinkConfig, view: LinkView, details: LinkDetails): Html => {
  const { status, progress } = view;
  const { overview, report } = details;
  // A job that was skipped or stopped is not an error.
  const isTrouble = report !== null && report.ending !== 'skipped' && report.ending !== 'stopped';
  const message = isTrouble && status.reason === null ? report.message : null;
  return page(context, {
    title: link.name,
    nav: navOf(link, ''),
    isLive: progress !== null,
    body: [
      hero(context, view, link, details),
      liveSection(link.name, progress),
      message === null ? html`` : html`<div class="panel trouble">${messageText(message)}</div>`,
      needsSection(status),
      changesSection(link, overview),
      html`<section>
        <h2>Accounts</h2>
        <div class="accounts">${SIDES.map((side) => account(side, status, overview))}</div>
      </section>`,
    ],
  });
};
