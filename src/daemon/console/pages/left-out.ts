import { html } from 'hono/html';
import type { LinkConfig } from '../../../app/config/link-config.ts';
import type { LinkRecord } from '../../../engine/history/link-record.ts';
import type { LinkStatus } from '../../jobs/link-status.ts';
import { SIDES } from '../../../core/contact/side.ts';
import { count, grouped } from '../../../core/view/words.ts';
import { findForm, idsText, isFound } from '../change-list.ts';
import { button, page, table, timeTag, linkPath, navOf, runPath, type Html, type PageContext } from '../layout.ts';

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
    ${hidden === 0 ? '' : html`<p class="faint">And ${grouped(hidden)} more: use the filter to find them.</p>`}
  </section>`;
};

const retryButton = (context: PageContext, { name }: LinkConfig, refused: LinkRecord['refused'][number]): Html => {
  const id = refused.leftId ?? refused.rightId;
  const action = linkPath(name, '/left');
  const describes = refused.name ?? idsText(refused);
  return id === null
    ? html``
    : button(context, { action, label: 'Retry now', describes, fields: { id }, look: 'quiet' });
};

/** A button for the next run to match a contact again, or to create it on the other side. */
const includeButton = (context: PageContext, { name }: LinkConfig, alone: LinkRecord['alone'][number]): Html => {
  const { side } = alone;
  const id = (side === 'left' ? alone.leftId : alone.rightId) ?? '';
  const fields = { side, id, include: 'yes' };
  const action = linkPath(name, '/leave-out');
  return button(context, { action, label: 'Include again', describes: alone.name ?? id, fields, look: 'quiet' });
};

const setApartSection = (sides: LinkConfig['sides'], setApart: LinkRecord['setApart']): Html => {
  const selected = SIDES.map((side) => `${sides[side].title}: ${sides[side].contacts.join(', ')}`).join('; ');
  return section(
    'Detached',
    `No side selects these contacts (${selected}). Both contacts of a pair stay unchanged. They are reattached when a side selects them.`,
    ['Contact'],
    setApart.map((each) => [each.name ?? idsText(each)]),
  );
};

/** The state of the link that an empty list depends on. */
type LinkCondition = Pick<LinkStatus, 'state' | 'pausedByHandAtMs'>;

/** The text of an empty list. It claims that contacts are in sync only after a completed run of an active link. */
const emptyText = (
  { name }: LinkConfig,
  { pairs, lastRun, openConflicts }: LinkRecord,
  { state, pausedByHandAtMs }: LinkCondition,
): Html => {
  const whyLink = html`<a href="${linkPath(name)}">Show the reason.</a>`;
  if (state !== 'active') {
    return html`<p>The link is <strong class="${state}">${state}</strong>, so changes may be waiting. ${whyLink}</p>`;
  }
  if (pausedByHandAtMs !== null) return html`<p>The link is paused by hand, so changes may be waiting.</p>`;
  if (pairs === 0) return html`<p>No contact is linked yet. <a href="${linkPath(name)}">Start a sync.</a></p>`;
  if (lastRun?.outcome !== 'completed') {
    return html`<p>The last run did not complete, so changes may be waiting. ${whyLink}</p>`;
  }
  if (openConflicts > 0) {
    return html`<p>
      No contact was refused or skipped.
      <a href="${linkPath(name, '/conflicts')}">${count(openConflicts, 'conflict')} to review.</a>
    </p>`;
  }
  return html`<p>Every linked contact is in sync.</p>`;
};

const sectionsOf = (context: PageContext, link: LinkConfig, record: LinkRecord, find: string): readonly Html[] => {
  const isMeant = (each: {
    readonly name: string | null;
    readonly leftId: string | null;
    readonly rightId: string | null;
  }) => isFound(find, [each.name, idsText(each)]);
  const refused = record.refused.filter(isMeant);
  const skipped = record.skipped.filter(isMeant);
  const alone = record.alone.filter(isMeant);
  const { sides } = link;
  return [
    section(
      'Refused',
      'A side refused to write these contacts. They are retried automatically, and immediately after the contact changes. If you have fixed the cause, retry now.',
      ['Contact', 'Refused by', 'Reason', 'Next attempt', 'Action'],
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
      'These contacts, or the named fields of them, are not synced until they change.',
      ['Contact', 'Side', 'Reason'],
      skipped.map((each) => [each.name ?? idsText(each), sides[each.side].title, each.reason]),
    ),
    section(
      'On one side only',
      'No run creates these contacts on the other side. A contact is linked again if a matching contact appears there, or if you include it again.',
      ['Contact', 'Side', 'Cause', 'Action'],
      alone.map((each) => [
        each.name ?? idsText(each),
        sides[each.side].title,
        each.undoRun === null
          ? 'left out by hand, or its counterpart was deleted'
          : html`<a href="${runPath(link.name, each.undoRun)}">an undo</a>`,
        includeButton(context, link, each),
      ]),
    ),
    setApartSection(sides, record.setApart.filter(isMeant)),
  ];
};

/** The contacts that are not synced, with the reasons. */
export const leftOutPage = (
  context: PageContext,
  link: LinkConfig,
  { record, health, find }: { readonly record: LinkRecord; readonly health: LinkCondition; readonly find: string },
): Html => {
  const isEmpty = record.refused.length + record.skipped.length + record.alone.length + record.setApart.length === 0;
  return page(context, {
    title: `Needs review in ${link.name}`,
    nav: navOf(link, '/left'),
    body: isEmpty
      ? emptyText(link, record, health)
      : [
          record.refused.length < 2
            ? html``
            : html`<div class="actions">
                ${button(context, { action: linkPath(link.name, '/left'), label: 'Retry all' })}
              </div>`,
          findForm(linkPath(link.name, '/left'), find),
          ...sectionsOf(context, link, record, find),
        ],
  });
};
