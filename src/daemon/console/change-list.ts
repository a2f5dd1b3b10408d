import { html } from 'hono/html';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { SIDES, type Side } from '../../core/contact/side.ts';
import { idsText } from '../../core/view/values.ts';
import { decidedBy } from '../../core/reconcile/conflict-policy.ts';
import { countOfKind, selectChanges, type ChangeFilter } from '../../core/view/changes.ts';
import { decidedWords, fieldWords, grouped, CHANGE_KIND_TITLES, IS_OF_BOTH, whyWords } from '../../core/view/words.ts';
import { CHANGE_KINDS, changeKindOf, type Change, type FieldChange, type ChangeKind } from '../../core/view/views.ts';
import { filterForm, timeTag, valueList, type Html } from './layout.ts';

/** The number of changes of each kind on one page; the filter finds the others. */
const ROWS_SHOWN = 100;
/** The number of changes of each kind that are not collapsed. */
const SAMPLES_SHOWN = 5;

const ACTIONS: Readonly<Record<Change['action'], string>> = {
  create: 'create',
  update: 'update',
  membership: 'change labels or buckets',
  delete: 'delete',
  pair: 'pair',
  unlink: 'unlink',
  ask: 'ask for a decision',
  'create-group': 'create the label or bucket',
  'rename-group': 'rename the label or bucket',
  'delete-group': 'delete the label or bucket',
};

/** The contact or group of a change. */
const changeSubject = (change: Change): string =>
  change.name ?? ('leftId' in change ? idsText(change) : 'a label or bucket');

/** The rule by which a side won a conflict, and the times of both edits if they decided it. */
const ruleText = ({ field, why }: FieldChange, link: LinkConfig): Html => {
  if (why.kind !== 'conflict' || field === 'name') return html``;
  const { changedAtMs, winner } = why;
  const conflict = { field, left: '', right: '', winner, decided: null, endedAtMs: null };
  const by = decidedBy(conflict, link, changedAtMs ?? { left: null, right: null });
  if (changedAtMs === undefined)
    return by === 'times unknown' ? html`` : html`: ${decidedWords({ by, winner }, link.sides)}`;
  const timeOf = (side: Side) => (changedAtMs[side] === null ? 'at an unknown time' : timeTag(changedAtMs[side]));
  const times = SIDES.map((side) => html`; ${link.sides[side].title} changed ${timeOf(side)}`);
  // The text before this one has the reason of a tie.
  return html`${by === 'newer edit' ? ': the newer edit wins' : ''}${times}`;
};

/** The values of a field before and after. Of several values, only those that were removed or added. */
const valuesOfChange = ({ from, to }: FieldChange): Html => {
  if (from.length < 2 && to.length < 2)
    return html`<del>${from[0] ?? '(empty)'}</del> &rarr; <ins>${to[0] ?? '(empty)'}</ins>`;
  const removed = from.filter((value) => !to.includes(value)).map((value) => html`removed <del>${value}</del>`);
  const added = to.filter((value) => !from.includes(value)).map((value) => html`added <ins>${value}</ins>`);
  const changed = [...removed, ...added];
  return changed.length === 0 ? html`the same values in another order` : valueList(changed);
};

/** A field with its value before and after. */
export const fieldChangeItem = (change: FieldChange, whole: Change['why'] | null, link: LinkConfig): Html => {
  const { field, from, to, why } = change;
  const { sides } = link;
  const name = field === 'name' ? 'name' : fieldWords(field);
  const isToldAbove = whole === null || why.kind === whole.kind;
  const reason = isToldAbove
    ? ''
    : html` <span class="faint">(${whyWords(why, sides)}${ruleText(change, link)})</span>`;
  if (why.kind === 'asked') {
    return html`<li>
      ${name}${reason}:
      ${valueList(SIDES.map((side) => `${sides[side].title}: ${(side === 'left' ? from : to)[0] ?? '(empty)'}`))}
    </li>`;
  }
  return html`<li>${name}: ${valuesOfChange(change)}${reason}</li>`;
};

/** A value of a created or deleted contact; the name is already in the heading. */
const contentItem = ({ field, from, to }: FieldChange): Html => {
  const isName = field === 'name' || field === 'firstName' || field === 'lastName';
  return isName ? html`` : html`<li>${fieldWords(field)}: ${valueList([...from, ...to])}</li>`;
};

