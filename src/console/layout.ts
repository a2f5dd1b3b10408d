import { html } from 'hono/html';
import { isoOf } from '../clock.ts';
import type { Session } from './sessions.ts';
import { issueFormToken } from './sessions.ts';

/** A piece of a page, with everything in it escaped. */
export type Html = ReturnType<typeof html>;

/** What the parts of one page have in common. */
export type PageContext = {
  readonly session: Session;
  /** The token of every form of this page. */
  readonly formToken: string;
  readonly readonly: boolean;
  readonly nowMs: number;
};

export const pageContext = (session: Session, readonly: boolean, nowMs: number): PageContext => ({
  session,
  formToken: issueFormToken(session),
  readonly,
  nowMs,
});

/** A time in UTC; the script converts it to the reader's zone. */
export const timeTag = (atMs: number | null, none = 'never'): Html => {
  const iso = isoOf(atMs);
  if (iso === null) return html`${none}`;
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
};

export type Button = {
  readonly action: string;
  readonly label: string;
  /** Context for screen readers. */
  readonly describes?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly look?: 'quiet' | 'danger';
  /** Whether a read-only page has it. */
  readonly shows?: true;
};

/** A form with one button; empty on a read-only page, unless `shows`. */
export const button = (page: PageContext, { action, label, describes, fields = {}, look, shows }: Button): Html => {
  if (page.readonly && shows !== true) return html``;
  const hidden = Object.entries({ ...fields, token: page.formToken });
  return html`<form method="post" action="${action}">
    ${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <button class="${look ?? ''}">
      ${label}${describes === undefined ? '' : html`<span class="skip"> ${describes}</span>`}
    </button>
  </form>`;
};

/** A link to a page; `current` where it is the one that is shown. */
export type NavItem = { readonly href: string; readonly text: string; readonly current: boolean };

export type PageParts = {
  readonly title: string;
  readonly nav: readonly NavItem[];
  readonly body: Html | readonly Html[];
  /** Whether the page changes by itself: without a script it is reloaded. */
  readonly isLive?: boolean;
};

const head = (title: string, isLive: boolean): Html =>
  html`<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title} - contact-sync</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/style.css" />
    <script src="/page.js" defer></script>
    ${isLive ? html`<noscript><meta http-equiv="refresh" content="3" /></noscript>` : ''}
  </head>`;

/** A page of a session; shows its notice once. */
export const page = (context: PageContext, { title, nav, body, isLive = false }: PageParts): Html => {
  const { session, readonly } = context;
  const { notice } = session;
  session.notice = null;
  const items = nav.map(
    ({ href, text, current }) =>
      html`<li><a href="${href}" ${current ? html`aria-current="page"` : ''}>${text}</a></li>`,
  );
  return html`<!doctype html>
    <html lang="en">
      ${head(title, isLive)}
      <body>
        <header>
          <a class="skip" href="#content">Skip to content</a>
          <strong>contact-sync</strong>
          <nav aria-label="Pages">
            <ul>
              ${items}
            </ul>
          </nav>
          ${button(context, { action: '/sign-out', label: 'Sign out', look: 'quiet', shows: true })}
        </header>
        <main id="content">
          <h1>${title}</h1>
          ${readonly ? html`<p class="faint">This page is read-only (CONSOLE_READONLY).</p>` : ''}
          ${notice === null ? '' : html`<p class="panel notice" role="status">${notice}</p>`} ${body}
        </main>
      </body>
    </html>`;
};

/** A page without a session. */
export const plainPage = (title: string, body: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      ${head(title, false)}
      <body>
        <main id="content">
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`;

/** A table that is a list of cards on a narrow screen. */
export const table = (
  caption: string,
  titles: readonly string[],
  rows: readonly (readonly (Html | string)[])[],
): Html =>
  html`<table>
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
            ${cells.map((cell, index) => html`<td data-label="${titles[index] ?? ''}">${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
