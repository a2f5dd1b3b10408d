import { html } from 'hono/html';
import type { LinkConfig } from '../../../app/config/link-config.ts';
import { SIDES, type Side } from '../../../core/contact/side.ts';
import { headlineOf, type Severity } from '../../links/headline.ts';
import type { LinkStatus } from '../../links/link-status.ts';
import { count, grouped, haltWords } from '../../../core/view/words.ts';
import type { WorkProgress } from '../actions.ts';
import type { JobReport } from '../../jobs/job.ts';
import type { Planning } from '../plans.ts';
import { agoTag, button, page, linkPath, navOf, runPath, liveSection, type Html, type PageContext } from '../layout.ts';
import type { Overview } from '../overview.ts';
import { signInPart, type SignInView } from './accounts.ts';

/** A link with the data that all pages about links show. */
export type LinkView = { readonly status: LinkStatus; readonly progress: WorkProgress | null };

/** The headline of a link, with a capital letter. */
const headline = ({ status, progress }: LinkView): readonly [Severity, string] => {
  const { severity, text } = headlineOf({ ...status, isRunning: progress?.isRun === true });
  return [severity, text.charAt(0).toUpperCase() + text.slice(1)];
};

const checkedText = (context: PageContext, { link, lastRun, nextRunAtMs }: LinkStatus): Html => {
  const checked =
    lastRun === null
      ? html`Not checked yet`
      : html`<a href="${runPath(link, lastRun.id)}">Checked ${agoTag(context, lastRun.endedAtMs)}</a>`;
  return html`${checked}${nextRunAtMs === null ? '' : html`, next check ${agoTag(context, nextRunAtMs)}`}.`;
};

/** The reason of a halt or pause. The page has buttons instead of the command to sign in again. */
const reasonWords = (reason: string): string => haltWords(reason).replace(/\s*Sign in again with: .*$/u, '');

/** The reason why a link does not run, or a notice that it is paused by hand. */
const reasonText = (context: PageContext, { state, reason, pausedByHandAtMs }: LinkStatus): Html => {
  const paused =
    pausedByHandAtMs === null
      ? ''
      : html`<p>
          Paused by hand ${agoTag(context, pausedByHandAtMs)}. No scheduled run starts until you press Resume. Sync
          starts one run.
        </p>`;
  return html`${reason === null || state === 'active' ? '' : html`<p>${reasonWords(reason)}</p>`}${paused}`;
};

/** The time of the next listing that finds deletions at a side whose change feed does not report them. */
const sweepText = (context: PageContext, { sides, sweepAtMs }: LinkStatus): Html => {
  const side = SIDES.find((each) => sweepAtMs[each] !== null);
  if (side === undefined) return html``;
  return html`<p class="faint small">
    Contacts deleted at ${sides[side].place} are found by the next full listing, ${agoTag(context, sweepAtMs[side])}.
  </p>`;
};

const actions = (context: PageContext, { link, state, pausedByHandAtMs }: LinkStatus): Html => {
  const at = linkPath(link);
  const look = 'quiet' as const;
  const toggle =
    pausedByHandAtMs === null
      ? button(context, { action: `${at}/pause`, label: 'Pause', look })
      : button(context, { action: `${at}/resume`, label: 'Resume' });
  const review =
    state === 'halted' ? html`<a class="button first" href="${linkPath(link, '/plan')}">Review the plan</a>` : '';
  const sync = { action: `${at}/sync`, label: 'Sync now', fields: { kind: 'incremental' } };
  return html`<div class="actions">
    ${review} ${button(context, state === 'halted' ? { ...sync, look } : sync)} ${toggle}
    ${button(context, { action: `${at}/sync`, label: 'Full sync', fields: { kind: 'full' }, look })}
  </div>`;
};

const hero = (context: PageContext, view: LinkView): Html => {
  const { status } = view;
  const [tone, text] = headline(view);
  const linked = status.pairs === 0 ? '' : html` ${count(status.pairs, 'contact')} linked.`;
  return html`<section class="panel hero ${tone}">
    <p class="headline"><i class="dot" aria-hidden="true"></i><strong>${text}</strong></p>
    <p>${checkedText(context, status)}${linked}</p>
    ${reasonText(context, status)} ${sweepText(context, status)} ${actions(context, status)}
  </section>`;
};

