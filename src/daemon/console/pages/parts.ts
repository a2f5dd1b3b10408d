import { html } from 'hono/html';
import type { Progress } from '../desk.ts';
import type { Html } from '../layout.ts';
import { linkPath } from '../paths.ts';

/** The progress of current work; the script updates it, and without a script the page is reloaded. */
export const liveSection = (link: string, progress: Progress | null): Html => {
  if (progress === null) return html``;
  const { text, done, total } = progress;
  const bar = total > 0 ? html`max="${total}" value="${done}"` : '';
  return html`<section class="panel notice" data-live="${linkPath(link)}/live" aria-label="In progress">
    <p role="status">${text}</p>
    <progress aria-label="Progress" ${bar}></progress>
  </section>`;
};

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
