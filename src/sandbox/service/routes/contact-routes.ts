import { z } from 'zod';
import { type ContactFields, contactFieldsSchema } from '../contact-fields.ts';
import { createContactList } from '../contact-list.ts';
import { invalid } from '../errors.ts';
import { subListAnswer } from '../list-answer.ts';
import type { BucketRecord, ContactRecord } from '../records.ts';
import { renderBucket, renderContact } from '../render.ts';
import {
  parseData,
  readBulkIds,
  type Route,
  type RouteAnswer,
  type RouteRequest,
  single,
  withBulkErrors,
} from '../route.ts';
import type { ServiceVariants } from '../variants.ts';

const sentFields = (request: RouteRequest): ContactFields => parseData(contactFieldsSchema, request);

const createContact = (request: RouteRequest): RouteAnswer => ({
  ...single(renderContact(request.account.createContact(sentFields(request)), request)),
  effect: 'created',
});

const updateContact = (request: RouteRequest): RouteAnswer =>
  single(renderContact(request.account.updateContact(request.id, sentFields(request)), request));

const deleteContact = (request: RouteRequest): RouteAnswer => ({
  ...single(renderContact(request.account.deleteContact(request.id), request)),
  effect: 'deleted',
});

const mergeList = z.object({ contact_ids: z.array(z.string()) });
const mergeBodies = {
  array: z.array(mergeList),
  object: mergeList.transform((list) => [list]),
  both: z.union([z.array(mergeList), mergeList.transform((list) => [list])]),
} satisfies Record<ServiceVariants['mergeBody'], unknown>;

const mergeContacts = (request: RouteRequest): RouteAnswer => {
  const lists = parseData<z.infer<typeof mergeList>[]>(mergeBodies[request.variants.mergeBody], request);
  const loserIds = lists.flatMap((list) => list.contact_ids);
  return single(renderContact(request.account.mergeContacts(request.id, loserIds), request));
};

const bucketsOf = ({ bucketIds }: ContactRecord, { account }: RouteRequest): readonly BucketRecord[] =>
  account.buckets().filter(({ id }) => bucketIds.includes(id));

const contactBuckets = (request: RouteRequest): RouteAnswer =>
  subListAnswer(bucketsOf(request.account.book.require(request.id), request), renderBucket, request);

const changeBuckets = (
  request: RouteRequest,
  change: (contactId: string, bucketIds: readonly string[]) => ContactRecord,
): RouteAnswer => {
  const { account, variants } = request;
  account.book.require(request.id);
  const ids = readBulkIds(request, (id) => account.bucket(id) !== undefined);
  const contact = change(request.id, ids.known);
  const touched = ids.known.map((id) => account.requireBucket(id));
  const listed = variants.bulkAnswer === 'touched' ? touched : bucketsOf(contact, request);
  return withBulkErrors(subListAnswer(listed, renderBucket, request), ids, request);
};

const setBuckets = (request: RouteRequest): RouteAnswer =>
  changeBuckets(request, (contactId, bucketIds) => {
    const { account, variants } = request;
    if (bucketIds.length === 0 && variants.putNoBuckets === 'no-op') return account.book.require(contactId);
    if (bucketIds.length === 0 && variants.putNoBuckets === '422') throw invalid(variants, "Buckets can't be blank");
    return account.setBuckets(contactId, bucketIds);
  });

const getContact = (request: RouteRequest): RouteAnswer =>
  single(renderContact(request.account.book.require(request.id), request));

const addBuckets = (request: RouteRequest): RouteAnswer =>
  changeBuckets(request, (id, bucketIds) => request.account.addToBuckets(id, bucketIds));

const removeBuckets = (request: RouteRequest): RouteAnswer =>
  changeBuckets(request, (id, bucketIds) => request.account.removeFromBuckets(id, bucketIds));

const VIEW = ['contacts:view', 'contacts:manage', 'all:view', 'all:manage'];
const MANAGE = ['contacts:manage', 'all:manage'];
const MEMBERSHIP = ['contacts:manage+buckets:manage', 'all:manage'];
const BUCKETS_VIEW = ['buckets:view', 'buckets:manage', 'all:view', 'all:manage'];

/** Creates the documented contact routes for one emulator. The contacts list stores its sorted views. */
export const createContactRoutes = (): readonly Route[] => [
  { method: 'GET', path: '/v2/contacts', scopes: VIEW, answer: createContactList() },
  { method: 'POST', path: '/v2/contacts', scopes: MANAGE, answer: createContact },
  { method: 'GET', path: '/v2/contacts/:id', scopes: VIEW, answer: getContact },
  { method: 'PATCH', path: '/v2/contacts/:id', scopes: MANAGE, answer: updateContact },
  { method: 'DELETE', path: '/v2/contacts/:id', scopes: MANAGE, answer: deleteContact },
  { method: 'POST', path: '/v2/contacts/:id/merge', scopes: MANAGE, answer: mergeContacts },
  { method: 'GET', path: '/v2/contacts/:id/buckets', scopes: BUCKETS_VIEW, answer: contactBuckets },
  { method: 'POST', path: '/v2/contacts/:id/buckets', scopes: MEMBERSHIP, answer: addBuckets },
  { method: 'PUT', path: '/v2/contacts/:id/buckets', scopes: MEMBERSHIP, answer: setBuckets },
  { method: 'DELETE', path: '/v2/contacts/:id/buckets', scopes: MEMBERSHIP, answer: removeBuckets },
];