/** A task for the user: its number, its text, and the page where it is done. */
type Need = {
  readonly tone: Severity;
  readonly number: number | null;
  readonly text: string;
  readonly about: string;
  readonly href: string;
  readonly label: string;
};

const planNeed = (status: LinkStatus, planning: Planning | null): readonly Need[] => {
  if (status.state !== 'halted') return [];
  const changes = planning?.state === 'planned' ? `${count(planning.view.changes.length, 'change')}. ` : '';
  const isFirst = status.pairs === 0;
  return [
    {
      tone: 'warn',
      number: null,
      text: isFirst ? 'Review the first sync' : 'Review the halted run',
      about: `${changes}Nothing is written before you accept the plan.`,
      href: linkPath(status.link, '/plan'),
      label: 'Review',
    },
  ];
};

const needsOf = (status: LinkStatus, planning: Planning | null): readonly Need[] => {
  const { link, openConflicts, refused, skipped, alone, state } = status;
  const unpaired = planning?.state === 'planned' ? planning.view.unpaired.length : 0;
  const of = (number: number, need: Omit<Need, 'number'>): readonly Need[] =>
    number === 0 ? [] : [{ ...need, number }];
  const signIn: Omit<Need, 'number'> = {
    tone: 'bad',
    text: 'A sign-in has expired',
    about: 'No run starts until you sign in again.',
    href: '#accounts',
    label: 'Sign in again',
  };
  return [
    ...(state === 'paused' ? [{ ...signIn, number: null }] : []),
    ...planNeed(status, planning),
    ...of(openConflicts, {
      tone: 'warn',
      text: openConflicts === 1 ? 'conflict to decide' : 'conflicts to decide',
      about: 'Both sides keep their value until you choose one.',
      href: linkPath(link, '/conflicts'),
      label: 'Decide',
    }),
    ...of(unpaired, {
      tone: 'warn',
      text: unpaired === 1 ? 'group of contacts that may be one person' : 'groups of contacts that may be one person',
      about: 'Without a decision, each contact is created on the other side.',
      href: `${linkPath(link, '/plan')}#unpaired`,
      label: 'Decide',
    }),
    ...of(refused.length, {
      tone: 'bad',
      text: refused.length === 1 ? 'contact was refused' : 'contacts were refused',
      about: 'A side did not accept the values. They are retried automatically.',
      href: linkPath(link, '/contacts'),
      label: 'Show',
    }),
    ...of(skipped.length, {
      tone: 'info',
      text: skipped.length === 1 ? 'contact is skipped' : 'contacts are skipped',
      about: 'They, or some of their fields, are not synced.',
      href: linkPath(link, '/contacts'),
      label: 'Show',
    }),
    ...of(alone.length, {
      tone: 'info',
      text: alone.length === 1 ? 'contact is on one side only' : 'contacts are on one side only',
      about: 'No run creates them on the other side.',
      href: linkPath(link, '/contacts'),
      label: 'Show',
    }),
  ];
};

const needItem = ({ tone, number, text, about, href, label }: Need): Html =>
  html`<li class="entry">
    <div>
      <h3><i class="dot ${tone}" aria-hidden="true"></i>${number === null ? '' : `${grouped(number)} `}${text}</h3>
      <span class="faint small">${about}</span>
    </div>
    <a class="button" href="${href}">${label}<span class="skip">: ${text}</span></a>
  </li>`;

const needsSection = (needs: readonly Need[]): Html =>
  html`<section>
    <h2>Needs your attention</h2>
    ${
      needs.length === 0
        ? html`<p class="panel faint">Nothing. Conflicts, refused contacts and halted runs appear here.</p>`
        : html`<ul class="panel changes">
            ${needs.map(needItem)}
          </ul>`
    }
  </section>`;

const PROVIDER_WORDS: Readonly<Record<string, string>> = {
  google: 'Google Contacts',
  carddav: 'CardDAV',
  service: 'Service',
};

/** How many contacts of a side are linked, and why the others are not; null if all of them are linked. */
const linkedText = ({ pairs, unselected }: LinkStatus, side: Side, present: number): string | null => {
  const others = present - pairs - unselected[side];
  if (present === pairs) return null;
  const parts = [
    [pairs, 'linked'],
    [unselected[side], 'not selected'],
    [others, 'not linked'],
  ] as const;
  return parts.flatMap(([number, word]) => (number > 0 ? [`${grouped(number)} ${word}`] : [])).join(', ');
};

