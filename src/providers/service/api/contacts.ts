import { z } from 'zod';
import type { ContactRecord } from '../../../core/contact/record.ts';
import { InvalidError } from '../../errors.ts';
import { redirected, unreadableAnswer } from '../../failure.ts';
import { findKnownRows } from '../../listing.ts';
import type { KnownRows } from '../../remote.ts';
import type { ServiceMapping } from '../fields.ts';
import { type Former, readContact, type ReadContact } from '../mapper.ts';
import { sentOf } from './failure.ts';
import type { ListParameters } from './list-parameters.ts';
import { fetchPage, fetchPageAfter, listPages, type ListRequest, type Page } from './paging.ts';
import { dataIn } from './resource.ts';
import { describeIssues, optionalId, optionalTimestamp, type Timestamp, valueAt } from './schemas-common.ts';
import { CHOSEN_SHAPES, type ContactWrite } from './schemas-contacts.ts';
import type { ApiAnswer, ApiRequest, Send } from './send.ts';

/** One row of a list of contacts. An unreadable row is marked, so that the other rows of the page remain usable. */
export type ContactRow =
  | ({ readonly kind: 'contact' } & ReadContact)
  /** A known row, which was not parsed. */
  | { readonly kind: 'known'; readonly id: string; readonly updatedAt: Timestamp }
  | {
      readonly kind: 'unreadable';
      /** Null if not even the id could be parsed. */
      readonly id: string | null;
      readonly updatedAt: Timestamp | null;
      /** First and last name, as far as they can be parsed. */
      readonly name: readonly [string | null, string | null];
      readonly reason: string;
    };

