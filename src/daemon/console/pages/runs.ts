import { html } from 'hono/html';
import type { LinkConfig } from '../../../app/config/link-config.ts';
import type { UndoRefusal } from '../../../engine/history/plan-undo.ts';
import type { ShownWrites } from '../../../engine/history/run-writes.ts';
import { idsText } from '../../../core/view/values.ts';
import type { ChangeFilter } from '../../../core/view/changes.ts';
import {
  count,
  durationOf,
  fieldWords,
  formatDuration,
  grouped,
  shortRun,
  writeNote,
  wroteWords,
} from '../../../core/view/words.ts';
import type { Run, WriteView } from '../../../core/view/views.ts';
import { changeFilter, changeSection, changeSections } from '../change-list.ts';
import type { WorkProgress, Undoing } from '../actions.ts';
import {
  agoTag,
  button,
  filterForm,
  withQuery,
  messageText,
  page,
  table,
  timeTag,
  linkPath,
  navOf,
  runPath,
  facts,
  valueList,
  type Html,
  type PageContext,
} from '../layout.ts';

/** The name of a kind of run. */
export const RUN_WORDS: Readonly<Record<Run['kind'], string>> = {
  incremental: 'Sync',
  full: 'Full sync',
  undo: 'Undo',
};

/** Returns the writes of a run on each side, as a list. */
export const wroteText = (run: Pick<Run, 'wrote' | 'outcome'>, sides: LinkConfig['sides']): Html => {
  const texts = wroteWords(run, sides);
  if (texts.length > 0) return valueList(texts);
  if (run.wrote === null && run.outcome === 'failed') return html`<span class="faint">Not counted</span>`;
  return html`<span class="faint">${run.outcome === 'completed' ? 'No changes' : 'Nothing'}</span>`;
};

export const OUTCOME_WORDS: Readonly<Record<Run['outcome'], string>> = {
  completed: 'Completed',
  halted: 'Halted for review',
  failed: 'Failed',
  stopped: 'Stopped',
  running: 'Running',
};

const durationText = (run: Run): string => {
  const duration = durationOf(run);
  return duration === null ? 'unknown' : formatDuration(duration);
};

/** Runs as a table. */
const runsTable = ({ name, sides }: LinkConfig, runs: readonly Run[]): Html => {
  if (runs.length === 0) return html`<p class="panel faint">No runs yet. Press Sync now on the page of the link.</p>`;
  return table({
    caption: 'Runs, newest first',
    titles: ['Run', 'Started', 'Outcome', 'Wrote', 'Duration'],
    rows: runs.map((run) => [
      html`<a href="${runPath(name, run.id)}">${RUN_WORDS[run.kind]}</a>`,
      agoTag(run.startedAtMs),
      html`<span class="${run.outcome}">${OUTCOME_WORDS[run.outcome]}</span>`,
      wroteText(run, sides),
      run.outcome === 'running' ? 'running' : durationText(run),
    ]),
  });
};

/** One page of the filtered runs. */
type ListedRuns = {
  readonly runs: readonly Run[];
  readonly kind: Run['kind'] | null;
  readonly outcome: Run['outcome'] | null;
  /** Whether other pages have newer and older runs. */
  readonly isPast: boolean;
  readonly hasOlder: boolean;
};

/** The runs of a link. */
export const runsPage = (context: PageContext, link: LinkConfig, listed: ListedRuns): Html => {
  const { runs, kind, outcome, isPast, hasOlder } = listed;
  const at = linkPath(link.name, '/runs');
  const filter = { kind: kind ?? '', outcome: outcome ?? '' };
  const all = { '': 'All' };
  const last = runs.at(-1);
  return page(context, {
    title: `Runs of ${link.name}`,
    nav: navOf(link, '/runs'),
    body: [
      filterForm({
        action: at,
        find: null,
        choices: [
          { name: 'kind', label: 'Kind', options: { ...all, ...RUN_WORDS }, chosen: filter.kind },
          { name: 'outcome', label: 'Outcome', options: { ...all, ...OUTCOME_WORDS }, chosen: filter.outcome },
        ],
      }),
      runs.length === 0 && (isPast || kind !== null || outcome !== null)
        ? html`<p>No matching runs.</p>`
        : runsTable(link, runs),
      html`<p>
        ${isPast ? html`<a href="${withQuery(at, filter)}">Newest</a>` : ''}
        ${hasOlder && last !== undefined ? html`<a href="${withQuery(at, { ...filter, before: last.id })}">Older</a>` : ''}
      </p>`,
    ],
  });
};

const REFUSALS_SHOWN = 200;

const refusals = (refused: readonly UndoRefusal[], { sides }: LinkConfig): Html => {
  if (refused.length === 0) return html``;
  const rows = refused
    .slice(0, REFUSALS_SHOWN)
    .map((each) => [
      each.name ?? idsText(each),
      sides[each.side].title,
      each.field === null ? 'the contact' : fieldWords(each.field),
      each.reason,
    ]);
  const hidden = refused.length - rows.length;
  return html`${table({
    caption: `Not undone: ${grouped(refused.length)}`,
    titles: ['Contact', 'Side', 'Field', 'Reason'],
    rows,
  })}
  ${hidden === 0 ? '' : html`<p class="faint">And ${grouped(hidden)} more.</p>`}`;
};

type UndoParts = {
  readonly undoing: Undoing | null;
  /** The journal id of the shown write; null for the whole run. */
  readonly write: number | null;
  /** The reason why the run cannot be undone; null if it can. */
  readonly tooOld: string | null;
};

