import type { VerdictView } from '../../../engine/verdicts.ts';
import { html } from 'hono/html';
import type { LinkConfig } from '../../../app/config/link-config.ts';
import { otherSide, SIDES, type Side } from '../../../core/contact/side.ts';
import type { PairIds } from '../../../core/contact/pair.ts';
import type { ContactHistory, FoundPerson } from '../../../engine/history/explain.ts';
import { idsText } from '../../../core/view/values.ts';
import {
  ACTION_WORDS,
  count,
  fieldWords,
  shortRun,
  whyWords,
  writeNote,
  capitalized,
} from '../../../core/view/words.ts';
import type { FieldComparison, WriteView } from '../../../core/view/views.ts';
import { isSame, missingAt } from '../../../core/view/comparison.ts';
import { fieldChangeItem } from '../change-list.ts';
import {
  button,
  filterForm,
  linkPath,
  navOf,
  page,
  runPath,
  table,
  timeTag,
  valueList,
  withQuery,
  type Html,
  type PageContext,
} from '../layout.ts';

/** One contact with the data of its page. */
export type ContactView = {
  readonly history: ContactHistory;
  /** Decisions by hand about the contact. */
  readonly verdicts: readonly VerdictView[];
  /** For an unlinked contact of `side`: the search text for a counterpart, and the contacts of the other side that match it. */
  readonly counterpart: { readonly side: Side; readonly text: string; readonly found: readonly FoundPerson[] } | null;
};

const ENTRIES_SHOWN = 100;

/** The address of the page of a contact. */
export const contactPath = (link: string, id: string, side: Side | null = null): string =>
  withQuery(linkPath(link, '/contact'), { id, side: side ?? '' });

/** One half of a contact: the left one if it exists. */
export const oneHalf = ({ leftId, rightId }: PairIds): { readonly side: Side; readonly id: string } =>
  leftId === null ? { side: 'right', id: rightId ?? '' } : { side: 'left', id: leftId };

const STATUS_WORDS: Readonly<Record<ContactHistory['status'], string>> = {
  linked: 'Linked',
  kept: 'On one side only. No run creates it on the other side',
  dormant: 'Deleted on the target side. It is created there again when it changes at the source',
  unlinked: 'Not linked to a contact of the other side',
};

const HALF_WORDS: Readonly<Record<ContactHistory[Side]['state'], string>> = {
  present: '',
  deleted: 'deleted',
  none: 'no contact',
};

const halfText = ({ id, state, unsynced }: ContactHistory[Side]): Html => {
  const waiting = unsynced.length === 0 || state !== 'present' ? '' : `, ${count(unsynced.length, 'unsynced change')}`;
  return html`${HALF_WORDS[state]}${state === 'deleted' ? ', ' : ''}${
    id === null ? '' : html`<span class="faint">${id}</span>`
  }${waiting}`;
};

/** The values of one side. Values that the other side does not have are marked. */
const cell = (compared: FieldComparison, side: Side): Html => {
  const own = compared[side];
  if (own.length === 0) return compared[otherSide(side)].length === 0 ? html`` : html`<mark>(empty)</mark>`;
  const missing = missingAt(compared, side);
  return valueList(own.map((value) => (missing.has(value) ? html`<mark>${value}</mark>` : value)));
};

const comparisonRow = (
  compared: FieldComparison,
  { sides }: LinkConfig,
  isPair: boolean,
): readonly (Html | string)[] => {
  const { field, left, right, from, sinceMs, why } = compared;
  if (!isPair) {
    return [fieldWords(field), ...[left, right].map((values) => (values.length > 0 ? valueList(values) : ''))];
  }
  const unknown = isSame(compared) ? 'identical when first matched' : 'not the same on both sides';
  const source = from === null ? unknown : sides[from].title;
  return [
    html`${fieldWords(field)}${isSame(compared) ? '' : html` <strong class="differs">differs</strong>`}`,
    cell(compared, 'left'),
    cell(compared, 'right'),
    html`${source}${sinceMs === null ? '' : html`, ${timeTag(sinceMs)}`}${why === null ? '' : `, ${whyWords(why, sides)}`}`,
  ];
};

