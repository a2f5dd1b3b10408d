import { html } from 'hono/html';
import type { LinkConfig } from '../../config/config.ts';
import type { Refusal } from '../../history/plan-undo.ts';
import type { ShownWrites } from '../../history/run-writes.ts';
import type { Shown } from '../../view/change-filter.ts';
import { fieldWords } from '../../view/field-words.ts';
import type { Run, Write } from '../../view/views.ts';
import { haltWords } from '../../view/halt-words.ts';
import { count, formatDuration } from '../../view/words.ts';
import { writeNote } from '../../view/write-note.ts';
import { changeSection, changeSections, filterForm, idsText } from '../change-list.ts';
import type { Progress, Undoing } from '../desk.ts';
import { button, page, table, timeTag, type Html, type PageContext } from '../layout.ts';
import { linkPath, navOf, runPath } from '../paths.ts';
import { runsTable } from './links.ts';
import { facts, liveSection } from './parts.ts';

export const RUN_KINDS = ['incremental', 'full', 'undo'] as const satisfies readonly Run['kind'][];
export const RUN_OUTCOMES = [
  'completed',
  'halted',
  'failed',
  'stopped',
  'running',
] as const satisfies readonly Run['outcome'][];

const choice = (label: string, name: string, options: readonly string[], chosen: string | null): Html =>
  html`<div>
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}">
      <option value="">All</option>
      ${options.map((each) => html`<option value="${each}" ${each === chosen ? html`selected` : ''}>${each}</option>`)}
    </select>
  </div>`;

/** A page of the runs that were asked for. */
type ListedRuns = {
  readonly runs: readonly Run[];
  readonly kind: Run['kind'] | null;
  readonly outcome: Run['outcome'] | null;
  /** Whether newer ones, and older ones, are on other pages. */
  readonly isPast: boolean;
  readonly hasOlder: boolean;
};

