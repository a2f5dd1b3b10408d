import { html, raw } from 'hono/html';
import type { PageSession } from './sessions.ts';
import { haltWords } from '../../core/view/words.ts';
import { ICON } from './style.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import type { WorkProgress } from './actions.ts';

/** A part of a page, with all values escaped. */
export type Html = ReturnType<typeof html>;

/** The data that the parts of one page share. */
export type PageContext = {
  readonly session: PageSession;
  readonly nowMs: number;
};

const utcText = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`;

/** A time in UTC with seconds; the script converts it to the reader's zone. */
export const timeTag = (atMs: number): Html => {
  const iso = new Date(atMs).toISOString();
  return html`<time datetime="${iso}">${utcText(iso)}</time>`;
};

/** A time, or `never`. The script shows it relative to now and keeps it current. */
export const agoTag = (atMs: number | null): Html => {
  if (atMs === null) return html`never`;
  const iso = new Date(atMs).toISOString();
  return html`<time datetime="${iso}" data-ago>${utcText(iso)}</time>`;
};

/** Hidden fields of a form. */
export const hiddenFields = (fields: Readonly<Record<string, string>>): readonly Html[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`);

type Button = {
  readonly action: string;
  readonly label: string;
  /** Context for screen readers. */
  readonly describes?: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** `first`: the main action of its card, at most one. */
  readonly look?: 'first' | 'danger';
};

/** A form with one button. */
export const button = (page: PageContext, { action, label, describes, fields = {}, look }: Button): Html =>
  html`<form method="post" action="${action}">
    ${hiddenFields({ ...fields, token: page.session.formToken })}
    <button ${look === undefined ? '' : html`class="${look}"`}>
      ${label}${describes === undefined ? '' : html`<span class="skip"> ${describes}</span>`}
    </button>
  </form>`;

/** The link of a page and the path of its tab; null for a page about all links. */
type Nav = { readonly link: string; readonly current: LinkPage } | null;

type PageParts = {
  readonly title: string;
  readonly nav: Nav;
  readonly body: Html | readonly Html[];
  /** The progress of current work of the link of `nav`, shown first; null without one. */
  readonly progress?: WorkProgress | null;
};

const head = (title: string, isLive: boolean): Html =>
  html`<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title} - contact-sync</title>
    <link rel="icon" href="/icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/style.css" />
    <script src="/page.js" defer></script>
    ${isLive ? html`<noscript><meta http-equiv="refresh" content="3" /></noscript>` : ''}
  </head>`;

const currentMark = (isCurrent: boolean): Html => (isCurrent ? html`aria-current="page"` : html``);

const brand = html`${raw(ICON)}<span>contact-sync</span>`;

/** The navigation: all links, then the link with a tab for each of its pages. */
const navigation = (nav: Nav): Html => {
  if (nav === null) {
    return html`<nav class="trail" aria-label="Links">
      <a href="/" class="brand" ${currentMark(true)}>${brand}</a>
    </nav>`;
  }
  const { link, current } = nav;
  const items = LINK_PAGES.map(
    ([path, text]) => html`<li><a href="${linkPath(link, path)}" ${currentMark(path === current)}>${text}</a></li>`,
  );
  return html`<nav class="trail" aria-label="Links">
      <a href="/" class="brand">${brand}</a>
      <span aria-hidden="true">/</span>
      <a href="${linkPath(link)}" class="crumb" ${current === '' ? html`aria-current="true"` : ''}>${link}</a>
    </nav>
    <nav class="tabs" aria-label="Pages of ${link}">
      <ul>
        ${items}
      </ul>
    </nav>`;
};

const frame = (title: string, header: Html, body: PageParts['body'], isLive = false): Html =>
  html`<!doctype html>
    <html lang="en">
      ${head(title, isLive)}
      <body>
        <header>${header}</header>
        <main id="content">
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`;

/** The progress of current work; the script updates it, and without a script the page is reloaded. */
const liveSection = (link: string, { text, done, total }: WorkProgress): Html => {
  const bar = total > 0 ? html`max="${total}" value="${done}"` : '';
  return html`<section class="panel notice" data-live="${linkPath(link)}/live" aria-label="In progress">
    <p role="status">${text}</p>
    <progress aria-label="Progress" ${bar}></progress>
  </section>`;
};

/** A page of a session; shows its notice once. */
export const page = (context: PageContext, { title, nav, body, progress = null }: PageParts): Html => {
  const { session } = context;
  const isLive = nav !== null && progress !== null;
  const { notice } = session;
  session.notice = null;
  const header = html`<a class="skip" href="#content">Skip to content</a> ${navigation(nav)}
    ${button(context, { action: '/sign-out', label: 'Sign out' })}`;
  const said = notice === null ? '' : html`<p class="panel notice" role="status">${notice}</p>`;
  return frame(title, header, html`${said} ${isLive ? liveSection(nav.link, progress) : ''} ${body}`, isLive);
};

/** A page without a session. */
export const plainPage = (title: string, body: Html): Html =>
  frame(title, html`<span class="trail"><span class="brand">${brand}</span></span>`, body);