const changeItem = <Each extends Change>(change: Each, link: LinkConfig, more: (change: Each) => Html): Html => {
  const { action, side, changes, why } = change;
  const { sides } = link;
  const place = IS_OF_BOTH.has(action) ? '' : ` at ${sides[side].place}`;
  const isWhole = /^(?:create|delete)/u.test(action);
  const items = changes.map((each) => (isWhole ? contentItem(each) : fieldChangeItem(each, why, link)));
  return html`<li>
    <h3>${changeSubject(change)}</h3>
    <span class="faint">${ACTIONS[action]}${place}: ${whyWords(why, sides)}</span>
    ${
      items.length === 0
        ? ''
        : html`<ul>
            ${items}
          </ul>`
    }
    ${more(change)}
  </li>`;
};

/** Reads the filter of a list from the address of a page, or from a form of the page. */
export const filterIn = (parameter: (name: string) => string | null | undefined): ChangeFilter => {
  const only = CHANGE_KINDS.find((each) => each === parameter('only'));
  const grep = parameter('find')?.trim() ?? '';
  return { ...(only !== undefined && { only }), ...(grep !== '' && { grep }) };
};

/** The filter of changes. */
export const changeFilter = (action: string, shown: ChangeFilter, label?: string): Html =>
  filterForm({
    action,
    find: shown.grep ?? '',
    ...(label !== undefined && { label }),
    choices: [
      { name: 'only', label: 'Show', options: { '': 'Everything', ...CHANGE_KIND_TITLES }, chosen: shown.only ?? '' },
    ],
  });

/** Changes of one kind: the first ones of `total`; `counted` is their number in the heading. */
type Section<Each> = {
  readonly changeKind: ChangeKind;
  readonly total: number;
  readonly counted: string;
  readonly own: readonly Each[];
  /** The part of `total` in the first rows. */
  readonly countOf?: (rows: readonly Each[]) => number;
};

/** Changes of one kind; `rest` is a hint about those that are not shown, and `intro` is shown above them. */
export const changeSection = <Each extends Change>(
  { changeKind, total, counted, own, countOf = (rows) => rows.length }: Section<Each>,
  link: LinkConfig,
  more: (change: Each) => Html,
  rest: Html | string = 'use the filter to find them.',
  intro: Html = html``,
): Html => {
  const rows = own.slice(0, ROWS_SHOWN);
  const items = rows.map((change) => changeItem(change, link, more));
  const folded = items.slice(SAMPLES_SHOWN);
  const further = countOf(rows) - countOf(rows.slice(0, SAMPLES_SHOWN));
  // Refused writes have rows, and are not counted.
  const hidden = total - countOf(rows) || own.length - rows.length;
  return html`<section id="${changeKind}">
    <h2>${CHANGE_KIND_TITLES[changeKind]}: ${counted}</h2>
    ${intro}
    <ul class="panel changes">
      ${items.slice(0, SAMPLES_SHOWN)}
    </ul>
    ${
      folded.length === 0
        ? ''
        : html`<details>
            <summary>
              Show ${further === 0 ? '' : `${grouped(further)} `}more<span class="skip">
                ${CHANGE_KIND_TITLES[changeKind]}</span
              >
            </summary>
            <ul class="panel changes">
              ${folded}
            </ul>
          </details>`
    }
    ${hidden <= 0 ? '' : html`<p class="faint">And ${grouped(hidden)} more: ${rest}</p>`}
  </section>`;
};

/** Changes grouped by kind, destructive kinds first. `more` and `intro` return additional content for a change and for a kind. */
export const changeSections = <Each extends Change>(
  all: readonly Each[],
  link: LinkConfig,
  shown: ChangeFilter,
  more: (change: Each) => Html = () => html``,
  intro: (own: readonly Each[]) => Html = () => html``,
): readonly Html[] => {
  const selected = selectChanges(all, shown);
  const groups = Map.groupBy(selected, changeKindOf);
  const sections = CHANGE_KINDS.flatMap((changeKind): Html[] => {
    const own = groups.get(changeKind) ?? [];
    if (own.length === 0) return [];
    const { isOfCreated, countOf } = countOfKind(own, all);
    const total = countOf(own);
    const counted = `${grouped(total)}${isOfCreated ? ' to contacts that the run created' : ''}`;
    return [changeSection({ changeKind, own, total, counted, countOf }, link, more, undefined, intro(own))];
  });
  return sections.length > 0 || all.length === 0 ? sections : [html`<p>No matching changes.</p>`];
};
