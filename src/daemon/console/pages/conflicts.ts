import { html } from 'hono/html';
import type { LinkConfig } from '../../../app/config/link-config.ts';
import { SIDES, type Side } from '../../../core/contact/side.ts';
import { idsText } from '../../../core/view/values.ts';
import { count, decidedWords, fieldWords, grouped } from '../../../core/view/words.ts';
import type { ConflictView } from '../../../core/view/views.ts';
import { containsText } from '../../../core/view/changes.ts';
import {
  button,
  filterForm,
  hiddenFields,
  page,
  timeTag,
  linkPath,
  navOf,
  type Html,
  type PageContext,
} from '../layout.ts';
import { contactPath } from './contact.ts';

/** The number of conflicts on one page; the open ones can be decided at once. */
const CONFLICTS_SHOWN = 200;

type Listed = { readonly conflicts: readonly ConflictView[]; readonly all: boolean; readonly find: string };

const conflictSubject = (conflict: ConflictView): string =>
  `${fieldWords(conflict.field)} of ${conflict.name ?? idsText(conflict)}`;

type Place = { readonly context: PageContext; readonly link: LinkConfig; readonly find: string };

const takeButton = ({ context, link, find }: Place, conflict: ConflictView, side: Side): Html =>
  button(context, {
    action: linkPath(link.name, '/conflicts'),
    label: `Take ${link.sides[side].title}'s`,
    describes: conflictSubject(conflict),
    fields: { ids: String(conflict.id), take: side, ...(find !== '' && { find }) },
  });

/** The value of one side, with the button that chooses it. */
const valueBox = (place: Place, conflict: ConflictView, side: Side): Html => {
  const { winner, choices } = conflict;
  const changedAtMs = conflict.changedAtMs[side];
  const isWinner = winner === side;
  return html`<div class="side ${isWinner ? 'kept' : ''}">
    <h3>${place.link.sides[side].title}</h3>
    <p class="value">${conflict[side] || '(empty)'}</p>
    ${changedAtMs === null ? '' : html`<p class="faint small">Contact changed ${timeTag(changedAtMs)}</p>`}
    ${isWinner ? html`<p class="good">Winner: ${decidedWords(conflict, place.link.sides)}</p>` : ''}
    ${choices.includes(side) ? takeButton(place, conflict, side) : ''}
  </div>`;
};

const conflictItem = (place: Place, conflict: ConflictView): Html => {
  const { name, field, state, winner, atMs, leftId } = conflict;
  return html`<li class="panel">
    <h2>
      <a href="${contactPath(place.link.name, leftId, 'left')}">${name ?? idsText(conflict)}</a>: ${fieldWords(field)}
    </h2>
    <p class="faint">
      Found ${timeTag(atMs)}. State:
      ${state}${winner === null ? html`, ${decidedWords(conflict, place.link.sides)}` : ''}.
    </p>
    <div class="sides">${SIDES.map((side) => valueBox(place, conflict, side))}</div>
  </li>`;
};

/** One decision for all open conflicts that are shown. */
const bulkForm = ({ context, link, find }: Place, shown: readonly ConflictView[]): Html => {
  const open = shown.filter(({ state }) => state === 'open');
  if (open.length < 2) return html``;
  const sides = SIDES.filter((side) => open.some(({ choices }) => choices.includes(side)));
  return html`<form method="post" action="${linkPath(link.name, '/conflicts')}" class="actions">
    ${hiddenFields({ ids: open.map(({ id }) => id).join(','), find, token: context.session.formToken })}
    <span>All ${count(open.length, 'open conflict')}:</span>
    ${sides.map((side) => html`<button name="take" value="${side}">Take all from ${link.sides[side].title}</button>`)}
  </form>`;
};

const EMPTY = {
  none: 'No conflicts. A conflict appears here when both sides change the same field between two runs.',
  filtered: 'No conflict matches. Clear the filter to see all of them.',
} as const;

/** The conflicts of a link. */
export const conflictsPage = (context: PageContext, link: LinkConfig, { conflicts, all, find }: Listed): Html => {
  const found = conflicts.filter(({ name, left, right, ...ids }) =>
    [name, left, right, idsText(ids)].some((text) => containsText(text, find)),
  );
  const shown = found.toReversed().slice(0, CONFLICTS_SHOWN);
  const hidden = found.length - shown.length;
  const at = linkPath(link.name, '/conflicts');
  const place = { context, link, find };
  return page(context, {
    title: `Conflicts of ${link.name}`,
    nav: navOf(link, '/conflicts'),
    body: [
      html`<p>
        Fields with different values on the two sides, newest first. If you take the other value, the next run writes
        it. An open conflict keeps both values until you take one.
        ${all ? html`<a href="${at}">Hide conflicts of the past</a>` : html`<a href="${at}?all=1">Show all conflicts</a>`}
      </p>`,
      conflicts.length === 0 ? html`` : filterForm({ action: at, find, kept: all ? { all: '1' } : {} }),
      shown.length === 0
        ? html`<p>${conflicts.length === 0 ? EMPTY.none : EMPTY.filtered}</p>`
        : html`${bulkForm(place, shown)}
            <h2 class="skip">Conflicts</h2>
            <ul class="cards">
              ${shown.map((each) => conflictItem(place, each))}
            </ul>`,
      hidden === 0
        ? html``
        : html`<p class="faint">And ${grouped(hidden)} older ones: use the filter to find them.</p>`,
    ],
  });
};
