import type { VerdictView } from '../../../engine/verdicts.ts';
import { AMBIGUITIES, count, fieldWords, estimateWords, grouped, unsyncedNames } from '../../../core/view/words.ts';
import { html } from 'hono/html';
import type { LinkConfig } from '../../../app/config/link-config.ts';
import { syncedIn, type Contact, type SyncedField } from '../../../core/contact/contact.ts';
import { otherSide, SIDES, type Side } from '../../../core/contact/side.ts';
import { forField, mayWrite } from '../../../core/reconcile/policy.ts';
import { contactsToWrite, countBySide, type ChangeFilter } from '../../../core/view/changes.ts';
import { nameOf, shownValues } from '../../../core/view/values.ts';
import { changeKindOf, type Change, type ChangeKind, type Unpaired } from '../../../core/view/views.ts';
import { changeFilter, changeSections } from '../change-list.ts';
import type { WorkProgress } from '../actions.ts';
import { plannedConflict, type Planning, type PlanView } from '../plans.ts';
import {
  agoTag,
  button,
  choiceOf,
  hiddenFields,
  messageText,
  page,
  table,
  timeTag,
  linkPath,
  navOf,
  runPath,
  valueList,
  type Html,
  type PageContext,
} from '../layout.ts';
import { VERDICT_LABELS, verdictButton } from './contact.ts';

const UNPAIRED_SHOWN = 100;
const VERDICTS_SHOWN = 200;

const NO_GROUPS = new Map<string, string>();

const valueOf = (contact: Contact | undefined, field: SyncedField): Html | string => {
  if (contact === undefined) return '';
  const values = shownValues({ contact, groupIds: [] }, field, NO_GROUPS);
  return values.length === 0 ? '' : valueList(values);
};

/** A table that compares contacts field by field. */
const sideBySide = (caption: string, titles: readonly string[], contacts: readonly (Contact | undefined)[]): Html => {
  const rows = syncedIn(...contacts.filter((contact) => contact !== undefined)).flatMap((field) => {
    const values = contacts.map((contact) => valueOf(contact, field));
    return values.every((value) => value === '') ? [] : [[fieldWords(field), ...values]];
  });
  return table({ caption, titles: ['Field', ...titles], rows, look: 'fields' });
};

const pairOf = (context: PageContext, change: Change, link: LinkConfig, { contacts }: PlanView): Html => {
  if (change.action !== 'pair' || change.leftId === null || change.rightId === null) return html``;
  const { leftId, rightId } = change;
  const titles = SIDES.map((side) => link.sides[side].title);
  return html`<details>
      <summary>Both contacts side by side</summary>
      ${sideBySide('The contacts to pair', titles, [contacts.get(`left ${leftId}`), contacts.get(`right ${rightId}`)])}
    </details>
    ${verdictButton(context, link, { leftId, rightId, says: 'apart', describes: change.name ?? leftId })}`;
};

/** The form whose fields are next to the conflicts. */
const CHOICES = 'choices';

/** The choice of the side whose values of a conflict win, in a plan that waits for its review. */
const conflictChoice = (change: Change, { sides }: LinkConfig): Html => {
  const conflict = plannedConflict(change);
  if (conflict === null) return html``;
  const open = conflict.winner === null ? { '': 'Not decided' } : {};
  return choiceOf({
    name: conflict.name,
    label: `Keep for ${change.name ?? conflict.leftId}`,
    options: { ...open, left: `${sides.left.title}'s values`, right: `${sides.right.title}'s values` },
    chosen: conflict.winner ?? '',
    form: CHOICES,
  });
};

/** The buttons that send the choices, or choose one side for all conflicts. */
const choiceButtons = (changes: readonly Change[], { sides }: LinkConfig): Html =>
  changes.every((change) => plannedConflict(change) === null)
    ? html``
    : html`<div class="actions">
        ${SIDES.map(
          (side) =>
            html`<button form="${CHOICES}" name="all" value="${side}">Take all from ${sides[side].title}</button>`,
        )}
        <button form="${CHOICES}">Save the choices</button>
      </div>`;

type Candidate = Unpaired[Side][number];

/** The names of the candidates of a side, numbered if there are several. */
const candidateNames = (candidates: readonly Candidate[]): ReadonlyMap<string, string> =>
  new Map(
    candidates.map(({ id, name }, index) => [id, `${name ?? id}${candidates.length > 1 ? ` (${index + 1})` : ''}`]),
  );

const candidateChoice = (side: Side, candidates: readonly Candidate[], { sides }: LinkConfig, row: number): Html => {
  const [only, second] = candidates;
  if (only === undefined || second === undefined) {
    return html`${hiddenFields({ [side]: only?.id ?? '' })}`;
  }
  return choiceOf({
    id: `${side}${row}`,
    name: side,
    label: `At ${sides[side].place}`,
    options: Object.fromEntries(candidateNames(candidates)),
    chosen: only.id,
  });
};

