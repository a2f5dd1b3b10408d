import { html } from 'hono/html';
import type { LinkConfig } from '../../../app/config/link-config.ts';
import { SIDES, type Side } from '../../../core/contact/side.ts';
import type { FoundPerson } from '../../../engine/history/explain.ts';
import { count } from '../../../core/view/words.ts';
import { filterForm, linkPath, withQuery, navOf, page, table, type Html, type PageContext } from '../layout.ts';
import { contactPath } from './contact.ts';

/** The number of contacts on one page. */
export const CONTACTS_SHOWN = 50;

/** The filters of the list, with their names. */
export const CONTACT_FILTERS = {
  all: 'All contacts',
  unsynced: 'Not synced',
  alone: 'On one side only',
  written: 'Changed last',
} as const;
type ContactFilter = keyof typeof CONTACT_FILTERS;

/** A contact of the list, with the reason why it is not synced, if any. */
export type ListedContact = FoundPerson & { readonly note: string };

/** A page of contacts. */
export type ContactsView = {
  /** The search text, which finds contacts of any filter; empty for a list. */
  readonly find: string;
  readonly show: ContactFilter;
  readonly contacts: readonly ListedContact[];
  /** The number of the page, from 0. */
  readonly page: number;
  readonly hasMore: boolean;
};

const sidesText = (present: readonly Side[], { sides }: LinkConfig): string => {
  const [only, second] = present;
  if (only === undefined) return 'Deleted';
  return second === undefined ? `${sides[only].title} only` : SIDES.map((side) => sides[side].title).join(' and ');
};

const rowOf = ({ id, side, name, email, sides, note }: ListedContact, link: LinkConfig): readonly (Html | string)[] => [
  html`<a href="${contactPath(link.name, id, side)}">${name ?? id}</a>`,
  // Without a name, the address is the name.
  email === null || email === name ? '' : email,
  sidesText(sides, link),
  note,
];

const captionOf = ({ find, show, contacts, hasMore }: ContactsView): string => {
  if (find !== '') return `${count(contacts.length, 'contact')}${hasMore ? ' or more' : ''}`;
  const order = show === 'all' || show === 'alone' ? ', by the alphabetically first word of the name' : '';
  return `${CONTACT_FILTERS[show]}${order}`;
};

/** The contacts of a link, or those that match a search text. */
export const contactsPage = (context: PageContext, link: LinkConfig, view: ContactsView): Html => {
  const { find, show, contacts, hasMore } = view;
  const at = linkPath(link.name, '/contacts');
  const pageAt = (number: number): string => withQuery(at, { find, show, page: number === 0 ? '' : String(number) });
  const hasNotes = contacts.some(({ note }) => note !== '');
  const titles = ['Contact', 'Email address', 'Where', ...(hasNotes ? ['Not synced'] : [])];
  return page(context, {
    title: `Contacts of ${link.name}`,
    nav: navOf(link, '/contacts'),
    body: [
      filterForm({
        action: at,
        find,
        label: 'Name, email address, phone number or id',
        choices: [{ name: 'show', label: 'Or list', options: CONTACT_FILTERS, chosen: show }],
      }),
      contacts.length === 0
        ? html`<p role="status">${find === '' ? 'No contacts.' : 'No matching contacts. Check the spelling.'}</p>`
        : table({
            caption: captionOf(view),
            titles,
            rows: contacts.map((each) => rowOf(each, link).slice(0, titles.length)),
          }),
      html`<p>
        ${view.page === 0 ? '' : html`<a href="${pageAt(view.page - 1)}">Previous</a>`}
        ${hasMore && find === '' ? html`<a href="${pageAt(view.page + 1)}">Next</a>` : ''}
        ${hasMore && find !== '' ? 'Enter more of the name to see others.' : ''}
      </p>`,
    ],
  });
};
