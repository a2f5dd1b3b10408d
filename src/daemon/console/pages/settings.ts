import { html } from 'hono/html';
import type { SignInMethod } from '../../../app/browser-sign-in.ts';
import type { LinkConfig } from '../../../app/config/link-config.ts';
import { syncedFieldsOf } from '../../../core/contact/chosen.ts';
import { bySide, SIDES, type Side, type Sides } from '../../../core/contact/side.ts';
import { POLICY_NAMES, ruleOf } from '../../../core/reconcile/conflict-policy.ts';
import { count, fieldWords, haltWords } from '../../../core/view/words.ts';
import { button, page, table, linkPath, navOf, TIME_UNITS, type Html, type PageContext } from '../layout.ts';

/** The account of a side. */
type AccountView = {
  /** The name that the side returns; null if no run has requested it. */
  readonly account: string | null;
  readonly hasToken: boolean;
  readonly way: SignInMethod;
  /** The address of the consent page; null before a sign-in is started. */
  readonly consent: string | null;
};

/** A setting that the page can change, with its value in the configuration; empty if it is inherited. */
export type EditableSetting = { readonly key: string; readonly value: string };

export type SettingsView = {
  readonly accounts: Sides<AccountView>;
  /** The reason why the link is paused; null if it is not. */
  readonly pause: string | null;
  /** Whether a consent page can redirect the browser to this page. */
  readonly canReturn: boolean;
  /** The settings that can be changed here; null if the configuration file or the rights of the session forbid it. */
  readonly editable: readonly EditableSetting[] | null;
  readonly keptIn: 'file' | 'database';
  /** Actions of the whole program; null for a session of one link. */
  readonly program: { readonly notifyHost: string | null; readonly canBackUp: boolean } | null;
};

const terminalHelp = ({ name, sides }: LinkConfig, side: Side): Html =>
  html`<p>Run on the machine of the daemon: <code>contact-sync connect ${sides[side].name} ${name}</code></p>`;

const signInPart = (context: PageContext, link: LinkConfig, side: Side, view: SettingsView): Html => {
  const { way, consent, hasToken } = view.accounts[side];
  if (way.kind === 'set') {
    return html`<p>The configuration sets the token. To sign in again, replace <code>${way.place}</code> there.</p>`;
  }
  if (way.kind === 'password' || !view.canReturn || context.readonly) return terminalHelp(link, side);
  const at = linkPath(link.name, '/settings');
  const begin = button(context, {
    action: `${at}/sign-in`,
    label: hasToken ? 'Sign in again' : 'Sign in',
    describes: `at ${link.sides[side].place}`,
    fields: { side },
    ...(view.pause === null && hasToken && { look: 'quiet' as const }),
  });
  return html`${
      consent === null
        ? begin
        : html`<p>
            <a class="button" href="${consent}" rel="noreferrer">Continue at ${way.title}</a>
            <span class="faint">This link works once and expires after 10 minutes.</span>
          </p>`
    }
    <details>
      <summary>If the sign-in does not come back</summary>
      <p>
        The registered application must allow the redirect to the address of this page, followed by
        <code>/connected</code>. Otherwise:
      </p>
      ${terminalHelp(link, side)}
    </details>`;
};

const accountPanel = (context: PageContext, link: LinkConfig, side: Side, view: SettingsView): Html => {
  const { account, hasToken, way } = view.accounts[side];
  const state =
    way.kind === 'set' ? 'The token is in the configuration.' : hasToken ? 'A token is stored.' : 'Not signed in.';
  return html`<div class="side">
    <h3>${link.sides[side].title}</h3>
    <p>${account === null ? '' : html`Account ${account}. `}${state}</p>
    ${signInPart(context, link, side, view)}
  </div>`;
};

/** The reason of a pause, without the command, because the page has buttons for it. */
const pauseWords = (reason: string): string => haltWords(reason).replace(/\s*Sign in again with: .*$/u, '');