/** A form for the decision whether two candidates are one person. */
const verdictForm = (context: PageContext, link: LinkConfig, unpaired: Unpaired, who: string, row: number): Html => {
  const says = (word: VerdictView['says']): Html =>
    html`<button name="says" value="${word}">${VERDICT_LABELS[word]}<span class="skip"> ${who}</span></button>`;
  return html`<form method="post" action="${linkPath(link.name, '/verdicts')}" class="actions">
    ${hiddenFields({ token: context.session.formToken })}
    ${SIDES.map((side) => candidateChoice(side, unpaired[side], link, row))} ${says('together')} ${says('apart')}
  </form>`;
};

const candidatesItem = (
  context: PageContext,
  unpaired: Unpaired,
  link: LinkConfig,
  view: PlanView,
  row: number,
): Html => {
  const { sides } = link;
  const columns = SIDES.flatMap((side) => {
    const names = candidateNames(unpaired[side]);
    return unpaired[side].map(({ id }) => ({
      title: `${sides[side].title}: ${names.get(id)}`,
      contact: view.contacts.get(`${side} ${id}`),
    }));
  });
  const who = [...new Set(SIDES.flatMap((side) => unpaired[side].map(({ id, name }) => name ?? id)))].join(', ');
  return html`<li>
    <h3>${who}</h3>
    <span class="faint"
      >${AMBIGUITIES[unpaired.why]} Without a decision, each is created as a separate contact on the other side.</span
    >
    <details open>
      <summary>Candidates side by side</summary>
      ${sideBySide(
        'Contacts that may be one person',
        columns.map(({ title }) => title),
        columns.map(({ contact }) => contact),
      )}
    </details>
    ${verdictForm(context, link, unpaired, who, row)}
  </li>`;
};

const unpairedSection = (context: PageContext, link: LinkConfig, view: PlanView): Html => {
  const { unpaired } = view;
  if (unpaired.length === 0) return html``;
  const hidden = unpaired.length - Math.min(unpaired.length, UNPAIRED_SHOWN);
  return html`<section id="unpaired">
    <h2>Not paired: ${grouped(unpaired.length)}</h2>
    <ul class="changes">
      ${unpaired.slice(0, UNPAIRED_SHOWN).map((each, row) => candidatesItem(context, each, link, view, row))}
    </ul>
    ${hidden === 0 ? '' : html`<p class="faint">And ${grouped(hidden)} more: they are shown after you decide these.</p>`}
  </section>`;
};

/** Decisions about contacts that are not paired, each with a button that removes it. */
const verdictsSection = (
  context: PageContext,
  link: LinkConfig,
  verdicts: readonly VerdictView[],
  planning: Planning | null,
): Html => {
  if (verdicts.length === 0) return html``;
  const contacts = planning?.state === 'planned' ? planning.view.contacts : new Map<string, Contact>();
  const nameAt = (side: Side, id: string, name: string | null): string => {
    const contact = contacts.get(`${side} ${id}`);
    return name ?? (contact === undefined ? null : nameOf(contact)) ?? id;
  };
  const rows = verdicts.slice(0, VERDICTS_SHOWN).map(({ leftId, rightId, says, atMs, names }) => {
    const who = [nameAt('left', leftId, names.left), nameAt('right', rightId, names.right)];
    const back = verdictButton(context, link, { leftId, rightId, says: 'forget', describes: who.join(', ') });
    return [...who, says === 'together' ? 'one person' : 'two people', timeTag(atMs), back];
  });
  const titles = [...SIDES.map((side) => `At ${link.sides[side].place}`), 'Decision', 'Made', 'Action'];
  return html`<section>
    <h2>Decisions by hand: ${grouped(verdicts.length)}</h2>
    ${table({ caption: 'Decisions that the next run applies', titles, rows })}
  </section>`;
};

/** The number of contacts that a plan deletes on each side, or with `where` their counterparts: `3 at Google`; empty for none. */
const deletionCounts = ({ changes }: PlanView, { sides }: LinkConfig, where: (side: Side) => Side): string => {
  const deleted = changes.filter(({ action }) => action === 'delete');
  const counts = SIDES.flatMap((side) => {
    const number = deleted.filter((change) => change.side === side).length;
    return number === 0 ? [] : [`${grouped(number)} at ${sides[where(side)].place}`];
  });
  return counts.join(' and ');
};

