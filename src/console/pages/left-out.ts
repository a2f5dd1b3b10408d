import { html } from 'hono/html';
import type { LinkConfig } from '../../config/config.ts';
import type { LinkRecord } from '../../history/link-record.ts';
import { SIDES } from '../../contact/side.ts';
import { grouped } from '../../view/words.ts';
import { findForm, idsText, isFound } from '../change-list.ts';
import { button, page, table, timeTag, type Html, type PageContext } from '../layout.ts';
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

const retryButton = (context: PageContext, { name }: LinkConfig, refused: LinkRecord['refused'][number]): Html => {
  const id = refused.leftId ?? refused.rightId;
  const action = linkPath(name, '/left');
  const describes = refused.name ?? idsText(refused);
  return id === null
    ? html``
    : button(context, { action, label: 'Try again', describes, fields: { id }, look: 'quiet' });
};

const setApartSection = (sides: LinkConfig['sides'], setApart: LinkRecord['setApart']): Html => {
  const selected = SIDES.map((side) => `${sides[side].title}: ${sides[side].contacts.join(', ')}`).join('; ');
  return section(
    'Set apart',
    `No side selects these any longer (${selected}). Both contacts stay as they are, and are kept in step again when a side selects them.`,
    ['Who'],
    setApart.map((each) => [each.name ?? idsText(each)]),
  );
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
      'A side did not take these. They are tried again by themselves, and at once when the contact is changed. Where you have corrected what was refused, try again now.',
      ['Who', 'Refused by', 'Why', 'Tried again', 'Now'],
      refused.map((each) => [
        each.name ?? idsText(each),
        sides[each.side].title,
        each.reason,
        timeTag(each.retryAtMs),
        retryButton(context, link, each),
      ]),
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
    setApartSection(sides, record.setApart.filter(isMeant)),
  ];
  const isEmpty = record.refused.length + record.skipped.length + record.alone.length + record.setApart.length === 0;
  return page(context, {
    title: `Left out of ${link.name}`,
    nav: navOf(link, '/left'),
    body: isEmpty
      ? html`<p>Every contact is kept in step.</p>`
      : [
          record.refused.length < 2
            ? html``
            : html`<div class="actions">
                ${button(context, { action: linkPath(link.name, '/left'), label: 'Try all refused ones again' })}
              </div>`,
          findForm(linkPath(link.name, '/left'), find),
          ...sections,
        ],
  });
};