/** `5 minutes`, `90 seconds`: in the largest unit that needs no fraction. */
const everyText = (ms: number): string => {
  const unit = TIME_UNITS.find(([, lengthMs]) => ms % lengthMs === 0);
  return unit === undefined ? count(Math.round(ms / 1_000), 'second') : count(ms / unit[1], unit[0]);
};

const limitText = ({ count: most, percent }: LinkConfig['deleteLimit']): string =>
  [most === null ? null : count(most, 'contact'), percent === null ? null : `${percent}% of the linked contacts`]
    .filter((each) => each !== null)
    .join(' or ');

const policyText = ({ sides }: LinkConfig, policy: LinkConfig['conflictPolicy']): string =>
  ruleOf(policy, (side) => sides[side].place).words;

const conflictText = (link: LinkConfig): string => {
  const own = Object.entries(link.conflictPolicyByField) as [
    Parameters<typeof fieldWords>[0],
    typeof link.conflictPolicy,
  ][];
  const exceptions = own.map(([field, policy]) => `${fieldWords(field)}: ${policyText(link, policy)}`);
  const all = `If both sides changed a text, ${policyText(link, link.conflictPolicy)}`;
  return exceptions.length === 0 ? `${all}.` : `${all}. Exceptions: ${exceptions.join(', ')}.`;
};

const directionText = ({ direction, sides }: LinkConfig): string => {
  if (direction === 'both') return 'Changes go both ways.';
  const side = direction === 'to-left' ? 'left' : 'right';
  return `Changes go to ${sides[side].place} only.`;
};

const intervalText = ({ hasAutoInterval, syncIntervalMs }: LinkConfig): string =>
  hasAutoInterval
    ? `Both sides are read 10 seconds after a change, and at least every ${everyText(syncIntervalMs)}.`
    : `Both sides are read every ${everyText(syncIntervalMs)}.`;

const oneWayText = ({ directions, sides }: LinkConfig): string => {
  const own = Object.entries(directions) as [Parameters<typeof fieldWords>[0], LinkConfig['direction']][];
  const texts = own.flatMap(([field, direction]) => {
    if (direction === 'both') return [];
    return [`${fieldWords(field)} to ${sides[direction === 'to-left' ? 'left' : 'right'].place} only`];
  });
  return texts.length === 0 ? '' : ` One way: ${texts.join(', ')}.`;
};

const FIRST_SYNC = {
  run: 'The first sync starts by itself.',
  review: 'The first sync waits until you accept its plan.',
} as const;
const DELETIONS = {
  propagate: 'A deletion on one side deletes the contact on the other side.',
  keep: 'A deletion on one side only unlinks the contact on the other side.',
} as const;

/** The settings of a link: key, name and current meaning. */
const rowsOf = (link: LinkConfig): readonly (readonly [key: string, title: string, about: string])[] => {
  const { sides, fields, buckets, sweepIntervalMs, deletePolicy, deleteLimit, firstSync } = link;
  const selection = SIDES.filter((side) => sides[side].contacts.join() !== '*');
  const selected = selection.map((side) => `${sides[side].title}: ${sides[side].contacts.join(', ')}`).join('; ');
  return [
    ['syncInterval', 'Interval', intervalText(link)],
    [
      'sweepInterval',
      'Full listing',
      `Every ${everyText(sweepIntervalMs)}. It finds deletions that a side does not report.`,
    ],
    ['direction', 'Direction', directionText(link)],
    ['fields', 'Fields', `Synced: ${syncedFieldsOf(fields).map(fieldWords).join(', ')}.${oneWayText(link)}`],
    [
      'contacts',
      'Selection',
      selection.length === 0 ? 'All contacts of both sides.' : `Selected contacts. ${selected}.`,
    ],
    ['buckets', 'Labels and buckets', buckets.join() === '*' ? 'All are synced.' : `Synced: ${buckets.join(', ')}.`],
    ['conflictPolicy', 'Conflicts', conflictText(link)],
    ['deletePolicy', 'Deletions', DELETIONS[deletePolicy]],
    [
      'deleteLimit',
      'Deletion limit',
      `A run halts before it deletes more than ${limitText(deleteLimit)} on one side within 24 hours.`,
    ],
    ['firstSync', 'First sync', FIRST_SYNC[firstSync]],
  ];
};

