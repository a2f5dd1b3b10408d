import { html } from 'hono/html';
import type { LinkConfig } from '../../../app/config/link-config.ts';
import type { FoundPerson } from '../../../engine/history/explain.ts';
import { count } from '../../../core/view/words.ts';
import { page, table, linkPath, navOf, type Html, type PageContext } from '../layout.ts';
import { contactPath, contactSection, type ContactView } from './contact.ts';

/** The number of matching contacts on one page. */
export const PEOPLE_SHOWN = 50;

/** The contacts of a list, each with a link to its page. */
const people = (caption: string, found: readonly FoundPerson[], { name, sides }: LinkConfig): Html =>
  table(
    caption,
    ['Contact', 'Email address', 'Sides'],
    found.map((each) => [
      html`<a href="${contactPath(name, each.id)}">${each.name ?? each.id}</a>`,
      each.email ?? '',
      each.sides.map((side) => sides[side].title).join(', '),
    ]),
  );

/** The result of a search; without a search text, the contacts of the last run with writes. */
type Search = {
  readonly text: string;
  readonly contact: ContactView | null;
  readonly found: readonly FoundPerson[];
  readonly recent: readonly FoundPerson[];
};

const EMPTY_LINK = 'No run has changed a contact yet. Enter a name to find one.';

const resultsOf = (context: PageContext, link: LinkConfig, { text, contact, found, recent }: Search): Html => {
  if (contact !== null) return contactSection(context, contact, link);
  if (text === '') return recent.length === 0 ? html`<p>${EMPTY_LINK}</p>` : people('Changed last', recent, link);
  if (found.length === 0) {
    return html`<p role="status">No contact has this name, address, number or id. Check the spelling.</p>`;
  }
  const more = found.length < PEOPLE_SHOWN ? '' : ' or more. Enter more of the name to see others';
  return html`<p role="status">${count(found.length, 'contact')}${more}.</p>
    ${people('Matching contacts', found, link)}`;
};

/** The search by name or address, and the page of one contact. The script searches while the user types. */
export const peoplePage = (context: PageContext, link: LinkConfig, search: Search): Html =>
  page(context, {
    title: `Contacts of ${link.name}`,
    nav: navOf(link, '/people'),
    body: [
      html`<form
        method="get"
        action="${linkPath(link.name, '/people')}"
        class="actions"
        role="search"
        data-results="results"
      >
        <div>
          <label for="who">Name, email address, phone number or id</label>
          <input id="who" name="who" type="search" value="${search.text}" autocomplete="off" />
        </div>
        <button>Find</button>
      </form>`,
      html`<div id="results">${resultsOf(context, link, search)}</div>`,
    ],
  });