/** The labels and buckets that a plan deletes and a restore creates again, counted by side: `1 label or bucket at Google`. */
const groupCounts = ({ changes }: PlanView, link: LinkConfig): string => {
  const policy = forField(link, 'buckets');
  const counts = SIDES.flatMap((side) => {
    const deleted = changes.filter((change) => change.action === 'delete-group' && otherSide(change.side) === side);
    if (deleted.length === 0 || !mayWrite(policy, side)) return [];
    return [`${count(deleted.length, 'label or bucket', 'labels or buckets')} at ${link.sides[side].place}`];
  });
  return counts.join(' and ');
};

/** The contacts and groups that a restore creates again, counted by side; empty if nothing can be restored. */
const restorable = (view: PlanView, link: LinkConfig): string => {
  if (!view.destroys) return '';
  const changes = view.changes.filter((change) => change.action === 'delete' && mayWrite(link, otherSide(change.side)));
  const counts = [deletionCounts({ ...view, changes }, link, otherSide), groupCounts(view, link)];
  return counts.filter((text) => text !== '').join(' and ');
};

/** The label of the button that accepts a plan. Deletions of contacts are counted by side. */
const acceptLabel = (view: PlanView, link: LinkConfig): string => {
  if (view.halt === null) return 'Run this plan';
  const deletions = deletionCounts(view, link, (side) => side);
  return view.destroys && deletions !== '' ? `Delete ${deletions}` : 'Accept this plan';
};

/** The answers to a plan: one button for each. */
const answers = (context: PageContext, link: LinkConfig, view: PlanView): Html => {
  const at = linkPath(link.name, '/plan');
  const isEmpty = view.changes.length === 0 && view.halt === null;
  const accept = {
    action: `${at}/accept`,
    label: acceptLabel(view, link),
    fields: { plan: view.digest },
    look: view.destroys ? ('danger' as const) : ('first' as const),
  };
  const lost = restorable(view, link);
  const restore = { action: `${at}/restore`, label: `Restore ${lost}`, look: 'first' as const };
  return html`<div class="actions">
    ${lost === '' ? '' : button(context, restore)} ${isEmpty ? '' : button(context, accept)}
    ${button(context, { action: at, label: 'Refresh' })}
  </div>`;
};

/** The number of changes of one sort, with a link to them. */
type Tile = { readonly number: number; readonly text: string; readonly href: string; readonly tone?: 'warn' | 'bad' };

const tilesOf = ({ changes, unpaired }: PlanView, { sides }: LinkConfig): readonly Tile[] => {
  const groups = Map.groupBy(changes, changeKindOf);
  const own = (changeKind: ChangeKind): readonly Change[] => groups.get(changeKind) ?? [];
  const at = (changeKind: ChangeKind, text: string, more: Partial<Tile> = {}): readonly Tile[] =>
    SIDES.map((side) => ({
      number: countBySide(own(changeKind), changes)[side],
      text: `${text} ${sides[side].place}`,
      href: `#${changeKind}`,
      ...more,
    }));
  const whole = (changeKind: ChangeKind, text: string): Tile => ({
    number: own(changeKind).length,
    text,
    href: `#${changeKind}`,
  });
  const tiles: readonly Tile[] = [
    ...at('deletes', 'will be deleted at', { tone: 'bad' }),
    { number: unpaired.length, text: 'need a decision', href: '#unpaired', tone: 'warn' },
    whole('pairings', 'will be matched'),
    ...at('creates', 'will be created at'),
    ...at('updates', 'will be updated at'),
    whole('conflicts', 'have different values'),
    whole('unlinks', 'will be unlinked'),
  ];
  return tiles.filter(({ number }) => number > 0);
};

const tileList = (tiles: readonly Tile[]): Html =>
  html`<ul class="tiles">
    ${tiles.map(
      ({ number, text, href, tone }) =>
        html`<li class="${tone ?? ''}">
          <a href="${href}"><strong>${grouped(number)}</strong> ${text}</a>
        </li>`,
    )}
  </ul>`;

const isFirstSync = ({ halt, destroys }: PlanView): boolean => halt !== null && !destroys;

/** The fields of the contacts that a first sync leaves out. */
const unsyncedPart = ({ unsynced }: PlanView): Html => {
  if (unsynced.length === 0) return html``;
  const { counted, unread } = unsyncedNames(unsynced);
  const names = [...counted, ...unread];
  return html`<details>
    <summary>${count(names.length, 'field')} of the contacts are not synced</summary>
    ${valueList(names)}
    <p class="faint small">Setting: <code>FIELDS</code></p>
  </details>`;
};

/** The decisions that a user may make before the first sync; empty if there are none. */
const decisionsHint = ({ changes, unpaired }: PlanView): Html => {
  const parts = [
    ...(unpaired.length === 0 ? [] : ['Decide the possible matches below first.']),
    ...(changes.every((change) => plannedConflict(change) === null) ? [] : ['Different values can be chosen below.']),
  ];
  return parts.length === 0 ? html`` : html`<p>${parts.join(' ')}</p>`;
};