type TableParts = {
  readonly caption: string;
  readonly titles: readonly string[];
  readonly rows: readonly (readonly (Html | string)[])[];
  /** `list`: each row is one thing, named by its first cell. `fields`: each row is a field, and each column a contact. */
  readonly look?: 'list' | 'fields';
};

/** A table. On a narrow screen it is a list of its rows. */
export const table = ({ caption, titles, rows, look = 'list' }: TableParts): Html =>
  html`<table class="${look}">
    <caption>
      ${caption}
    </caption>
    <thead>
      <tr>
        ${titles.map((title) => html`<th scope="col">${title}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (cells) =>
          html`<tr>
            ${cells.map((cell) => html`<td>${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;

/** A list of values; a single one is not shown as a list. */
export const valueList = (values: readonly (Html | string)[]): Html => {
  const [only = html`<span class="faint">(empty)</span>`, second] = values;
  if (second === undefined) return html`${only}`;
  return html`<ul class="values">
    ${values.map((value) => html`<li>${value}</li>`)}
  </ul>`;
};

type Choice = {
  readonly name: string;
  readonly label: string;
  /** The text of each value. */
  readonly options: Readonly<Record<string, string>>;
  readonly chosen: string;
};

/** A labelled choice of one value. `id`: its id, if it is not its name. `form`: the id of its form, if it is outside of it. */
export const choiceOf = (choice: Choice & { readonly id?: string; readonly form?: string }): Html => {
  const { name, id = name, label, options, chosen, form } = choice;
  return html`<div>
    <label for="${id}">${label}</label>
    <select id="${id}" name="${name}" ${form === undefined ? '' : html`form="${form}"`}>
      ${Object.entries(options).map(
        ([value, text]) => html`<option value="${value}" ${value === chosen ? html`selected` : ''}>${text}</option>`,
      )}
    </select>
  </div>`;
};

type FilterParts = {
  readonly action: string;
  /** The search text; null for a filter without one. */
  readonly find: string | null;
  readonly label?: string;
  /** The name of the search text in the address. */
  readonly name?: string;
  readonly choices?: readonly Choice[];
  /** Other parameters of the address. */
  readonly kept?: Readonly<Record<string, string>>;
};

/** The search and filter of a list. */
export const filterForm = (parts: FilterParts): Html => {
  const { action, find, label = 'Find a name or a value', name = 'find', choices = [], kept = {} } = parts;
  return html`<form method="get" action="${action}" class="actions" role="search">
    ${hiddenFields(kept)}
    ${
      find === null
        ? ''
        : html`<div>
            <label for="${name}">${label}</label>
            <input id="${name}" name="${name}" type="search" value="${find}" />
          </div>`
    }
    ${choices.map((each) => choiceOf(each))}
    <button>${find === null ? 'Filter' : 'Find'}</button>
  </form>`;
};

/** The address of a page with these parameters; an empty one is left out. */
export const withQuery = (at: string, query: Readonly<Record<string, string>>): string => {
  const filled = Object.entries(query).filter(([, value]) => value !== '');
  return filled.length === 0 ? at : `${at}?${new URLSearchParams(filled).toString()}`;
};

/** The address of a page of a link; empty for any other text. */
export const pageIn = (text: string): string => (/^\/links\/[!-~]{1,2000}$/u.test(text) ? text : '');

/** A message without its commands, because the page has buttons. The names of settings are in a hint below it. */
export const messageText = (message: string): Html => {
  const said = haltWords(message).replace(/\s*Sign in again with: .*$/u, '');
  const settings = new Set(said.match(/\b[A-Z]+_[A-Z_]+\b/gu));
  const text = said.replaceAll(/ \([A-Z]+_[A-Z_]+\)/gu, '').replaceAll(/ that [A-Z]+_[A-Z_]+ allows/gu, ' allowed');
  return html`<p>${text}</p>
    ${settings.size === 0 ? '' : html`<p class="faint small">Setting: <code>${[...settings].join(' ')}</code></p>`}`;
};

const PAGES = {
  '': 'Link',
  '/plan': 'Review',
  '/contacts': 'Contacts',
  '/conflicts': 'Conflicts',
  '/runs': 'Runs',
} as const;
type LinkPage = keyof typeof PAGES;
const LINK_PAGES = Object.entries(PAGES) as [LinkPage, string][];

/** The address of a page of a link. */
export const linkPath = (
  name: string,
  path: LinkPage | '/sign-in' | '/verdicts' | '/choices' | `/contact${string}` | `/runs/${string}` = '',
): string => `/links/${encodeURIComponent(name)}${path}`;

/** The address of a run, or of one write of it by its journal id. */
export const runPath = (name: string, run: string, write: number | null = null): string =>
  withQuery(linkPath(name, `/runs/${encodeURIComponent(run)}`), { write: write === null ? '' : String(write) });

/** The navigation of a page of a link. */
export const navOf = ({ name }: Pick<LinkConfig, 'name'>, current: LinkPage): Nav => ({ link: name, current });

/** Names and values; a row without a value is omitted. */
export const facts = (rows: readonly (readonly [name: string, value: Html | string | null])[]): Html =>
  html`<dl class="facts">
    ${rows.map(([name, value]) =>
      value === null
        ? ''
        : html`<dt>${name}</dt>
            <dd>${value}</dd>`,
    )}
  </dl>`;