/** The values of both sides, field by field. */
const sideBySide = ({ left, right, comparisons }: ContactHistory, link: LinkConfig): Html => {
  const isPair = left.state === 'present' && right.state === 'present';
  const titles = ['Field', ...SIDES.map((side) => link.sides[side].title), ...(isPair ? ['Current value from'] : [])];
  const state = ['id', halfText(left), halfText(right), ...(isPair ? [''] : [])];
  const differing = isPair ? comparisons.filter((each) => !isSame(each)).length : 0;
  const same = isPair && differing === 0 ? ': identical on both sides' : '';
  const caption = `Current values${differing === 0 ? same : `: ${count(differing, 'field differs', 'fields differ')}`}`;
  const rows = [...comparisons.map((each) => comparisonRow(each, link, isPair)), state];
  return table({ caption, titles, rows, look: 'fields' });
};

/** A button that previews the undo of one write. */
const undoButton = (context: PageContext, { name, sides }: LinkConfig, write: WriteView): Html => {
  if (write.state !== 'done' || write.id === '') return html``;
  return button(context, {
    action: `${runPath(name, write.run)}/preview`,
    label: 'Undo this',
    describes: `${ACTION_WORDS[write.action]} at ${sides[write.side].place}, as a preview`,
    fields: { write: String(write.write) },
  });
};

const entry = (context: PageContext, write: WriteView, link: LinkConfig): Html => {
  const { name, sides } = link;
  const { atMs, run, action, side, changes, why } = write;
  const word = ACTION_WORDS[action];
  return html`<li>
    <p class="when">${timeTag(atMs)}</p>
    <p>
      <strong>${capitalized(word)} at ${sides[side].place}</strong>: ${whyWords(why, sides)}${writeNote(write)} (<a
        href="${runPath(name, run)}"
        >run ${shortRun(run)}</a
      >)
    </p>
    ${
      changes.length === 0
        ? ''
        : html`<ul>
            ${changes.map((each) => fieldChangeItem(each, why, link))}
          </ul>`
    }
    ${undoButton(context, link, write)}
  </li>`;
};

const timeline = (context: PageContext, { entries }: ContactHistory, link: LinkConfig): Html => {
  const hidden = entries.length - Math.min(entries.length, ENTRIES_SHOWN);
  const shown = entries.toReversed().slice(0, ENTRIES_SHOWN);
  return html`<h2>History, newest first</h2>
    ${
      shown.length === 0
        ? html`<p>No run has changed this contact.</p>`
        : html`<ol class="timeline">
            ${shown.map((each) => entry(context, each, link))}
          </ol>`
    }
    ${hidden === 0 ? '' : html`<p class="faint">And ${count(hidden, 'older entry', 'older entries')}.</p>`}`;
};

/** The labels of the buttons that make or remove a decision about two contacts. */
export const VERDICT_LABELS: Readonly<Record<VerdictView['says'] | 'forget', string>> = {
  together: 'They are one person',
  apart: 'They are different people',
  forget: 'Remove the decision',
};

type VerdictButton = Pick<VerdictView, 'leftId' | 'rightId'> & {
  readonly says: keyof typeof VERDICT_LABELS;
  readonly describes: string;
  /** The contact whose page is shown afterwards; without it the plan is. */
  readonly shows?: { readonly side: Side; readonly id: string };
};

/** A button for a decision about two contacts. */
export const verdictButton = (context: PageContext, { name }: LinkConfig, verdict: VerdictButton): Html => {
  const { shows, leftId: left, rightId: right, says, describes } = verdict;
  return button(context, {
    action: linkPath(name, '/verdicts'),
    label: VERDICT_LABELS[says],
    describes,
    fields: { left, right, says, ...shows },
  });
};

const verdictItem = (
  context: PageContext,
  link: LinkConfig,
  shows: NonNullable<VerdictButton['shows']>,
  verdict: VerdictView,
): Html => {
  const { leftId, rightId, says, names } = verdict;
  const [left, right] = [names.left ?? leftId, names.right ?? rightId];
  const describes = `about ${left} and ${right}`;
  return html`<li>
    ${left} at ${link.sides.left.place} and ${right} at ${link.sides.right.place}:
    ${says === 'together' ? 'one person' : 'two people'}
    ${verdictButton(context, link, { shows, leftId, rightId, says: 'forget', describes })}
  </li>`;
};

