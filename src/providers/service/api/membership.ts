import { z } from 'zod';
import { readContactRows, type ContactRow } from './contacts.ts';
import { listPages, rowsOf, type ListRequest, type Page } from './paging.ts';
import { callLeniently } from './resource.ts';
import { bucketSchema, type Bucket } from './buckets.ts';
import { id as idSchema } from './schemas-common.ts';
import type { Method, Send } from './send.ts';

/** What the service answered to a change of a membership. Which rows it answers is not documented in full. */
export type MembershipAnswer = {
  /** Ids of the buckets, or contacts, answered; an unreadable one is left out. */
  readonly ids: readonly string[];
  /** Whether the rows may be cut off at a page or are missing altogether, so that a missing one means nothing. */
  readonly mayBeCut: boolean;
};

export type MembershipApi = ReturnType<typeof createMembershipApi>;

const CONTACT_BUCKETS = '/v2/contacts/{id}/buckets';
const BUCKET_CONTACTS = '/v2/buckets/{id}/contacts';

/** API.md, Limits: a list answers 50 rows to a page. */
const PAGE_SIZE = 50;

const rowSchema = z.object({ id: idSchema });

const bucketsOf = (contactId: string): ListRequest<Bucket> => ({
  route: CONTACT_BUCKETS,
  id: contactId,
  parameters: {},
  parseRows: rowsOf(bucketSchema),
});

const contactsOf = (bucketId: string): ListRequest<ContactRow> => {
  return { route: BUCKET_CONTACTS, id: bucketId, parameters: {}, parseRows: readContactRows() };
};

/** Creates the operations of one membership route, which all send ids and answer a list. */
const changer = (send: Send, route: string) => {
  return async (
    method: Method,
    id: string,
    memberIds: readonly string[],
    signal: AbortSignal,
  ): Promise<MembershipAnswer> => {
    const body = { data: memberIds.map((memberId) => ({ id: memberId })) };
    const rows = await callLeniently(send, z.array(z.unknown()), { method, route, id, body }, signal);
    const ids = (rows ?? []).flatMap((row) => rowSchema.safeParse(row).data?.id ?? []);
    return { ids, mayBeCut: rows === null || rows.length === PAGE_SIZE };
  };
};

/**
 * The routes between contacts and buckets (API.md, Bucket routes and Contact routes). Every operation throws a
 * RemoteError or the signal's reason. The scopes of a change: contacts:manage and buckets:manage, or all:manage.
 */
export const createMembershipApi = (send: Send) => {
  const changeBuckets = changer(send, CONTACT_BUCKETS);
  const changeContacts = changer(send, BUCKET_CONTACTS);
  return {
    /** GET /v2/contacts/{id}/buckets. Scopes: one of buckets:view, buckets:manage, all:view, all:manage. */
    listBuckets: (contactId: string, signal: AbortSignal): AsyncIterable<Page<Bucket>> =>
      listPages(send, bucketsOf(contactId), signal),

    /** POST /v2/contacts/{id}/buckets: the contact becomes a member of these too. */
    addBuckets: (contactId: string, bucketIds: readonly string[], signal: AbortSignal) =>
      changeBuckets('POST', contactId, bucketIds, signal),

    /** PUT /v2/contacts/{id}/buckets: the contact is a member of exactly these from now on. */
    replaceBuckets: (contactId: string, bucketIds: readonly string[], signal: AbortSignal) =>
      changeBuckets('PUT', contactId, bucketIds, signal),

    /** DELETE /v2/contacts/{id}/buckets: the contact is no member of these any more. */
    removeBuckets: (contactId: string, bucketIds: readonly string[], signal: AbortSignal) =>
      changeBuckets('DELETE', contactId, bucketIds, signal),

    /** GET /v2/buckets/{id}/contacts, page by page. Scopes: not documented. */
    listContacts: (bucketId: string, signal: AbortSignal): AsyncIterable<Page<ContactRow>> =>
      listPages(send, contactsOf(bucketId), signal),

    /** POST /v2/buckets/{id}/contacts: adds those that are accessible; how many ids it takes is not documented. */
    addContacts: (bucketId: string, contactIds: readonly string[], signal: AbortSignal) =>
      changeContacts('POST', bucketId, contactIds, signal),

    /** DELETE /v2/buckets/{id}/contacts: removes those that are accessible. */
    removeContacts: (bucketId: string, contactIds: readonly string[], signal: AbortSignal) =>
      changeContacts('DELETE', bucketId, contactIds, signal),
  };
};
