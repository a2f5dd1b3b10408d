import type { CreateRequest } from '../../core/contact/requests.ts';
import { keepChosen, withoutExtras } from '../../core/contact/chosen.ts';
import { fieldsIn, type Contact, type ContactField } from '../../core/contact/contact.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import { bareText } from './entries.ts';
import { tracesOf } from './fields.ts';
import type { Clock } from '../../util/clock.ts';
import { UnreadableError } from '../errors.ts';
import { answered } from '../failure.ts';
import type { ContactRow } from './api/contacts.ts';
import type { Page } from './api/paging.ts';
import type { ServiceApi } from './api/service-api.ts';

/** A contact is identified by its name, email addresses and phone numbers; if it has none of these, by all other fields. */
const NAME_FIELDS = ['firstName', 'lastName'] as const;
const TELLING_FIELDS: readonly ContactField[] = [...NAME_FIELDS, 'emailAddresses', 'phoneNumbers'];

/** Returns the traces of a field as one text, independent of the order of its elements. */
const signature = (contact: Contact, field: ContactField): string =>
  [...new Set(tracesOf(field, contact))].toSorted().join('\n');

/** Returns the fields that distinguish contacts of the same name, without computed fields. */
const restFields = (contact: Contact): readonly ContactField[] =>
  fieldsIn(withoutExtras(contact)).filter((field) => !TELLING_FIELDS.includes(field));

/** Joins first and last name, because the service may divide a name differently. */
const nameOf = (contact: Contact): string => NAME_FIELDS.flatMap((field) => tracesOf(field, contact)).join('');

/** Returns name, email addresses and phone numbers as one text. Only contacts with the same text resemble each other. */
const tellingText = (contact: Contact): string =>
  [nameOf(contact), signature(contact, 'emailAddresses'), signature(contact, 'phoneNumbers')].join('\n\n');

/** Returns the traces of the remaining fields, each with its field. */
const restTraces = (contact: Contact): ReadonlySet<string> =>
  new Set(restFields(contact).flatMap((field) => tracesOf(field, contact).map((trace) => `${field} ${trace}`)));

/** Returns the number of remaining traces that differ from the draft: the service may fill in or rewrite values. */
const difference = (draft: Contact, found: Contact): number =>
  restTraces(draft).symmetricDifference(restTraces(found)).size;

/**
 * Returns whether a contact at the service with the name, email addresses and phone numbers of `draft` may be the result of its create.
 * The service may have filled in company and title. A draft without these three is compared in all other fields.
 */
const mayBeResult = (draft: Contact, found: Contact): boolean => {
  if (tellingText(draft).trim() === '') return difference(draft, found) === 0;
  return draft.company === '' || bareText(draft.company) === bareText(found.company);
};

/** Returns whether a contact with the name `[first, last]` may be the result of a create of `draft`; null: not filled in. */
const mayBeNamed = (draft: Contact, name: readonly [string | null, string | null]): boolean => {
  const filled = name.filter((part) => part !== null);
  return filled.length === 0 || filled.map(bareText).join('') === nameOf(draft);
};

/**
 * Returns the contact that each request created, by the key of the request. A contact is matched with one request only.
 * Among contacts of the same name, the most similar are matched first, so that no create matches the result of another one.
 * With `mostDifferences` 0, only contacts that equal the draft are matched.
 */
export const matchCreated = (
  requests: readonly CreateRequest[],
  found: readonly ContactRecord[],
  mostDifferences = Number.POSITIVE_INFINITY,
): ReadonlyMap<string, ContactRecord> => {
  const namesakes = Map.groupBy(found, ({ contact }) => tellingText(contact));
  const candidates = requests.flatMap(({ key, draft }) =>
    (namesakes.get(tellingText(draft)) ?? [])
      .filter((record) => mayBeResult(draft, record.contact))
      .map((record) => ({ key, record, differences: difference(draft, record.contact) })),
  );
  const free = new Set(found);
  const matches = new Map<string, ContactRecord>();
  for (const { key, record, differences } of candidates.toSorted((a, b) => a.differences - b.differences)) {
    if (differences > mostDifferences || matches.has(key) || !free.delete(record)) continue;
    matches.set(key, record);
  }
  return matches;
};

