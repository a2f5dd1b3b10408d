import { unwrittenSide } from '../../../engine/history/conflicts.ts';
import { html } from 'hono/html';
import type { LinkConfig } from '../../../app/config/link-config.ts';
import { SIDES, type Side } from '../../../core/contact/side.ts';
import { CONFLICT_STATES, count, DECIDED_BY, fieldWords, grouped } from '../../../core/view/words.ts';
import type { ConflictView } from '../../../core/view/views.ts';
import { findForm, idsText, isFound } from '../change-list.ts';
import { button, page, timeTag, linkPath, navOf, type Html, type PageContext } from '../layout.ts';
import { contactPath } from './contact.ts';

/** The number of conflicts on one page; all of them can be decided at once. */
const CONFLICTS_SHOWN = 200;

type Listed = { readonly conflicts: readonly ConflictView[]; readonly all: boolean; readonly find: string };

/** Whether the link writes the value of that side to the other one. */
const isTakable = (link: LinkConfig, { field }: ConflictView, side: Side): boolean => {
  const unwritten = unwrittenSide(link, field);
  return unwritten === null || unwritten === side;
};

const conflictSubject = (conflict: ConflictView): string =>
  `${fieldWords(conflict.field)} of ${conflict.name ?? idsText(conflict)}`;

type Place = { readonly context: PageContext; readonly link: LinkConfig; readonly find: string };

const reviewButton = ({ context, link, find }: Place, conflict: ConflictView, review: Side | 'dismissed'): Html =>
  button(context, {
    action: linkPath(link.name, '/conflicts'),
    label: review === 'dismissed' ? 'Keep the current value' : `Take ${link.sides[review].title}'s`,
    describes: conflictSubject(conflict),
    fields: { id: String(conflict.id), review, ...(find !== '' && { find }) },
    look: 'quiet',
  });

/** The value of one side, with the button that chooses it. */
const valueBox = (place: Place, conflict: ConflictView, side: Side): Html => {
  const { winner, by, state, changedAtMs } = conflict;
  const isKept = winner === side;
  const isChoice = state === 'open' && !isKept && isTakable(place.link, conflict, side);
  return html`<div class="side ${isKept ? 'kept' : ''}">
    <h3>${place.link.sides[side].title}</h3>
    <p class="value">${conflict[side] || '(empty)'}</p>
    ${changedAtMs[side] === null ? '' : html`<p class="faint small">Contact changed ${timeTag(changedAtMs[side])}</p>`}
    ${isKept ? html`<p class="good">Current value on both sides: ${DECIDED_BY[by]}</p>` : ''}
    ${isChoice ? reviewButton(place, conflict, side) : ''}
  </div>`;
};

const conflictItem = (place: Place, conflict: ConflictView): Html => {
  const { name, field, state, winner, by, atMs, leftId } = conflict;
  const isOpen = state === 'open' || state === 'taking';
  return html`<li class="panel">
    <h2><a href="${contactPath(place.link.name, leftId)}">${name ?? idsText(conflict)}</a>: ${fieldWords(field)}</h2>
    <p class="faint">
      Changed on both sides, found ${timeTag(atMs)}. State:
      ${winner === null && state === 'open' ? DECIDED_BY[by] : CONFLICT_STATES[state]}.
    </p>
    <div class="sides">${SIDES.map((side) => valueBox(place, conflict, side))}</div>
    ${isOpen && winner !== null ? html`<div class="actions">${reviewButton(place, conflict, 'dismissed')}</div>` : ''}
  </li>`;
};

/** One decision for all open conflicts that are shown. */
const bulkForm = ({ context, link, find }: Place, shown: readonly ConflictView[]): Html => {
  const open = shown.filter(({ state }) => state === 'open');
  if (context.readonly || open.length < 2) return html``;
  const keeps = open.some(({ winner }) => winner !== null);
  const sides = SIDES.filter((side) => open.some((each) => isTakable(link, each, side)));
  return html`<form method="post" action="${linkPath(link.name, '/conflicts')}" class="actions">
    <input type="hidden" name="token" value="${context.formToken}" />
    <input type="hidden" name="ids" value="${open.map(({ id }) => id).join(',')}" />
    ${find === '' ? '' : html`<input type="hidden" name="find" value="${find}" />`}
    <div>
      <label for="review">Decide the ${count(open.length, 'open conflict')} at once</label>
      <select id="review" name="review">
        ${keeps ? html`<option value="dismissed">Keep the current values</option>` : ''}
        ${sides.map((side) => html`<option value="${side}">Take ${link.sides[side].title}'s values</option>`)}
      </select>
    </div>
    <button>Decide ${count(open.length, 'conflict')}</button>
  </form>`;
};

const EMPTY = {
  none: 'No conflicts. A conflict appears here when both sides change the same field between two runs.',
  filtered: 'No conflict matches. Clear the filter to see all of them.',
} as const;

/** The conflicts of a link. */
export const conflictsPage = (context: PageContext, link: LinkConfig, { conflicts, all, find }: Listed): Html => {
  const found = conflicts.filter(({ name, left, right, ...ids }) => isFound(find, [name, left, right, idsText(ids)]));
  const shown = found.toReversed().slice(0, CONFLICTS_SHOWN);
  const hidden = found.length - shown.length;
  const at = linkPath(link.name, '/conflicts');
  const place = { context, link, find };
  return page(context, {
    title: `Conflicts of ${link.name}`,
    nav: navOf(link, '/conflicts'),
    body: [
      html`<p>
        Fields that were changed differently on both sides, newest first. If you take the other value, the next run
        writes it. A conflict that needs a decision keeps both values until you take one.
        ${all ? html`<a href="${at}">Show open conflicts</a>` : html`<a href="${at}?all=1">Show all conflicts</a>`}
      </p>`,
      conflicts.length === 0 ? html`` : findForm(at, find, all ? { all: '1' } : {}),
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
