import { html } from 'hono/html';
import type { LinkConfig } from '../../config/config.ts';
import type { Refusal } from '../../history/plan-undo.ts';
import type { Shown } from '../../view/change-filter.ts';
import { fieldWords } from '../../view/field-words.ts';
import type { Run, Write } from '../../view/views.ts';
import { count, formatDuration } from '../../view/words.ts';
import { writeNote } from '../../view/write-note.ts';
import { changeSections, filterForm, idsText } from '../change-list.ts';
import type { Progress, Undoing } from '../desk.ts';
import { button, page, table, timeTag, type Html, type PageContext } from '../layout.ts';
import { linkPath, navOf, runPath } from '../paths.ts';
import { runsTable } from './links.ts';
import { facts, liveSection } from './parts.ts';

const OUTCOMES = ['completed', 'halted', 'failed', 'stopped', 'running'] as const;

/** What has run. */
export const runsPage = (
  context: PageContext,
  link: LinkConfig,
  { runs, outcome }: { readonly runs: readonly Run[]; readonly outcome: string },
): Html => {
  const chosen = OUTCOMES.find((each) => each === outcome);
  const shown = chosen === undefined ? runs : runs.filter((run) => run.outcome === chosen);
  const options = OUTCOMES.map(
    (each) => html`<option value="${each}" ${each === chosen ? html`selected` : ''}>${each}</option>`,
  );
  return page(context, {
    title: `Runs of ${link.name}`,
    nav: navOf(link, '/runs'),
    body: [
      html`<form method="get" action="${linkPath(link.name, '/runs')}" class="actions" role="search">
        <div>
          <label for="outcome">Outcome</label>
          <select id="outcome" name="outcome">
            <option value="">All</option>
            ${options}
          </select>
        </div>
        <button class="quiet">Filter</button>
      </form>`,
      chosen !== undefined && shown.length === 0
        ? html`<p>No run of late was ${chosen}.</p>`
        : runsTable(link.name, shown),
    ],
  });
};

const refusals = (refused: readonly Refusal[], { sides }: LinkConfig): Html => {
  if (refused.length === 0) return html``;
  const rows = refused
    .slice(0, 200)
    .map((each) => [
      idsText(each),
      sides[each.side].title,
      each.field === null ? 'the contact' : fieldWords(each.field),
      each.reason,
    ]);
  return table('Left as it is', ['Who', 'Side', 'What', 'Why'], rows);
};

type UndoParts = {
  readonly undoing: Undoing | null;
  /** Why the run cannot be undone; null where it can. */
  readonly tooOld: string | null;
};

const undoOf = (context: PageContext, link: LinkConfig, run: Run, { undoing, tooOld }: UndoParts): readonly Html[] => {
  const at = runPath(link.name, run.id);
  const preview = (label: string): Html =>
    html`<div class="actions">${button(context, { action: `${at}/preview`, label, look: 'quiet', shows: true })}</div>`;
  if (tooOld !== null) return [html`<p class="faint">${tooOld}</p>`];
  if (undoing === null || undoing.run !== run.id) return [preview('What would undoing it do?')];
  switch (undoing.state) {
    case 'previewing':
    case 'undoing':
      return [];
    case 'failed':
      return [html`<p class="panel trouble">${undoing.message}</p>`, preview('Try again')];
    case 'undone':
      return [
        html`<p class="panel notice" role="status">
          ${undoing.message} The undo is a run of its own, and can be undone too.
        </p>`,
        refusals(undoing.report.refused, link),
      ];
    case 'previewed': {
      const { report, halt } = undoing;
      const undo = button(context, {
        action: `${at}/undo`,
        label: halt === null ? 'Undo this run' : 'Undo this run, deletions included',
        look: 'danger',
        ...(halt !== null && { fields: { halt } }),
      });
      return [
        html`<p>${count(report.actions.length, 'change')} would revert what the run wrote.</p>`,
        halt === null ? html`` : html`<p class="panel trouble">${halt}</p>`,
        report.actions.length === 0 ? html`<p>Nothing is left to undo.</p>` : html`<div class="actions">${undo}</div>`,
        ...changeSections(report.actions, link.sides, {}),
        refusals(report.refused, link),
      ];
    }
  }
};

export type RunParts = UndoParts & {
  readonly writes: readonly Write[];
  readonly shown: Shown;
  readonly progress: Progress | null;
};

/** One run: what it wrote, and its undo. */
export const runPage = (context: PageContext, link: LinkConfig, run: Run, parts: RunParts): Html => {
  const { writes, shown, undoing, progress } = parts;
  const isWorking = undoing?.run === run.id && (undoing.state === 'previewing' || undoing.state === 'undoing');
  const written = writes.length > 0;
  return page(context, {
    title: `Run ${run.id.slice(0, 8)} of ${link.name}`,
    nav: navOf(link, '/runs'),
    isLive: isWorking,
    body: [
      isWorking ? liveSection(link.name, progress) : html``,
      facts([
        ['Kind', run.kind],
        ['Outcome', html`<span class="${run.outcome}">${run.outcome}</span>`],
        ['Began', timeTag(run.startedAtMs)],
        ['Took', run.endedAtMs === null ? null : formatDuration(run.endedAtMs - run.startedAtMs)],
        ['Undo of', run.undoes === null ? null : html`<a href="${runPath(link.name, run.undoes)}">${run.undoes}</a>`],
        ['Reason', run.reason],
      ]),
      ...(written ? [html`<h2>Undo</h2>`, ...undoOf(context, link, run, parts)] : []),
      html`<h2>What it wrote</h2>`,
      written ? filterForm(runPath(link.name, run.id), shown) : html`<p>It wrote nothing.</p>`,
      ...changeSections(writes, link.sides, shown, (write) => html`${writeNote(write)}`),
    ],
  });
};