type Accounts = { readonly status: LinkStatus; readonly overview: Overview; readonly signIns: SignInView };

const account = (context: PageContext, side: Side, link: LinkConfig, { status, overview, signIns }: Accounts): Html => {
  const { title, provider } = link.sides[side];
  const name = overview.accounts[side];
  const own = status.budget[side];
  const used =
    own === null ? '' : html` · ${own.limit.requests - own.remaining} of ${grouped(own.limit.requests)} requests used`;
  const linked = linkedText(status, side, overview.contacts[side]);
  const words = PROVIDER_WORDS[provider] ?? provider;
  return html`<section class="panel account">
    <h3>${title}</h3>
    <p class="faint small">${words === title ? '' : `${words} · `}${name ?? 'account not read yet'}</p>
    <p class="number">
      ${grouped(overview.contacts[side])} <span>${overview.contacts[side] === 1 ? 'contact' : 'contacts'}</span>
    </p>
    ${linked === null ? '' : html`<p class="faint small">${linked}</p>`}
    <p class="faint small">Read ${agoTag(context, status.readAtMs[side])}${used}</p>
    ${signInPart(context, link, side, signIns)}
  </section>`;
};

const linkPanel = (context: PageContext, view: LinkView): Html => {
  const { status, progress } = view;
  const [tone, text] = headline(view);
  const { openConflicts, refused, pairs } = status;
  const facts = [
    count(pairs, 'contact'),
    ...(openConflicts === 0 ? [] : [`${count(openConflicts, 'conflict')} open`]),
    ...(refused.length === 0 ? [] : [`${grouped(refused.length)} refused`]),
  ];
  return html`<section class="panel hero ${tone}">
    <h2><a href="${linkPath(status.link)}">${status.link}</a></h2>
    <p class="headline"><i class="dot" aria-hidden="true"></i><strong>${text}</strong></p>
    ${progress === null ? '' : html`<p>${progress.text}</p>`}
    <p class="faint">
      ${status.sides.left.title} and ${status.sides.right.title}: ${facts.join(', ')}. ${checkedText(context, status)}
    </p>
    ${reasonText(context, status)}
  </section>`;
};

/** The page of all links. */
export const linksPage = (context: PageContext, views: readonly LinkView[]): Html =>
  page(context, {
    title: 'Links',
    nav: { link: null, tabs: [] },
    body:
      views.length === 0
        ? html`<p>No link is configured. Run <code>contact-sync init</code>, then restart the daemon.</p>`
        : views.map((view) => linkPanel(context, view)),
  });

/** The page of an idle link is reloaded when its next run has likely ended. */
const RELOAD_AFTER_MS = 10_000;
const LONGEST_RELOAD_MS = 3_600_000;

const reloadMark = ({ nowMs }: PageContext, { status, progress }: LinkView): Html => {
  if (progress !== null || status.nextRunAtMs === null) return html``;
  const delayMs = Math.min(Math.max(0, status.nextRunAtMs - nowMs) + RELOAD_AFTER_MS, LONGEST_RELOAD_MS);
  return html`<span data-reload="${delayMs}"></span>`;
};

/** The page of one link: its state, the tasks for the user, and its accounts with their sign-ins. */
export const linkPage = (
  context: PageContext,
  link: LinkConfig,
  view: LinkView,
  of: {
    readonly overview: Overview;
    readonly signIns: SignInView;
    readonly planning: Planning | null;
    readonly report: JobReport | null;
  },
): Html => {
  const { status, progress } = view;
  const { overview, signIns, planning, report } = of;
  // A job that was skipped or stopped is not an error.
  const isTrouble = report !== null && report.ending !== 'skipped' && report.ending !== 'stopped';
  const message = isTrouble && report.message !== null && status.reason === null ? haltWords(report.message) : null;
  return page(context, {
    title: link.name,
    nav: navOf(link, ''),
    isLive: progress !== null,
    body: [
      hero(context, view),
      liveSection(link.name, progress),
      message === null ? html`` : html`<p class="panel trouble">${message}</p>`,
      needsSection(needsOf(status, planning)),
      html`<section>
        <h2 id="accounts">Accounts</h2>
        <div class="accounts">${SIDES.map((side) => account(context, side, link, { status, overview, signIns }))}</div>
      </section>`,
      reloadMark(context, view),
    ],
  });
};
