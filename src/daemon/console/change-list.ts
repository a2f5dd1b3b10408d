import { html } from 'hono/html';
import { SIDES, type Sides, type SideWords } from '../../core/contact/side.ts';
import { countBySide, containsText, selectChanges, type ChangeFilter } from '../../core/view/changes.ts';
import { fieldWords, grouped, CHANGE_KIND_TITLES, IS_OF_BOTH, whyWords } from '../../core/view/words.ts';
import { CHANGE_KINDS, changeKindOf, type Change, type FieldChange, type ChangeKind } from '../../core/view/views.ts';
import { exactTimeTag, type Html } from './layout.ts';

/** The number of changes of each kind on one page; the filter finds the others. */
const ROWS_SHOWN = 100;
/** The number of changes of each kind that are not collapsed. */
const SAMPLES_SHOWN = 5;

const ACTIONS: Readonly<Record<Change['action'], string>> = {
  create: 'create',
  update: 'update',
  membership: 'change groups',
  delete: 'delete',
  pair: 'pair',
  unlink: 'unlink',
  ask: 'ask for a decision',
  'create-group': 'create the group',
  'rename-group': 'rename the group',
  'delete-group': 'delete the group',
};

/** The values of a field, separated by commas. */
export const valuesText = (values: readonly string[]): string => (values.length === 0 ? '(empty)' : values.join(', '));

/** The ids of a contact without a name. */
export const idsText = ({
  leftId,
  rightId,
}: {
  readonly leftId: string | null;
  readonly rightId: string | null;
}): string => [leftId, rightId].filter((id) => id !== null).join(' / ') || 'a contact without an id';

/** The contact or group of a change. */
const changeSubject = (change: Change): string => change.name ?? ('leftId' in change ? idsText(change) : 'a group');

/** The times of both edits, if they decided a conflict. */
const timesText = (why: FieldChange['why'], sides: Sides<SideWords>): Html => {
  if (why.kind !== 'conflict' || why.changedAtMs === undefined) return html``;
  const { changedAtMs } = why;
  const times = SIDES.map((side) => {
    const atMs = changedAtMs[side];
    return html` ${sides[side].title} ${atMs === null ? 'unknown' : exactTimeTag(atMs)}${side === 'left' ? ',' : ''}`;
  });
  return html`; contact changed:${times}`;
};

/** A field with its value before and after. */
export const fieldChangeItem = (
  { field, from, to, why }: FieldChange,
  whole: Change['why'] | null,
  sides: Sides<SideWords>,
): Html => {
  const name = field === 'name' ? 'name' : fieldWords(field);
  const reason =
    whole === null || why.kind === whole.kind ? '' : html` (${whyWords(why, sides)}${timesText(why, sides)})`;
  if (why.kind === 'asked') {
    return html`<li>
      ${name}: ${sides.left.place} ${valuesText(from)}, ${sides.right.place} ${valuesText(to)}${reason}
    </li>`;
  }
  return html`<li>${name}: <del>${valuesText(from)}</del> &rarr; <ins>${valuesText(to)}</ins>${reason}</li>`;
};

/** A value of a created or deleted contact; the name is already in the heading. */
const contentItem = ({ field, from, to }: FieldChange): Html => {
  const isName = field === 'name' || field === 'firstName' || field === 'lastName';
  return isName ? html`` : html`<li>${fieldWords(field)}: ${valuesText([...from, ...to])}</li>`;
};

