import { html } from 'hono/html';
import type { LinkConfig } from '../../config/config.ts';
import type { LinkRecord } from '../../history/link-record.ts';
import { grouped } from '../../view/words.ts';
import { findForm, idsText, isFound } from '../change-list.ts';
import { page, table, timeTag, type Html, type PageContext } from '../layout.ts';
import { linkPath, navOf, runPath } from '../paths.ts';

const ROWS_SHOWN = 200;

const section = (
  title: string,
  about: string,
  titles: readonly string[],
  rows: readonly (readonly (Html | string)[])[],
): Html => {
  if (rows.length === 0) return html``;
  const hidden = rows.length - Math.min(rows.length, ROWS_SHOWN);
  return html`<section>
    <h2>${title}: ${grouped(rows.length)}</h2>
    <p>${about}</p>
    ${table(title, titles, rows.slice(0, ROWS_SHOWN))}
    ${hidden === 0 ? '' : html`<p class="faint">And ${grouped(hidden)} more: narrow them down with the filter.</p>`}
  </section>`;
};

/** The contacts that are not kept in step, and why. */
export const leftOutPage = (context: PageContext, link: LinkConfig, record: LinkRecord, find: string): Html => {
  const isMeant = (each: {
    readonly name: string | null;
    readonly leftId: string | null;
    readonly rightId: string | null;
  }) => isFound(find, [each.name, idsText(each)]);
  const refused = record.refused.filter(isMeant);
  const skipped = record.skipped.filter(isMeant);
  const alone = record.alone.filter(isMeant);
  const { sides } = link;
  const sections = [
    section(
      'Refused',
      'A side did not take these. They are tried again by themselves, and at once when the contact is changed.',
      ['Who', 'Refused by', 'Why', 'Tried again'],
      refused.map((each) => [each.name ?? idsText(each), sides[each.side].title, each.reason, timeTag(each.retryAtMs)]),
    ),
    section(
      'Skipped',
      'These are left alone until they are changed.',
      ['Who', 'Side', 'Why'],
      skipped.map((each) => [each.name ?? idsText(each), sides[each.side].title, each.reason]),
    ),
    section(
      'At one side only',
      'To link one again, make a contact of the same name and address at the other side, or undo the undo.',
      ['Who', 'Side', 'Since'],
      alone.map((each) => [
        each.name ?? idsText(each),
        sides[each.side].title,
        each.undoRun === null
          ? 'its other half was deleted'
          : html`<a href="${runPath(link.name, each.undoRun)}">an undo</a>`,
      ]),
    ),
  ];
  const isEmpty = record.refused.length + record.skipped.length + record.alone.length === 0;
  return page(context, {
    title: `Left out of ${link.name}`,
    nav: navOf(link, '/left'),
    body: isEmpty
      ? html`<p>Every contact is kept in step.</p>`
      : [findForm(linkPath(link.name, '/left'), find), ...sections],
  });
};