const CONTACTS = '/v2/contacts';
const CONTACT = '/v2/contacts/{id}';
const CONTACT_ID_IN_PATH = /\/v2\/contacts\/([^/?#]+)/u;

/** The values that are read from a row that cannot be parsed as a contact. */
const salvageSchema = z.object({ id: optionalId.catch(null), updated_at: optionalTimestamp });

const textAt = (row: unknown, key: string): string | null => {
  const value = valueAt(row, key);
  return typeof value === 'string' ? value : null;
};

const unreadableRow = (row: unknown, reason: string): ContactRow => {
  const rest = salvageSchema.safeParse(row).data;
  const name = [textAt(row, 'first_name'), textAt(row, 'last_name')] as const;
  return { kind: 'unreadable', id: rest?.id ?? null, updatedAt: rest?.updated_at ?? null, name, reason };
};

const isGiven = (value: unknown): boolean => value !== null && value !== undefined;

const isNameless = (row: unknown): boolean =>
  !isGiven(valueAt(row, 'first_name')) && !isGiven(valueAt(row, 'last_name'));

const NAMELESS = 'first_name, last_name: not given';

/** A page of at most this many contacts may consist of nameless contacts by chance. */
const NAMELESS_BY_CHANCE = 2;

/** Returns whether a page has no name at all. That is more likely a fault of the service than a page of nameless contacts. */
const namesNobody = (rows: readonly unknown[]): boolean => rows.length > NAMELESS_BY_CHANCE && rows.every(isNameless);

/** The lists that the link chose in addition to those of every contact. */
type ChosenLists = readonly (keyof typeof CHOSEN_SHAPES)[];

/** Returns why the chosen lists of a contact are not trusted (R17); null if they are. */
const listDoubtIn = (row: unknown, chosen: ChosenLists): string | null => {
  const odd = chosen.find((name) => !CHOSEN_SHAPES[name].safeParse(valueAt(row, name)).success);
  return odd === undefined ? null : `${odd}: not given, or malformed`;
};

/**
 * Returns why a contact is not trusted, whatever its shape; null if it is trusted (R17). It is called before a record is made,
 * which would overflow the stack at a custom field that is nested too deeply. The document defines names as texts. A service
 * may return an empty text as null, but not if it returns an empty title as a text.
 */
const doubtIn = (row: unknown, chosen: ChosenLists): string | null => {
  const listDoubt = listDoubtIn(row, chosen);
  if (listDoubt !== null) return listDoubt;
  if (!isGiven(valueAt(valueAt(row, 'extra_data'), 'buckets'))) return 'extra_data.buckets: not given';
  return valueAt(row, 'title') === '' && isNameless(row) ? NAMELESS : null;
};

/** Parses one row of a list of contacts. */
export const parseContactRow = (
  row: unknown,
  mapping: ServiceMapping,
  digest: string | null = mapping.digestOf(row),
): ContactRow => {
  const doubt = doubtIn(row, mapping.chosenLists);
  if (doubt !== null) return unreadableRow(row, doubt);
  try {
    return { kind: 'contact', ...readContact(row, mapping, undefined, digest) };
  } catch (error) {
    if (error instanceof z.ZodError) return unreadableRow(row, describeIssues(error));
    throw error;
  }
};

/** Parses the rows of a page of contacts; of known rows only id and stamp are parsed. */
const readContactRows = (
  mapping: ServiceMapping,
  known: KnownRows | undefined,
): ListRequest<ContactRow>['parseRows'] => {
  return async (rows) => {
    mapping.learnFrom(rows);
    const unread = rows.map((row) => ({ row, digest: mapping.digestOf(row), ...salvageSchema.safeParse(row).data }));
    const digests = await findKnownRows(
      unread.map(({ id = null, digest }) => ({ id, digest })),
      known,
    );
    const isOdd = namesNobody(rows);
    return unread.map(({ row, digest, id, updated_at: updatedAt }) => {
      if (digests.has(digest) && id && updatedAt) return { kind: 'known', id, updatedAt };
      return isOdd ? unreadableRow(row, NAMELESS) : parseContactRow(row, mapping, digest);
    });
  };
};

/**
 * Returns the id in the target of a contact route's redirect; null without a readable one. Only the id is used, so that the
 * token is sent to no other host.
 */
const redirectedId = (location: string | null): string | null => {
  const encoded = CONTACT_ID_IN_PATH.exec(location ?? '')?.[1];
  if (encoded === undefined) return null;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
};

/** The maximum number of redirects of one read: a contact may be merged several times. */
const MOST_REDIRECTS = 10;

/** Returns the contact in an answer. */
const contactIn = (mapping: ServiceMapping, answer: ApiAnswer, asked: ApiRequest, former?: Former): ContactRecord => {
  const data = dataIn(answer, asked);
  // The answer to a write may omit the groups and the name: the caller knows them.
  const message = (asked.method === 'GET' ? doubtIn : listDoubtIn)(data, mapping.chosenLists);
  try {
    if (message !== null) throw new z.ZodError([{ code: 'custom', path: [], message, input: null }]);
    return readContact(data, mapping, former).record;
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw unreadableAnswer(sentOf(asked), answer.status, describeIssues(error), error);
  }
};

const getContact = async (send: Send, mapping: ServiceMapping, id: string, redirects = 0): Promise<ContactRecord> => {
  const asked: ApiRequest = { method: 'GET', route: CONTACT, id };
  const answer = await send({ ...asked, allowRedirect: true });
  if (answer.status < 300) return contactIn(mapping, answer, asked);
  const movedTo = redirectedId(answer.location);
  if (movedTo === null || redirects === MOST_REDIRECTS) throw redirected(sentOf(asked), answer);
  return getContact(send, mapping, movedTo, redirects + 1);
};

const contactList = (
  mapping: ServiceMapping,
  parameters: ListParameters,
  known?: KnownRows,
): ListRequest<ContactRow> => ({
  route: CONTACTS,
  parameters,
  parseRows: readContactRows(mapping, known),
});

/** Contact routes (API.md, Contact routes). Every operation throws a RemoteError or the signal's reason. */
export const createContactsApi = (send: Send, mapping: ServiceMapping) => {
  const write = async (asked: ApiRequest, former?: Former): Promise<ContactRecord> =>
    contactIn(mapping, await send(asked), asked, former);
  return {
    /** GET /v2/contacts, page by page. Scopes: one of contacts:view, contacts:manage, all:view, all:manage. */
    list: (parameters: ListParameters): AsyncIterable<Page<ContactRow>> =>
      listPages(send, contactList(mapping, parameters)),

    /** GET /v2/contacts: one page, from 1. Known rows are not parsed. Scopes as for `list`. */
    listPage: (parameters: ListParameters, page: number, known?: KnownRows): Promise<Page<ContactRow>> =>
      fetchPage(send, contactList(mapping, parameters, known), page),

    /** GET /v2/contacts: the page after another one; null if the list has ended. Scopes as for `list`. */
    listPageAfter: (
      parameters: ListParameters,
      previous: Page<ContactRow>,
      known?: KnownRows,
    ): Promise<Page<ContactRow> | null> => fetchPageAfter(send, contactList(mapping, parameters, known), previous),

    /** POST /v2/contacts. Scopes: contacts:manage or all:manage. The required fields are not documented. */
    create: (contact: ContactWrite) => write({ method: 'POST', route: CONTACTS, body: { data: contact } }),

    /**
     * GET /v2/contacts/{id}. Scopes: one of contacts:view, contacts:manage, all:view, all:manage. For a contact that was merged
     * away, the answer may be the survivor, with another id. Redirects to it are followed.
     */
    get: (id: string) => getContact(send, mapping, id),

    /**
     * PATCH /v2/contacts/{id}: only the fields sent are changed. `former` has the values that the answer may omit. Scopes:
     * contacts:manage or all:manage.
     */
    update: (id: string, contact: ContactWrite, former?: Former) =>
      write({ method: 'PATCH', route: CONTACT, id, body: { data: contact } }, former),

    /** DELETE /v2/contacts/{id}. Scopes as for `update`. */
    delete: async (id: string): Promise<void> => {
      await send({ method: 'DELETE', route: CONTACT, id });
    },

    /**
     * POST /v2/contacts/{id}/merge: overwrites the contact with the attributes of the listed contacts. The effect on those is not
     * documented. Scopes: contacts:manage or all:manage. The documented body is a list. If the service refuses it, the request is
     * repeated with the object alone.
     */
    merge: async (id: string, contactIds: readonly string[]): Promise<ContactRecord> => {
      const list = { contact_ids: contactIds };
      const asked = { method: 'POST', route: '/v2/contacts/{id}/merge', id } as const;
      try {
        return await write({ ...asked, body: { data: [list] } });
      } catch (error) {
        if (!(error instanceof InvalidError) || error.applied !== 'no') throw error;
        return write({ ...asked, body: { data: list } });
      }
    },
  };
};