const explanation = (view: PlanView, link: LinkConfig): Html => {
  const { halt } = view;
  if (halt === null) return html`<p>The next run does this by itself. Run it now if you do not want to wait.</p>`;
  const hint = isFirstSync(view)
    ? decisionsHint(view)
    : html`<p>
        ${restorable(view, link) === '' ? '' : 'If they were deleted by mistake, restore them.'} Each answer can be
        undone.
      </p>`;
  return html`${messageText(halt)}
    <p>No run writes before you answer.</p>
    ${unsyncedPart(view)} ${hint}`;
};

/** The number of changes after which the answers are repeated. */
const LONG_PLAN = 10;

const planned = (context: PageContext, link: LinkConfig, view: PlanView, shown: ChangeFilter): readonly Html[] => {
  const { changes, halt, atMs } = view;
  const at = linkPath(link.name, '/plan');
  const requests = estimateWords(view.estimate, link.sides);
  const estimate = requests === null ? '' : `Estimate: ${requests}.`;
  const made = html`<p class="faint small">Planned ${agoTag(atMs)}. ${estimate}</p>`;
  if (changes.length === 0 && halt === null) {
    return [
      html`<div class="panel">
        <p class="headline">Nothing to write.</p>
        ${answers(context, link, view)} ${made}
      </div>`,
      unpairedSection(context, link, view),
    ];
  }
  const isReview = halt !== null;
  const more = (change: Change): Html =>
    html`${pairOf(context, change, link, view)}${isReview ? conflictChoice(change, link) : ''}`;
  return [
    tileList(tilesOf(view, link)),
    html`<div class="panel ${isReview ? 'accept' : ''}">
      ${explanation(view, link)} ${answers(context, link, view)} ${made}
    </div>`,
    unpairedSection(context, link, view),
    html`<h2>${count(contactsToWrite(changes), 'contact')} to write</h2>`,
    changeFilter(at, shown),
    isReview
      ? html`<form id="${CHOICES}" method="post" action="${linkPath(link.name, '/choices')}">
          ${hiddenFields({ token: context.session.formToken, only: shown.only ?? '', find: shown.grep ?? '' })}
        </form>`
      : html``,
    ...changeSections(changes, link, shown, more, (own) => (isReview ? choiceButtons(own, link) : html``)),
    changes.length > LONG_PLAN ? html`<div class="panel">${answers(context, link, view)}</div>` : html``,
  ];
};

const accepted = (link: LinkConfig, ranAs: string | null): Html =>
  ranAs === null
    ? html`<p class="panel notice">The plan is accepted. This page shows the progress of its run.</p>`
    : html`<div class="panel hero good">
        <p class="headline"><i class="dot" aria-hidden="true"></i><strong>Done</strong></p>
        <p>The plan is accepted and has run.</p>
        <div class="actions">
          <a class="button first" href="${linkPath(link.name)}">Go to the link</a>
          <a class="button" href="${runPath(link.name, ranAs)}">Show the run</a>
        </div>
      </div>`;

const body = (
  context: PageContext,
  link: LinkConfig,
  planning: Planning | null,
  shown: ChangeFilter,
): readonly Html[] => {
  const make = (label: string): Html =>
    html`<div class="actions">${button(context, { action: linkPath(link.name, '/plan'), label, look: 'first' })}</div>`;
  switch (planning?.state) {
    case undefined:
      return [html`<p>A plan is made when the current run has ended.</p>`];
    case 'planning':
    case 'checking':
      return [];
    case 'accepted':
      return [accepted(link, planning.ranAs)];
    case 'failed':
      return [html`<p class="panel trouble">${planning.message}</p>`, make('Try again')];
    case 'planned':
      return [
        planning.note === null ? html`` : html`<p class="panel notice" role="status">${planning.note}</p>`,
        ...planned(context, link, planning.view, shown),
      ];
  }
};

const titleOf = ({ name }: LinkConfig, planning: Planning | null): string => {
  if (planning?.state !== 'planned' || planning.view.halt === null) return `Plan of ${name}`;
  return isFirstSync(planning.view) ? `Review the first sync of ${name}` : `Review the halted run of ${name}`;
};

/** The changes of the next run, and the button that starts it. */
export const planPage = (
  context: PageContext,
  link: LinkConfig,
  of: {
    readonly planning: Planning | null;
    readonly progress: WorkProgress | null;
    readonly verdicts: readonly VerdictView[];
    readonly shown: ChangeFilter;
  },
): Html => {
  const { planning, progress, verdicts, shown } = of;
  return page(context, {
    title: titleOf(link, planning),
    nav: navOf(link, '/plan'),
    progress,
    body: [...body(context, link, planning, shown), verdictsSection(context, link, verdicts, planning)],
  });
};
