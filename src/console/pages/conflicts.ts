import { html } from 'hono/html';
import type { LinkConfig } from '../../config/config.ts';
import { SIDES } from '../../contact/side.ts';
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
  const { winner } = conflict;
  const fixed = unwrittenSide(link, conflict.field);
  const who = `${fieldWords(conflict.field)} of ${conflict.name ?? idsText(conflict)}`;
  const id = String(conflict.id);
  const values = SIDES.filter((side) => side !== winner && (fixed === null || fixed === side));
  const takes = (conflict.state === 'open' ? values : []).map((side) =>
    button(context, {
      action,
      label: `Take ${link.sides[side].title}'s`,
      describes: who,
      fields: { id, review: side },
    }),
  );
  const leave = { action, label: 'Keep', describes: who, fields: { id, review: 'dismissed' } };
  const mayLeave = winner !== null;
  return html`<div class="actions">${takes} ${mayLeave ? button(context, { ...leave, look: 'quiet' }) : ''}</div>`;
};

/** The conflicts of a link. */
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
      ...SIDES.map((side) => conflict[side] || '(empty)'),
      conflict.winner === null
        ? DECIDED_BY[conflict.by]
        : `${sides[conflict.winner].title}: ${DECIDED_BY[conflict.by]}`,
      html`${CONFLICT_STATES[conflict.state]}, ${timeTag(conflict.atMs)}`,
      buttons(context, link, conflict),
    ]);
  const titles = ['Contact', 'Field', ...SIDES.map((side) => `At ${sides[side].place}`), 'Winner', 'State', 'Action'];
  const hidden = found.length - rows.length;
  const at = linkPath(link.name, '/conflicts');
  return page(context, {
    title: `Conflicts of ${link.name}`,
    nav: navOf(link, '/conflicts'),
    body: [
      html`<p>
        Fields with different changes on both sides. If you take the value that lost, the next run writes it. If a
        conflict has no winner, both sides keep their values until you take one.
        ${all ? html`<a href="${at}">Show open conflicts</a>` : html`<a href="${at}?all=1">Show all conflicts</a>`}
      </p>`,
      conflicts.length === 0 ? html`` : findForm(at, find, all ? { all: '1' } : {}),
      rows.length === 0 ? html`<p>No conflicts.</p>` : table('Conflicts, newest first', titles, rows),
      hidden === 0
        ? html``
        : html`<p class="faint">And ${grouped(hidden)} older ones: use the filter to find them.</p>`,
    ],
  });
};
