import { listAnswer, matchesTerm, storedOrders, storedTimes } from './list-answer.ts';
import type { ListSource, ListSpec } from './listing.ts';
import type { ContactRecord } from './records.ts';
import { renderContact } from './render.ts';
import type { RouteAnswer, RouteRequest } from './route.ts';

type ContactFilter = (value: string) => (contact: ContactRecord) => boolean;

const names = (value: string): ReadonlySet<string> => new Set(value.split(',').map((name) => name.trim()));

const FILTERS: Readonly<Record<string, ContactFilter>> = {
  company: (value) => (contact) => contact.company === value,
  tags: (value) => {
    const wanted = names(value);
    return (contact) => contact.tags.some((tag) => wanted.has(tag));
  },
  buckets: (value) => {
    const wanted = names(value);
    return (contact) => contact.bucketIds.some((id) => wanted.has(id));
  },
  q: (value) => (contact) => {
    const { first_name, last_name, title, company, email_addresses } = contact;
    const texts = [first_name, last_name, title, company, ...email_addresses.map(({ address }) => address)];
    return matchesTerm(value, texts);
  },
  team_search: () => () => true,
};

/** `custom_field_<id>` is the parameter of a custom field, whose id already has this form. */
const customFieldFilter =
  (id: string, wanted: string) =>
  (contact: ContactRecord): boolean =>
    contact.customFields.some((field) => field.id === id && String(field.value) === wanted);

const contactList: ListSpec<ContactRecord> = {
  times: storedTimes,
  orders: {
    ...storedOrders,
    first_name: (contact) => contact.first_name ?? '',
    last_name: (contact) => contact.last_name ?? '',
  },
  defaultOrder: 'id',
  filter: (name, value) => (name.startsWith('custom_field_') ? customFieldFilter(name, value) : FILTERS[name]?.(value)),
};

/** Creates the contacts list. Its sorted views are stored with the account, separately with and without team contacts. */
export const createContactList = (): ((request: RouteRequest) => RouteAnswer) => {
  const ownViews: ListSource<ContactRecord>['views'] = new Map();
  const teamViews: ListSource<ContactRecord>['views'] = new Map();
  return (request) => {
    const { book } = request.account;
    const withTeam = request.query.get('team_search') === 'true';
    const items = (): readonly ContactRecord[] => {
      const listed = book.listed();
      return withTeam ? listed : listed.filter((contact) => !contact.isTeamContact);
    };
    const revision = request.variants.listLag === 'none' ? book.revision : null;
    const source = { revision, items, views: withTeam ? teamViews : ownViews };
    return listAnswer(source, contactList, renderContact, request);
  };
};