/** The format of each setting in the configuration. */
const HINTS: Readonly<Record<string, string>> = {
  syncInterval: '30s, 5m, 2h or auto',
  sweepInterval: '6h, 1d',
  direction: 'both, or to- and the name of a side',
  fields: 'default, or names with commas: default,notes',
  buckets: 'names or patterns with commas; ! excludes',
  conflictPolicy: `${POLICY_NAMES.join(', ')}, or the name of a side`,
  deletePolicy: 'propagate or keep',
  deleteLimit: '10, 5% or 10,10%',
  firstSync: 'run or review',
};

const editForm = (context: PageContext, link: LinkConfig, settings: readonly EditableSetting[]): Html => {
  const titles = new Map(rowsOf(link).map(([key, title]) => [key, title]));
  const input = ({ key, value }: EditableSetting): Html =>
    html`<div>
      <label for="${key}">${titles.get(key) ?? key}</label>
      <input id="${key}" name="${key}" value="${value}" placeholder="default" aria-describedby="${key}-hint" />
      <small id="${key}-hint" class="faint">${HINTS[key] ?? ''}</small>
    </div>`;
  return html`<h2>Change settings</h2>
    <p>
      This link is stored in the database. An empty field uses the default. Every daemon applies the change within
      seconds.
    </p>
    <form method="post" action="${linkPath(link.name, '/settings')}" class="settings">
      <input type="hidden" name="token" value="${context.formToken}" />
      ${settings.map(input)}
      <button>Save settings</button>
    </form>`;
};

const programSection = (
  context: PageContext,
  link: LinkConfig,
  program: NonNullable<SettingsView['program']>,
): Html => {
  const at = linkPath(link.name, '/settings');
  const { notifyHost, canBackUp } = program;
  return html`<h2>Notifications</h2>
    ${
      notifyHost === null
        ? html`<p>No receiver is set. Set NOTIFY_URL to the address of a webhook, then restart the daemon.</p>`
        : html`<p>Sent to ${notifyHost} when a link halts, pauses, fails for an hour, or recovers.</p>
            ${button(context, { action: `${at}/notify`, label: 'Send a test notification', look: 'quiet' })}`
    }
    <h2>Backup</h2>
    ${
      canBackUp
        ? html`<p>
              Copies the database of all links to the folder <code>backups</code> in DATA_DIR, on the same disk. Copy it
              to another machine. Tokens that are not encrypted are left out.
            </p>
            ${button(context, { action: `${at}/backup`, label: 'Back up now', look: 'quiet' })}`
        : html`<p>The state is on PostgreSQL (DATABASE_URL). Back it up with pg_dump.</p>`
    }`;
};

/** The page with the settings of a link, each with an explanation, and its accounts. */
export const settingsPage = (context: PageContext, link: LinkConfig, view: SettingsView): Html => {
  const { pause, editable, keptIn, program } = view;
  const panels = bySide((side) => accountPanel(context, link, side, view));
  const where =
    keptIn === 'file'
      ? 'The configuration file and variables rule these settings. Change them there, then restart or reload the daemon.'
      : 'This link is stored in the database.';
  return page(context, {
    title: `Settings of ${link.name}`,
    nav: navOf(link, '/settings'),
    body: [
      html`<h2 id="accounts">Accounts</h2>`,
      pause === null ? html`` : html`<p class="panel trouble">${pauseWords(pause)}</p>`,
      html`<div class="sides">${panels.left} ${panels.right}</div>`,
      html`<h2>Settings</h2>
        <p class="faint">${where}</p>`,
      table(
        'Current settings',
        ['Setting', 'Meaning'],
        rowsOf(link).map(([, title, about]) => [title, about]),
      ),
      editable === null || context.readonly ? html`` : editForm(context, link, editable),
      program === null ? html`` : programSection(context, link, program),
    ],
  });
};
