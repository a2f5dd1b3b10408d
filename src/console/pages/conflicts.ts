import { html } from 'hono/html';
import type { LinkConfig } from '../../config/config.ts';
import { otherSide, SIDES } from '../../contact/side.ts';
import { unwrittenSide } from '../../history/review.ts';
import { CONFLICT_STATES, DECIDED_BY } from '../../view/conflict-words.ts';
import { fieldWords } from '../../view/field-words.ts';
import type { ConflictView } from '../../view/views.ts';
import { grouped } from '../../view/words.ts';
import { findForm, idsText, isFound } from '../change-list.ts';
import { button, page, table, timeTag, type Html, type PageContext } from '../layout.ts';
import { linkPath, navOf } from '../paths.ts';

const ROWS_SHOWN = 200;

const buttons = (context: PageContext, link: LinkConfig, conflict: ConflictView): Html => {
  if (conflict.state !== 'open' && conflict.state !== 'taking') return html``;
  const action = linkPath(link.name, '/conflicts');
  const other = otherSide(conflict.winner);
  const fixed = unwrittenSide(link.direction);
  const who = `${fieldWords(conflict.field)} of ${conflict.name ?? idsText(conflict)}`;
  const id = String(conflict.id);
  const take = { action, label: `Take ${link.sides[other].title}'s`, describes: who, fields: { id, review: other } };
  const leave = { action, label: 'Leave it so', describes: who, fields: { id, review: 'dismissed' } };
  const mayTake = conflict.state === 'open' && (fixed === null || fixed === other);
  return html`<div class="actions">
    ${mayTake ? button(context, take) : ''} ${button(context, { ...leave, look: 'quiet' })}
  </div>`;
};

/** The fields that both sides had changed. */
export const conflictsPage = (
  context: PageContext,
  link: LinkConfig,
  {
    conflicts,
    all,
    find,
  }: { readonly conflicts: readonly ConflictView[]; readonly all: boolean; readonly find: string },
): Html => {
  const { sides } = link;
  const found = conflicts.filter(({ name, left, right, ...ids }) => isFound(find, [name, left, right, idsText(ids)]));
  const rows = found
    .toReversed()
    .slice(0, ROWS_SHOWN)
    .map((conflict) => [
      conflict.name ?? idsText(conflict),
      fieldWords(conflict.field),
      ...SIDES.map((side) => conflict[side] || 'nothing'),
      `${sides[conflict.winner].title}: ${DECIDED_BY[conflict.by]}`,
      html`${CONFLICT_STATES[conflict.state]}, ${timeTag(conflict.atMs)}`,
      buttons(context, link, conflict),
    ]);
  const titles = ['Who', 'Field', ...SIDES.map((side) => `At ${sides[side].place}`), 'Stands', 'State', 'Decide'];
  const hidden = found.length - rows.length;
  const at = linkPath(link.name, '/conflicts');
  return page(context, {
    title: `Conflicts of ${link.name}`,
    nav: navOf(link, '/conflicts'),
    body: [
      html`<p>
        Fields that both sides had changed. One value stands already; the next run writes the other one where you take
        it. ${all ? html`<a href="${at}">Open ones only</a>` : html`<a href="${at}?all=1">Reviewed ones too</a>`}
      </p>`,
      conflicts.length === 0 ? html`` : findForm(at, find, all ? { all: '1' } : {}),
      rows.length === 0
        ? html`<p>There is no conflict to look at.</p>`
        : table('Conflicts, the newest first', titles, rows),
      hidden === 0
        ? html``
        : html`<p class="faint">And ${grouped(hidden)} older ones: narrow them down with the filter.</p>`,
    ],
  });
};
