import { html } from 'hono/html';
import type { Progress } from '../desk.ts';
import type { Html } from '../layout.ts';
import { linkPath } from '../paths.ts';

/** How far something under way is; the script keeps it up to date, and without it the page is loaded again. */
export const liveSection = (link: string, progress: Progress | null): Html => {
  if (progress === null) return html``;
  const { text, done, total } = progress;
  const bar = total > 0 ? html`max="${total}" value="${done}"` : '';
  return html`<section class="panel notice" data-live="${linkPath(link)}/live" aria-label="Under way">
    <p role="status">${text}</p>
    <progress aria-label="How far it is" ${bar}></progress>
  </section>`;
};

/** Names and values; what has none is left out. */
export const facts = (rows: readonly (readonly [name: string, value: Html | string | null])[]): Html =>
  html`<dl class="facts">
    ${rows.map(([name, value]) =>
      value === null
        ? ''
        : html`<dt>${name}</dt>
            <dd>${value}</dd>`,
    )}
  </dl>`;
