import type { ContactBook, ContactFields, ContactRecord } from './contact-book.ts';
import { textOf } from './names.ts';
import { type ContactField, readFields } from './person-schema.ts';
import { personView, type ReadSelection } from './person-view.ts';
import { readSize, readSources, requiredMask } from './request.ts';
import { type ApiRequest, showing, type World } from './world.ts';

const defaultResults = 10;
const maximumResults = 30;

/** The texts of each field that a search of contacts compares. */
const searchedTexts: readonly (readonly [ContactField, readonly string[]])[] = [
  ['names', ['displayName', 'givenName', 'familyName', 'unstructuredName']],
  ['nicknames', ['value']],
  ['emailAddresses', ['value']],
  ['phoneNumbers', ['value', 'canonicalForm']],
  ['organizations', ['name', 'title', 'department']],
];

/** `GET /v1/people:searchContacts` */
export function searchContacts({ query }: ApiRequest, world: World): object {
  const mask = requiredMask(query.get('readMask'), 'readMask', readFields, 'people/searchContacts');
  const sources = readSources(query.getAll('sources'), { contact: true, profile: false });
  return searchBook(world.account.contacts, query, { mask, ...sources }, world);
}

/**
 * Searches a book by the start of a word. A request with an empty query returns nothing and updates the search cache: until
 * the next such request, searches use the book in this state.
 */
export function searchBook(book: ContactBook, query: URLSearchParams, selection: ReadSelection, world: World): object {
  const size = Math.min(readSize(query, 'pageSize', Infinity, defaultResults), maximumResults);
  const text = (query.get('query') ?? '').trim();
  if (text === '') {
    world.searchCaches.set(book, [...book.all()]);
    return {};
  }
  const found = searchable(book, world).filter(({ state }) => isFound(state.fields, text));
  const options = { ...selection, ...showing(world), listing: false, formerNames: false };
  const results = found.slice(0, size).map((record) => ({ person: personView(record, record.state, options) }));
  return results.length > 0 ? { results } : {};
}

function searchable(book: ContactBook, { variants, searchCaches }: World): readonly ContactRecord[] {
  return variants.searchCache === 'fresh' ? [...book.all()] : (searchCaches.get(book) ?? []);
}

function isFound(fields: ContactFields, query: string): boolean {
  return searchedTexts.some(([field, keys]) =>
    (fields[field] ?? []).some((value) =>
      keys.some((key) => {
        const text = textOf(value, key);
        return startsWord(text, query) || (field === 'phoneNumbers' && startsNumber(text, query));
      }),
    ),
  );
}

/** Returns whether the text contains the query at the start of a word, ignoring case. */
function startsWord(text: string, query: string): boolean {
  const [inside, sought] = [text.toLowerCase(), query.toLowerCase()];
  for (let at = inside.indexOf(sought); at !== -1; at = inside.indexOf(sought, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(inside.charAt(at - 1))) return true;
  }
  return false;
}

/** Returns whether the number begins with the digits of a query that is only a number. */
function startsNumber(number: string, query: string): boolean {
  if (!/^[\d\s+()./-]*\d[\d\s+()./-]*$/.test(query)) return false;
  return number.replaceAll(/\D/g, '').startsWith(query.replaceAll(/\D/g, ''));
}