const changeItem = <Each extends Change>(change: Each, sides: Sides<SideWords>, more: (change: Each) => Html): Html => {
  const { action, side, changes, why } = change;
  const place = IS_OF_BOTH.has(action) ? '' : ` at ${sides[side].place}`;
  const isWhole = /^(?:create|delete)/u.test(action);
  const items = changes.map((each) => (isWhole ? contentItem(each) : fieldChangeItem(each, why, sides)));
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

/** Reads the filter of a list from the address of the page. */
export const shownOf = (query: (name: string) => string | undefined): ChangeFilter => {
  const only = CHANGE_KINDS.find((each) => each === query('only'));
  const grep = query('find')?.trim() ?? '';
  return { ...(only !== undefined && { only }), ...(grep !== '' && { grep }) };
};

const option = (value: ChangeKind, shown: ChangeFilter): Html =>
  html`<option value="${value}" ${shown.only === value ? html`selected` : ''}>${CHANGE_KIND_TITLES[value]}</option>`;

/** The filter of a list. */
export const filterForm = (action: string, shown: ChangeFilter, label = 'Find a name or a value'): Html =>
  html`<form method="get" action="${action}" class="actions" role="search">
    <div>
      <label for="find">${label}</label>
      <input id="find" name="find" type="search" value="${shown.grep ?? ''}" />
    </div>
    <div>
      <label for="only">Show</label>
      <select id="only" name="only">
        <option value="">Everything</option>
        ${CHANGE_KINDS.map((each) => option(each, shown))}
      </select>
    </div>
    <button class="quiet">Filter</button>
  </form>`;

type FindForm = { readonly label?: string; readonly kept?: Readonly<Record<string, string>> };

/** The filter of a list; `kept` are other parameters of the address. */
export const findForm = (
  action: string,
  text: string,
  { label = 'Find a name or a value', kept = {} }: FindForm = {},
): Html =>
  html`<form method="get" action="${action}" class="actions" role="search">
    ${Object.entries(kept).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <div>
      <label for="find">${label}</label>
      <input id="find" name="find" type="search" value="${text}" />
    </div>
    <button class="quiet">Find</button>
  </form>`;

/** Whether one of the texts contains the search text. */
export const isFound = (text: string, texts: readonly (string | null)[]): boolean =>
  text === '' || texts.some((each) => containsText(each, text));

/** Changes of one kind: the first ones of `total`, which concern `counted` contacts and groups. */
type Section<Each> = {
  readonly changeKind: ChangeKind;
  readonly total: number;
  readonly counted?: number;
  readonly own: readonly Each[];
};

/** Changes of one kind; `rest` is a hint about those that are not shown. */
export const changeSection = <Each extends Change>(
  { changeKind, total, counted = total, own }: Section<Each>,
  sides: Sides<SideWords>,
  more: (change: Each) => Html,
  rest: Html | string = 'use the filter to find them.',
): Html => {
  const items = own.slice(0, ROWS_SHOWN).map((change) => changeItem(change, sides, more));
  const folded = items.slice(SAMPLES_SHOWN);
  const hidden = total - items.length;
  return html`<section id="${changeKind}">
    <h2>${CHANGE_KIND_TITLES[changeKind]}: ${grouped(counted)}</h2>
    <ul class="panel changes">
      ${items.slice(0, SAMPLES_SHOWN)}
    </ul>
    ${
      folded.length === 0
        ? ''
        : html`<details>
            <summary>
              Show ${grouped(folded.length)} more<span class="skip"> ${CHANGE_KIND_TITLES[changeKind]}</span>
            </summary>
            <ul class="panel changes">
              ${folded}
            </ul>
          </details>`
    }
    ${hidden <= 0 ? '' : html`<p class="faint">And ${grouped(hidden)} more: ${rest}</p>`}
  </section>`;
};

/** Changes grouped by kind, destructive kinds first. `more` returns additional content for each change. */
export const changeSections = <Each extends Change>(
  all: readonly Each[],
  sides: Sides<SideWords>,
  shown: ChangeFilter,
  more: (change: Each) => Html = () => html``,
): readonly Html[] => {
  const selected = selectChanges(all, shown);
  const groups = Map.groupBy(selected, changeKindOf);
  const sections = CHANGE_KINDS.flatMap((changeKind): Html[] => {
    const own = groups.get(changeKind) ?? [];
    const { left, right } = countBySide(own, selected);
    const section = { changeKind, total: own.length, counted: left + right, own };
    return own.length === 0 ? [] : [changeSection(section, sides, more)];
  });
  return sections.length > 0 || all.length === 0 ? sections : [html`<p>No matching changes.</p>`];
};
