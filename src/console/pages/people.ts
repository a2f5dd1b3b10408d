import { html } from 'hono/html';
import type { LinkConfig } from '../../config/config.ts';
import { SIDES } from '../../contact/side.ts';
import type { ContactHistory, FoundPerson } from '../../history/explain.ts';
import { ACTION_WORDS } from '../../view/change-words.ts';
import { fieldWords } from '../../view/field-words.ts';
import type { Standing, Write } from '../../view/views.ts';
import { whyWords } from '../../view/why-words.ts';
import { writeNote } from '../../view/write-note.ts';
import { fieldChangeItem, idsText, valuesText } from '../change-list.ts';
import { button, page, table, timeTag, type Html, type PageContext } from '../layout.ts';
import { linkPath, navOf, runPath } from '../paths.ts';

/** Matching contacts on one page. */
export const PEOPLE_SHOWN = 50;
const ENTRIES_SHOWN = 100;

const standing = ({ field, left, right, from, sinceMs, why }: Standing, { sides }: LinkConfig) => [
  fieldWords(field),
  left.length === 0 ? '' : valuesText(left),
  right.length === 0 ? '' : valuesText(right),
  from === null ? 'identical when first matched' : sides[from].title,
  html`${timeTag(sinceMs, '')} ${why === null ? '' : whyWords(why, sides)}`,
];

/** Previews the undo of one write. */
const undoButton = (context: PageContext, { name, sides }: LinkConfig, write: Write): Html => {
  if (write.state !== 'done' || write.id === '') return html``;
  return button(context, {
    action: `${runPath(name, write.run)}/preview`,
    label: 'Undo this',
    describes: `${ACTION_WORDS[write.action]} at ${sides[write.side].place}, as a preview`,
    fields: { write: String(write.write) },
    look: 'quiet',
    shows: true,
  });
};

const entry = (context: PageContext, write: Write, link: LinkConfig): Html => {
  const { name, sides } = link;
  const { atMs, run, action, side, changes, why } = write;
  const items = changes.map((each) => fieldChangeItem(each, why, sides));
  return html`<li>
    ${timeTag(atMs)}: ${ACTION_WORDS[action]} at ${sides[side].place}, ${whyWords(why, sides)}${writeNote(write)} (<a
      href="${runPath(name, run)}"
      >run ${run.slice(0, 8)}</a
    >)
    <ul>
      ${items}
    </ul>
    ${undoButton(context, link, write)}
  </li>`;
};

const person = (context: PageContext, history: ContactHistory, link: LinkConfig): Html => {
  const { name, left, right, status, standings, entries, rejected, notSynced } = history;
  const { sides } = link;
  const titles = ['Field', ...SIDES.map((side) => sides[side].title), 'Source', 'Since'];
  return html`<section class="panel">
    <h2>${name ?? idsText({ leftId: left.id, rightId: right.id })}</h2>
    <p class="faint">${status}: ${idsText({ leftId: left.id, rightId: right.id })}</p>
    ${notSynced.map(({ side, reason }) => html`<p class="panel trouble">${sides[side].title}: ${reason}</p>`)}
    ${rejected.map(({ side, reason }) => html`<p class="panel trouble">${sides[side].title} refused the contact: ${reason}</p>`)}
    ${
      standings.length === 0
        ? ''
        : table(
            'Current values',
            titles,
            standings.map((each) => standing(each, link)),
          )
    }
    <h3>History, newest first</h3>
    ${
      entries.length === 0
        ? html`<p>No run has changed this contact.</p>`
        : html`<ol class="changes">
            ${entries
              .toReversed()
              .slice(0, ENTRIES_SHOWN)
              .map((each) => entry(context, each, link))}
          </ol>`
    }
  </section>`;
};

/** The contacts that match a search text, each with a link to its page. */
const people = (found: readonly FoundPerson[], { name, sides }: LinkConfig): Html =>
  table(
    'Matching contacts',
    ['Contact', 'Sides'],
    found.map((each) => [
      html`<a href="${linkPath(name, '/people')}?${new URLSearchParams({ who: each.id }).toString()}"
        >${each.name ?? each.id}</a
      >`,
      each.sides.map((side) => sides[side].title).join(', '),
    ]),
  );

/** Search by name or address: both contacts of a pair side by side, and their history. */
export const peoplePage = (
  context: PageContext,
  link: LinkConfig,
  {
    text,
    person: one,
    found,
  }: { readonly text: string; readonly person: ContactHistory | null; readonly found: readonly FoundPerson[] },
): Html => {
  const none = text === '' ? html`` : html`<p>No contact with this name, address, number or id was found.</p>`;
  return page(context, {
    title: `People of ${link.name}`,
    nav: navOf(link, '/people'),
    body: [
      html`<form method="get" action="${linkPath(link.name, '/people')}" class="actions" role="search">
        <div>
          <label for="who">Name, email address, phone number or id</label>
          <input id="who" name="who" type="search" value="${text}" />
        </div>
        <button>Find</button>
      </form>`,
      one !== null ? person(context, one, link) : found.length === 0 ? none : people(found, link),
      found.length < PEOPLE_SHOWN
        ? html``
        : html`<p class="faint">There may be more matches. Enter more of the name.</p>`,
    ],
  });
};