/** Whether the target of the current or last undo is this run or write. */
const isOf = (undoing: Undoing | null, run: Run, write: number | null): undoing is Undoing =>
  undoing?.run === run.id && undoing.write === write;

/** The undo of the run or the write that is shown. */
const undoOf = (context: PageContext, link: LinkConfig, run: Run, parts: UndoParts): readonly Html[] => {
  const { undoing, tooOld, write } = parts;
  const at = runPath(link.name, run.id);
  const fields = write === null ? {} : { write: String(write) };
  const what = write === null ? 'run' : 'write';
  const preview = (label: string): Html =>
    html`<div class="actions">${button(context, { action: `${at}/preview`, label, fields })}</div>`;
  if (tooOld !== null) return [html`<p class="faint">${tooOld}</p>`];
  if (!isOf(undoing, run, write)) return [preview('Preview undo')];
  switch (undoing.state) {
    case 'previewing':
    case 'undoing':
      return [];
    case 'failed':
      return [html`<div class="panel trouble">${messageText(undoing.message)}</div>`, preview('Try again')];
    case 'undone':
      return [
        html`<div class="panel notice" role="status">
          ${messageText(undoing.message)}
          <p>To revert the undo, undo its own run.</p>
        </div>`,
        refusals(undoing.report.refused, link),
        // A later undo may revert the rest.
        undoing.report.refused.length === 0 ? html`` : preview('Preview undo again'),
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
        halt === null ? html`` : html`<div class="panel trouble">${messageText(halt)}</div>`,
        report.actions.length === 0 ? html`<p>Nothing to undo.</p>` : html`<div class="actions">${undo}</div>`,
        ...changeSections(report.actions, link, {}),
        refusals(report.refused, link),
      ];
    }
  }
};

/** A link to the undo of one write; empty if there is nothing to undo. */
const undoLink = ({ name }: LinkConfig, { state, run, write, name: who }: WriteView): Html =>
  state === 'done'
    ? html` <a href="${runPath(name, run, write)}"
        >Undo only this<span class="skip"> of ${who ?? 'this contact'}</span></a
      >`
    : html``;

type RunParts = UndoParts & {
  readonly writes: ShownWrites;
  readonly shown: ChangeFilter;
  readonly progress: WorkProgress | null;
};

const runFacts = ({ name }: LinkConfig, run: Run): Html => {
  const { kind, outcome, startedAtMs, undoes, reason } = run;
  return facts([
    ['Kind', RUN_WORDS[kind]],
    ['Outcome', html`<span class="${outcome}">${OUTCOME_WORDS[outcome]}</span>`],
    ['Started', timeTag(startedAtMs)],
    ['Duration', outcome === 'running' ? null : durationText(run)],
    ['Undo of', undoes === null ? null : html`<a href="${runPath(name, undoes)}">${undoes}</a>`],
    ['Reason', reason === null ? null : messageText(reason)],
  ]);
};

/** The search in a large number of writes includes contacts only. */
const PERSON = 'Find a name, address or number';

/** The writes of a run: all, or some of each kind with a link to the others. */
const written = (link: LinkConfig, run: Run, { write, writes, shown }: RunParts): readonly Html[] => {
  const more = (each: WriteView): Html => html`${writeNote(each)}${write === null ? undoLink(link, each) : ''}`;
  if ('all' in writes) return changeSections(writes.all, link, shown, more);
  if ('of' in writes) {
    return writes.of.length === 0
      ? [html`<p>The run wrote no contact with this name, address or number.</p>`]
      : changeSections(writes.of, link, shown.only === undefined ? {} : { only: shown.only }, more);
  }
  if (writes.sections.length === 0) return [html`<p>No matching changes.</p>`];
  return writes.sections.map(({ changeKind, total, writes: own, next }) => {
    const rest =
      next === null
        ? 'use the filter to find them.'
        : html`<a href="${withQuery(runPath(link.name, run.id), { only: changeKind, from: String(next) })}"
            >show the next ones</a
          >`;
    return changeSection({ changeKind, total, counted: count(total, 'write'), own }, link, more, rest);
  });
};

/** One run, or one write of it, with its undo. */
export const runPage = (context: PageContext, link: LinkConfig, run: Run, parts: RunParts): Html => {
  const { write, writes, shown, undoing, progress } = parts;
  const at = runPath(link.name, run.id);
  const isWorking = isOf(undoing, run, write) && (undoing.state === 'previewing' || undoing.state === 'undoing');
  const hasWrites = 'all' in writes ? writes.all.length > 0 : writes.total > 0;
  const what = write === null ? 'Run' : `Write ${write} of run`;
  return page(context, {
    title: `${what} ${shortRun(run.id)} of ${link.name}`,
    nav: navOf(link, '/runs'),
    progress: isWorking ? progress : null,
    body: [
      write === null ? html`` : html`<p><a href="${at}">All writes of this run</a></p>`,
      runFacts(link, run),
      ...(hasWrites ? [html`<h2>Undo</h2>`, ...undoOf(context, link, run, parts)] : []),
      html`<h2>Writes</h2>`,
      hasWrites ? html`` : html`<p>The run wrote nothing.</p>`,
      hasWrites && write === null ? changeFilter(at, shown, 'all' in writes ? undefined : PERSON) : html``,
      ...written(link, run, parts),
    ],
  });
};