/** The tolerated clock difference in a search for contacts created since a time. */
const CLOCK_SLACK_MS = 5 * 60_000;

/** Throws if an unreadable contact may be the result of one of these creates: repeating the create would duplicate it. */
const refuseDoubt = (requests: readonly CreateRequest[], unreadable: readonly UnreadableRow[]): void => {
  const row = unreadable.find(({ name }) => requests.some(({ draft }) => mayBeNamed(draft, name)));
  if (row === undefined) return;
  const text = `a new contact of the service cannot be parsed, so its origin is unknown: ${row.reason}`;
  throw new UnreadableError(text, answered('GET /v2/contacts'));
};

type UnreadableRow = Extract<ContactRow, { kind: 'unreadable' }>;

/**
 * Yields the pages of contacts created since a time, newest first. `sinceMs` is by the local clock, the bound by the
 * service's clock. If the service's clock is behind, the bound is moved back by the difference.
 */
async function* createdSince(api: ServiceApi, clock: Clock, sinceMs: number): AsyncGenerator<Page<ContactRow>> {
  const pagesFrom = (fromMs: number): AsyncIterable<Page<ContactRow>> =>
    api.contacts.list({ 'created_at.after': fromMs - CLOCK_SLACK_MS, order: ['-created_at'] });
  for await (const page of pagesFrom(sinceMs)) {
    const behindMs = page.serverTimeMs === null ? 0 : clock.now() - page.serverTimeMs;
    if (behindMs > CLOCK_SLACK_MS) {
      yield* pagesFrom(sinceMs - behindMs);
      return;
    }
    yield page;
  }
}

/**
 * Finds the results of creates whose answer was lost, among all contacts created since, newest first. They are compared by
 * content, because the service stores no foreign id (R9). The search ends when each request has a contact that equals its
 * draft. Contacts that only resemble a draft are compared after all pages were read.
 */
export const findCreated = async (
  api: ServiceApi,
  clock: Clock,
  requests: readonly CreateRequest[],
  sinceMs: number,
  isTaken: (id: string) => boolean,
): Promise<ReadonlyMap<string, ContactRecord>> => {
  const matches = new Map<string, ContactRecord>();
  if (requests.length === 0) return matches;
  const chosen = new Set(api.mapping.fields);
  let missing = requests.map((request) => ({ ...request, draft: keepChosen(request.draft, chosen) }));
  // Contacts created during the search move rows on to the next page, where they appear again. Each counts once.
  const seen = new Set<string>();
  const isKnown = (row: ContactRow): boolean => {
    const id = row.kind === 'contact' ? row.record.id : row.id;
    return id !== null && (isTaken(id) || seen.has(id));
  };
  const unreadable: UnreadableRow[] = [];
  const others: ContactRecord[] = [];
  for await (const page of createdSince(api, clock, sinceMs)) {
    const rows = page.rows.filter((row) => !isKnown(row));
    for (const id of page.rowKeys) seen.add(id);
    unreadable.push(...rows.filter((row) => row.kind === 'unreadable'));
    const found = rows.flatMap((row) => (row.kind === 'contact' ? row.record : []));
    const copies = matchCreated(missing, found, 0);
    for (const [key, record] of copies) matches.set(key, record);
    const taken = new Set(copies.values());
    others.push(...found.filter((record) => !taken.has(record)));
    missing = missing.filter(({ key }) => !matches.has(key));
    if (missing.length === 0) break;
  }
  for (const [key, record] of matchCreated(missing, others)) matches.set(key, record);
  const unmatched = requests.filter(({ key }) => !matches.has(key));
  refuseDoubt(unmatched, unreadable);
  return matches;
};
