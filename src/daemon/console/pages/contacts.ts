import { html } from 'hono/html';
import type { LinkConfig } from '../../../app/config/link-config.ts';
import type { FoundPerson } from '../../../engine/history/explain.ts';
import type { LinkRecord } from '../../../engine/history/link-record.ts';
import type { PairIds } from '../../../core/reconcile/decision.ts';
import { count, grouped } from '../../../core/view/words.ts';
import { findForm, idsText } from '../change-list.ts';
import { page, table, linkPath, navOf, type Html, type PageContext } from '../layout.ts';
import { contactPath } from './contact.ts';

/** The number of contacts on one page. */
export const CONTACTS_SHOWN = 50;

/** A contact of a list, with what the list reports about it. */
type Listed = { readonly id: string; readonly name: string | null; readonly side: string; readonly about: string };

/** The list of contacts. */
const contactTable = (caption: string, about: string, listed: readonly Listed[], { name }: LinkConfig): Html =>
  table(
    caption,
    ['Contact', 'Side', about],
    listed.map((each) => [
      html`<a href="${contactPath(name, each.id)}">${each.name ?? each.id}</a>`,
      each.side,
      each.about,
    ]),
  );

/** The contacts that are not synced, or not in all fields, with the reasons. */
const unsyncedOf = (record: LinkRecord, { sides }: LinkConfig): readonly Listed[] => {
  const of = (each: PairIds & { readonly name: string | null }, side: string, about: string): Listed => ({
    id: each.leftId ?? each.rightId ?? '',
    name: each.name ?? idsText(each),
    side,
    about,
  });
  return [
    ...record.refused.map((each) => of(each, sides[each.side].title, `refused: ${each.reason}`)),
    ...record.skipped.map((each) => of(each, sides[each.side].title, `skipped: ${each.reason}`)),
    ...record.alone.map((each) => of(each, sides[each.side].title, 'not created on the other side')),
  ].filter(({ id }) => id !== '');
};

/** The contacts that match a text, or without a text those that are not synced. */
type ContactsView = { readonly text: string; readonly found: readonly FoundPerson[]; readonly record: LinkRecord };

const foundSection = ({ found }: ContactsView, link: LinkConfig): Html => {
  if (found.length === 0) {
    return html`<p role="status">No contact has this name, address, number or id. Check the spelling.</p>`;
  }
  const more = found.length < CONTACTS_SHOWN ? '' : ' or more. Enter more of the name to see others';
  const listed = found.map(({ id, name, email, sides }) => ({
    id,
    name,
    side: sides.map((side) => link.sides[side].title).join(', '),
    about: email ?? '',
  }));
  return html`<p role="status">${count(found.length, 'contact')}${more}.</p>
    ${contactTable('Matching contacts', 'Email address', listed, link)}`;
};

const unsyncedSection = ({ record }: ContactsView, link: LinkConfig): Html => {
  const listed = unsyncedOf(record, link);
  if (listed.length === 0) return html`<p>No contact was refused, skipped or left out.</p>`;
  const hidden = listed.length - Math.min(listed.length, CONTACTS_SHOWN);
  return html`${contactTable('Contacts that are not synced, or not in all fields', 'Reason', listed.slice(0, CONTACTS_SHOWN), link)}
  ${hidden === 0 ? '' : html`<p class="faint">And ${grouped(hidden)} more: <code>contact-sync status --json</code> lists them.</p>`}`;
};

/** The search for contacts; without a search text, the contacts that are not synced. */
export const contactsPage = (context: PageContext, link: LinkConfig, view: ContactsView): Html =>
  page(context, {
    title: `Contacts of ${link.name}`,
    nav: navOf(link, '/contacts'),
    body: [
      findForm(linkPath(link.name, '/contacts'), view.text, { label: 'Name, email address, phone number or id' }),
      view.text === '' ? unsyncedSection(view, link) : foundSection(view, link),
    ],
  });
