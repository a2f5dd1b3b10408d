import { html } from 'hono/html';
import { grouped } from '../../../core/view/words.ts';
import type { Html } from '../layout.ts';
import { DAYS_SHOWN, type Day } from '../overview.ts';

const HEIGHT = 100;
const BAR = 8;
const STEP = 10;

const KINDS = ['created', 'updated', 'deleted'] as const;

const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

const sumOf = (day: Day): number => day.created + day.updated + day.deleted;

/** One day as a stack of its writes, with its numbers as a title. */
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
