import { html } from 'hono/html';
import { otherSide, SIDES, type Sides, type SideWords } from '../../../core/contact/side.ts';
import { ACTION_WORDS, count, fieldWords, grouped, whyWords, writeNote } from '../../../core/view/words.ts';
import type { FieldChange, Run, Why, WriteView } from '../../../core/view/views.ts';
import { changeSubject } from '../change-list.ts';
import { agoTag, button, linkPath, runPath, type Html, type PageContext } from '../layout.ts';
import { DAYS_SHOWN, type RecentRun, type Day } from '../overview.ts';

/** The name of a kind of run. */
export const RUN_WORDS: Readonly<Record<Run['kind'], string>> = {
  incremental: 'Sync',
  full: 'Full sync',
  undo: 'Undo',
};

const LONGEST_VALUE = 60;
const FIELDS_SHOWN = 2;

const short = (text: string): string => (text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`);

const listed = (values: readonly string[]): string =>
  values.length > 2
    ? `${values.slice(0, 2).map(short).join(', ')} and ${values.length - 2} more`
    : values.map(short).join(', ');

/** `title Baker`, `title changed from Baker to Brewer`, `phone +44 20 removed`. */
const fieldText = ({ field, from, to }: FieldChange): string => {
  const name = field === 'name' ? 'name' : fieldWords(field);
  const added = to.filter((value) => !from.includes(value));
  const removed = from.filter((value) => !to.includes(value));
  if (added.length === 0 && removed.length === 0) return `order of ${name} changed`;
  if (removed.length === 0) return `${name} ${listed(added)} added`;
  if (added.length === 0) return `${name} ${listed(removed)} removed`;
  return `${name} changed from ${listed(removed)} to ${listed(added)}`;
};

const originText = ({ side }: Pick<WriteView, 'side'>, why: Why, sides: Sides<SideWords>): string =>
  why.kind === 'changed'
    ? `at ${sides[why.at].place}, copied to ${sides[side].place}`
    : `at ${sides[side].place} (${whyWords(why, sides)})`;

/** A write as a sentence without its subject. */
const actionText = (write: WriteView, sides: Sides<SideWords>): string => {
  const { action, side, why, changes } = write;
  const target = sides[side].place;
  const source = sides[otherSide(side)].place;
  if (why.kind === 'undo') return `${ACTION_WORDS[action]} at ${target} by the undo`;
  const isCreate = action === 'create' || action === 'create-group';
  const isDelete = action === 'delete' || action === 'delete-group';
  if (isCreate)
    return why.kind === 'new'
      ? `new at ${source}, copied to ${target}`
      : `created at ${target} (${whyWords(why, sides)})`;
  if (isDelete) {
    return why.kind === 'deleted'
      ? `deleted at ${source}, then at ${target}`
      : `deleted at ${target} (${whyWords(why, sides)})`;
  }
  const fields = changes.slice(0, FIELDS_SHOWN).map(fieldText);
  const hidden = changes.length - fields.length;
  const rest = hidden > 0 ? ` and ${count(hidden, 'more field')}` : '';
  return `${fields.join('; ') || 'updated'}${rest} ${originText(write, changes[0]?.why ?? why, sides)}`;
};

/** The number of contacts that a run wrote, or of its writes if the run has no summary. */
const sizeText = ({ run: { wrote }, total }: RecentRun): string => {
  if (wrote === null) return count(total, 'write');
  const contacts = SIDES.reduce((sum, side) => {
    const { created, updated, deleted } = wrote[side];
    return sum + created + updated + deleted;
  }, 0);
  return count(contacts, 'contact');
};

const runItem = (
  context: PageContext,
  link: string,
  sides: Sides<SideWords>,
  recent: RecentRun,
  undone: ReadonlySet<string>,
): Html => {
  const { run, writes, total } = recent;
  const at = runPath(link, run.id);
  const hidden = total - writes.length;
  return html`<li>
    <div class="entry">
      <div>
        <h3><a href="${at}">${RUN_WORDS[run.kind]}: ${sizeText(recent)}</a></h3>
        <span class="faint small"
          >${agoTag(context, run.startedAtMs)}${undone.has(run.id) ? '. A later undo reverted it, or a part of it.' : ''}</span
        >
      </div>
      ${button(context, {
        action: `${at}/preview`,
        label: 'Undo',
        describes: `the run with ${sizeText(recent)}, as a preview`,
        look: 'quiet',
        shows: true,
      })}
    </div>
    <ul class="sentences">
      ${writes.map((write) => html`<li><strong>${short(changeSubject(write))}</strong>: ${actionText(write, sides)}${writeNote(write)}</li>`)}
      ${hidden <= 0 ? '' : html`<li><a href="${at}">${grouped(hidden)} more</a></li>`}
    </ul>
  </li>`;
};

/** The last changes as sentences, grouped by run, the newest first. */
export const activity = (
  context: PageContext,
  link: string,
  sides: Sides<SideWords>,
  recent: readonly RecentRun[],
): Html => {
  const undone = new Set(recent.flatMap(({ run }) => (run.outcome === 'completed' ? (run.undoes ?? []) : [])));
  return html`<section>
    <h2>Recent activity</h2>
    ${
      recent.length === 0
        ? html`<p class="panel faint">
            No run has written a contact yet. Changes appear here after a run that writes.
          </p>`
        : html`<ul class="panel changes">
              ${recent.map((each) => runItem(context, link, sides, each, undone))}
            </ul>
            <p><a href="${linkPath(link, '/runs')}">Show all runs</a></p>`
    }
  </section>`;
};

const HEIGHT = 100;
const BAR = 8;
const STEP = 10;

const KINDS = ['created', 'updated', 'deleted'] as const;

const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

const sumOf = (day: Day): number => day.created + day.updated + day.deleted;

/** The stacked bar of one day, with its numbers as a title. */
const bar = (day: Day, index: number, top: number): Html => {
  let y = HEIGHT;
  const parts = KINDS.flatMap((kind) => {
    const height = (day[kind] / top) * HEIGHT;
    if (height === 0) return [];
    y -= height;
    return [
      html`<rect
        class="${kind}"
        x="${index * STEP}"
        y="${y.toFixed(1)}"
        width="${BAR}"
        height="${height.toFixed(1)}"
      />`,
    ];
  });
  const numbers = KINDS.map((kind) => `${grouped(day[kind])} ${kind}`).join(', ');
  return html`<g>
    <title>${DATE.format(day.startMs)}: ${numbers}</title>
    <rect class="day" x="${index * STEP}" y="0" width="${BAR}" height="${HEIGHT}" />
    ${parts}
  </g>`;
};

/** The writes of the last days as bars, with their scale, dates and a legend. */
export const chart = (days: readonly Day[]): Html => {
  const top = Math.max(...days.map(sumOf), 1);
  const totals = KINDS.map((kind) => ({ kind, total: days.reduce((sum, day) => sum + day[kind], 0) }));
  const text = totals.map(({ kind, total }) => `${grouped(total)} ${kind}`).join(', ');
  const first = days[0]?.startMs ?? 0;
  return html`<figure class="chart">
    <figcaption>
      <span>Contacts written a day</span>
      <span class="legend">
        ${totals.map(({ kind, total }) => html`<span><i class="${kind}"></i>${grouped(total)} ${kind}</span>`)}
      </span>
    </figcaption>
    <div class="plot">
      <span class="scale" aria-hidden="true"><span>${grouped(top)}</span><span>0</span></span>
      <svg
        role="img"
        aria-label="Contacts written in the last ${DAYS_SHOWN} days: ${text}. At most ${grouped(top)} on one day."
        preserveAspectRatio="none"
        viewBox="0 0 ${days.length * STEP} ${HEIGHT}"
      >
        ${days.map((day, index) => bar(day, index, top))}
      </svg>
    </div>
    <p class="dates" aria-hidden="true"><span>${DATE.format(first)}</span><span>Today</span></p>
  </figure>`;
};
