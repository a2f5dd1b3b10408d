import { z } from 'zod';
import { listPages, PAGE_SIZE, rowsOf, type Page } from './paging.ts';
import { id as idSchema } from './schemas-common.ts';
import type { ApiRequest, Send } from './send.ts';

/** The service's answer to a change of a membership. The returned rows are not fully documented. */
export type MembershipAnswer = {
  /** Ids of the returned buckets or contacts. Unreadable ones are skipped. */
  readonly ids: readonly string[];
  /** True if the rows may be missing or end at a page limit, so that a missing row has no meaning. */
  readonly mayBeCut: boolean;
};

const CONTACT_BUCKETS = '/v2/contacts/{id}/buckets';
const BUCKET_CONTACTS = '/v2/buckets/{id}/contacts';

const rowSchema = z.object({ id: idSchema });
const answerSchema = z.object({ data: z.array(z.unknown()) });

/** Creates the operations of one membership route. All of them send ids and return a list. */
const changer = (send: Send, route: string) => {
  return async (method: ApiRequest['method'], id: string, memberIds: readonly string[]): Promise<MembershipAnswer> => {
    const body = { data: memberIds.map((memberId) => ({ id: memberId })) };
    const rows = answerSchema.safeParse((await send({ method, route, id, body })).json).data?.data;
    const ids = (rows ?? []).flatMap((row) => rowSchema.safeParse(row).data?.id ?? []);
    return { ids, mayBeCut: rows === undefined || rows.length === PAGE_SIZE };
  };
};

/**
 * Creates the routes between contacts and buckets (API.md, Bucket routes and Contact routes). Every operation throws a
 * RemoteError or the signal's reason. The scopes of a change: contacts:manage and buckets:manage, or all:manage.
 */
export const createMembershipApi = (send: Send) => {
  const changeBuckets = changer(send, CONTACT_BUCKETS);
  const changeContacts = changer(send, BUCKET_CONTACTS);
  return {
    /** GET /v2/contacts/{id}/buckets. Scopes: one of buckets:view, buckets:manage, all:view, all:manage. */
    listBuckets: (contactId: string): AsyncIterable<Page<z.output<typeof rowSchema>>> =>
      listPages(send, { route: CONTACT_BUCKETS, id: contactId, parameters: {}, parseRows: rowsOf(rowSchema) }),

    /** POST /v2/contacts/{id}/buckets: adds the contact to these buckets. */
    addBuckets: (contactId: string, bucketIds: readonly string[]) => changeBuckets('POST', contactId, bucketIds),

    /** PUT /v2/contacts/{id}/buckets: makes the contact a member of exactly these buckets. */
    replaceBuckets: (contactId: string, bucketIds: readonly string[]) => changeBuckets('PUT', contactId, bucketIds),

    /** DELETE /v2/contacts/{id}/buckets: removes the contact from these buckets. */
    removeBuckets: (contactId: string, bucketIds: readonly string[]) => changeBuckets('DELETE', contactId, bucketIds),

    /** POST /v2/buckets/{id}/contacts: adds the accessible contacts. The maximum number of ids is not documented. */
    addContacts: (bucketId: string, contactIds: readonly string[]) => changeContacts('POST', bucketId, contactIds),
  };
};