/** A search for the counterpart of an unlinked contact, with a decision for each match. */
const pairSection = (context: PageContext, link: LinkConfig, { history, counterpart }: ContactView): Html => {
  if (counterpart === null) return html``;
  const { name, sides } = link;
  const { side, text, found } = counterpart;
  const id = history[side].id ?? '';
  const other = otherSide(side);
  const decide = (theirs: FoundPerson, says: VerdictView['says']): Html => {
    const ids = side === 'left' ? { leftId: id, rightId: theirs.id } : { leftId: theirs.id, rightId: id };
    return verdictButton(context, link, { shows: { side, id }, ...ids, says, describes: theirs.name ?? theirs.id });
  };
  const rows = found.map((each) => [
    html`<a href="${contactPath(name, each.id, each.side)}">${each.name ?? each.id}</a>`,
    each.email ?? '',
    html`<div class="actions">${decide(each, 'together')} ${decide(each, 'apart')}</div>`,
  ]);
  return html`<h2>Pair it by hand</h2>
    ${filterForm({
      action: linkPath(name, '/contact'),
      find: text,
      name: 'with',
      label: `The same person at ${sides[other].place}: name, address, number or id`,
      kept: { id },
    })}
    ${
      rows.length === 0
        ? html`<p>No unlinked contact at ${sides[other].place} matches${text === '' ? '' : ` ${text}`}.</p>`
        : table({
            caption: `Unlinked contacts at ${sides[other].place}`,
            titles: ['Contact', 'Email address', 'Decision'],
            rows,
          })
    }`;
};

/** The instructions to separate a contact from a wrong counterpart. */
const separateSection = ({ history }: ContactView): Html => {
  if (history.status !== 'linked') return html``;
  return html`<details>
    <summary>These are two people</summary>
    <p>
      A linked pair cannot be separated directly, because each contact would be created again on the other side. Undo
      the wrong changes in the history below, then create a contact for the other person on either side.
    </p>
  </details>`;
};

const troubles = (context: PageContext, { history, verdicts }: ContactView, link: LinkConfig): readonly Html[] => {
  const { name, sides } = link;
  const { rejected, notSynced, conflicts, left, right } = history;
  const shown = oneHalf({ leftId: left.id, rightId: right.id });
  return [
    ...notSynced.map(({ side, reason }) => html`<p class="panel trouble">${sides[side].title}: ${reason}</p>`),
    ...rejected.map(
      ({ side, reason, ...ids }) =>
        html`<div class="panel trouble">
          <p>${sides[side].title} refused the contact: ${reason}</p>
          ${button(context, { action: linkPath(name, '/contact/retry'), label: 'Retry now', fields: oneHalf(ids) })}
        </div>`,
    ),
    conflicts.length === 0
      ? html``
      : html`<p class="panel notice">
          ${count(conflicts.length, 'open conflict')}:
          <a href="${withQuery(linkPath(name, '/conflicts'), { find: shown.id })}">decide</a>
        </p>`,
    verdicts.length === 0
      ? html``
      : html`<h2>Decisions by hand</h2>
          <ul>
            ${verdicts.map((each) => verdictItem(context, link, shown, each))}
          </ul>`,
  ];
};

/** The page of one contact: both sides next to each other, decisions about it, and its history. */
export const contactPage = (context: PageContext, view: ContactView, link: LinkConfig): Html => {
  const { history } = view;
  const { name, left, right } = history;
  return page(context, {
    title: name ?? idsText({ leftId: left.id, rightId: right.id }),
    nav: navOf(link, '/contacts'),
    body: html`<section class="panel">
      <p>${STATUS_WORDS[history.status]}.</p>
      ${troubles(context, view, link)} ${sideBySide(history, link)} ${separateSection(view)}
      ${pairSection(context, link, view)} ${timeline(context, history, link)}
    </section>`,
  });
};