/** What has run. */
export const runsPage = (context: PageContext, link: LinkConfig, listed: ListedRuns): Html => {
  const { runs, kind, outcome, isPast, hasOlder } = listed;
  const at = linkPath(link.name, '/runs');
  const filter = { ...(kind !== null && { kind }), ...(outcome !== null && { outcome }) };
  const to = (more: Readonly<Record<string, string>>): string =>
    `${at}?${new URLSearchParams({ ...filter, ...more }).toString()}`;
  const last = runs.at(-1);
  return page(context, {
    title: `Runs of ${link.name}`,
    nav: navOf(link, '/runs'),
    body: [
      html`<form method="get" action="${at}" class="actions" role="search">
        ${choice('Kind', 'kind', RUN_KINDS, kind)} ${choice('Outcome', 'outcome', RUN_OUTCOMES, outcome)}
        <button class="quiet">Filter</button>
      </form>`,
      runs.length === 0 && (isPast || kind !== null || outcome !== null)
        ? html`<p>There is no such run.</p>`
        : runsTable(link.name, runs),
      html`<p>
        ${isPast ? html`<a href="${to({})}">Newest</a>` : ''}
        ${hasOlder && last !== undefined ? html`<a href="${to({ before: last.id })}">Older</a>` : ''}
      </p>`,
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
  /** The one write that is looked at, by its number in the journal; null where it is the whole run. */
  readonly write: number | null;
  /** Why the run cannot be undone; null where it can. */
  readonly tooOld: string | null;
};

/** Whether what is under way, or came of it, is about this. */
const isOf = (undoing: Undoing | null, run: Run, write: number | null): undoing is Undoing =>
  undoing?.run === run.id && undoing.write === write;

const undoOf = (context: PageContext, link: LinkConfig, run: Run, parts: UndoParts): readonly Html[] => {
  const { undoing, tooOld, write } = parts;
  const at = runPath(link.name, run.id);
  const fields = write === null ? {} : { write: String(write) };
  const what = write === null ? 'run' : 'write';
  const preview = (label: string): Html =>
    html`<div class="actions">
      ${button(context, { action: `${at}/preview`, label, fields, look: 'quiet', shows: true })}
    </div>`;
  if (tooOld !== null) return [html`<p class="faint">${tooOld}</p>`];
  if (!isOf(undoing, run, write)) return [preview('What would undoing it do?')];
  switch (undoing.state) {
    case 'previewing':
    case 'undoing':
      return [];
    case 'failed':
      return [html`<p class="panel trouble">${haltWords(undoing.message)}</p>`, preview('Try again')];
    case 'undone':
      return [
        html`<p class="panel notice" role="status">
          ${haltWords(undoing.message)} The undo is a run of its own, and can be undone too.
        </p>`,
        refusals(undoing.report.refused, link),
      ];
    case 'previewed': {
      const { report, halt } = undoing;
      const undo = button(context, {
        action: `${at}/undo`,
        label: `Undo this ${what}${halt === null ? '' : ', deletions included'}`,
        look: 'danger',
        fields: { ...fields, ...(halt !== null && { halt }) },
      });
      return [
        html`<p>
          ${count(report.actions.length, 'change')} would revert what the ${what} ${write === null ? 'wrote' : 'did'}.
        </p>`,
        halt === null ? html`` : html`<p class="panel trouble">${haltWords(halt)}</p>`,
        report.actions.length === 0 ? html`<p>Nothing is left to undo.</p>` : html`<div class="actions">${undo}</div>`,
        ...changeSections(report.actions, link.sides, {}),
        refusals(report.refused, link),
      ];
    }
  }
};

/** The way to the undo of one write; nothing where there is nothing to undo. */
const undoLink = ({ name }: LinkConfig, { state, run, write, name: who }: Write): Html =>
  state === 'done'
    ? html` <a href="${runPath(name, run, write)}"
        >Undo only this<span class="skip"> of ${who ?? 'this contact'}</span></a
      >`
    : html``;

export type RunParts = UndoParts & {
  readonly writes: ShownWrites;
  readonly shown: Shown;
  readonly progress: Progress | null;
};

const runFacts = ({ name }: LinkConfig, { kind, outcome, startedAtMs, endedAtMs, undoes, reason }: Run): Html =>
  facts([
    ['Kind', kind],
    ['Outcome', html`<span class="${outcome}">${outcome}</span>`],
    ['Began', timeTag(startedAtMs)],
    ['Took', endedAtMs === null ? null : formatDuration(endedAtMs - startedAtMs)],
    ['Undo of', undoes === null ? null : html`<a href="${runPath(name, undoes)}">${undoes}</a>`],
    ['Reason', reason === null ? null : haltWords(reason)],
  ]);

/** Of many writes people alone are looked for. */
const PERSON = 'Find a name, address or number';

/** What a run wrote: all of it, or some of each sort with the way to the others. */
const written = (link: LinkConfig, run: Run, { write, writes, shown }: RunParts): readonly Html[] => {
  const more = (each: Write): Html => html`${writeNote(each)}${write === null ? undoLink(link, each) : ''}`;
  if ('all' in writes) return changeSections(writes.all, link.sides, shown, more);
  if ('of' in writes) {
    return writes.of.length === 0
      ? [html`<p>It wrote nobody of that name, address or number.</p>`]
      : changeSections(writes.of, link.sides, shown.only === undefined ? {} : { only: shown.only }, more);
  }
  if (writes.sections.length === 0) return [html`<p>Nothing of that is among them.</p>`];
  return writes.sections.map(({ happening, total, writes: own, next }) => {
    const address = new URLSearchParams({ only: happening, ...(next !== null && { from: String(next) }) });
    const rest =
      next === null
        ? 'look for them by name.'
        : html`<a href="${runPath(link.name, run.id)}?${address.toString()}">the next ones</a>`;
    return changeSection({ happening, total, own }, link.sides, more, rest);
  });
};

/** One run, or one write of it: what it wrote, and its undo. */
export const runPage = (context: PageContext, link: LinkConfig, run: Run, parts: RunParts): Html => {
  const { write, writes, shown, undoing, progress } = parts;
  const at = runPath(link.name, run.id);
  const isWorking = isOf(undoing, run, write) && (undoing.state === 'previewing' || undoing.state === 'undoing');
  const hasWrites = 'all' in writes ? writes.all.length > 0 : writes.total > 0;
  const what = write === null ? 'Run' : `Write ${write} of run`;
  return page(context, {
    title: `${what} ${run.id.slice(0, 8)} of ${link.name}`,
    nav: navOf(link, '/runs'),
    isLive: isWorking,
    body: [
      isWorking ? liveSection(link.name, progress) : html``,
      write === null ? html`` : html`<p><a href="${at}">All that this run wrote</a></p>`,
      runFacts(link, run),
      ...(hasWrites ? [html`<h2>Undo</h2>`, ...undoOf(context, link, run, parts)] : []),
      html`<h2>What it wrote</h2>`,
      hasWrites ? html`` : html`<p>It wrote nothing.</p>`,
      hasWrites && write === null ? filterForm(at, shown, 'all' in writes ? undefined : PERSON) : html``,
      ...written(link, run, parts),
    ],
  });
};
