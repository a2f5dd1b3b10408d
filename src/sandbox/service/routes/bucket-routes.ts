import { z } from 'zod';
import { listAnswer, storedOrders, storedTimes, subListAnswer, unsorted } from '../list-answer.ts';
import type { ListSpec } from '../listing.ts';
import type { BucketRecord } from '../records.ts';
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

const bucketFields = z.object({
  name: z.string().min(1),
  goal: z.string().nullish(),
  reminder_interval: z.number().nullish(),
});

/** New buckets are at the end of the manual order, so this order is that of their numbers. */
const bucketList: ListSpec<BucketRecord> = {
  times: storedTimes,
  orders: { ...storedOrders, sort_order: (bucket) => bucket.serial },
  defaultOrder: 'sort_order',
};

const createBucket = (request: RouteRequest): RouteAnswer => {
  const { name, goal, reminder_interval } = parseData(bucketFields, request);
  const bucket = request.account.createBucket({ name, goal, reminderInterval: reminder_interval });
  return { ...single(renderBucket(bucket, request)), effect: 'created' };
};

const updateBucket = (request: RouteRequest): RouteAnswer => {
  const { name, goal, reminder_interval } = parseData(bucketFields.partial(), request);
  const change = { ...(name === undefined ? {} : { name }), goal, reminderInterval: reminder_interval };
  return single(renderBucket(request.account.updateBucket(request.id, change), request));
};

const deleteBucket = (request: RouteRequest): RouteAnswer => {
  const body = single(renderBucket(request.account.requireBucket(request.id), request));
  request.account.deleteBucket(request.id);
  return { ...body, effect: 'deleted' };
};

const addMembers = (request: RouteRequest): RouteAnswer => {
  const { account } = request;
  const bucket = account.requireBucket(request.id);
  const ids = readBulkIds(request, (id) => account.contact(id) !== undefined);
  const touched = ids.known.map((id) => account.addToBuckets(id, [bucket.id]));
  const listed = request.variants.bulkAnswer === 'touched' ? touched : account.book.members(bucket.id);
  return withBulkErrors(subListAnswer(listed, renderContact, request), ids, request);
};

const VIEW = ['buckets:view', 'buckets:manage', 'all:view', 'all:manage'];
const MANAGE = ['buckets:manage', 'all:manage'];
const MEMBERSHIP = ['contacts:manage+buckets:manage', 'all:manage'];

const listBuckets = (request: RouteRequest): RouteAnswer =>
  listAnswer(unsorted(request.account.buckets()), bucketList, renderBucket, request);

const getBucket = (request: RouteRequest): RouteAnswer =>
  single(renderBucket(request.account.requireBucket(request.id), request));

export const BUCKET_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/v2/buckets', scopes: VIEW, answer: listBuckets },
  { method: 'POST', path: '/v2/buckets', scopes: MANAGE, answer: createBucket },
  { method: 'GET', path: '/v2/buckets/:id', scopes: VIEW, answer: getBucket },
  { method: 'PATCH', path: '/v2/buckets/:id', scopes: MANAGE, answer: updateBucket },
  { method: 'DELETE', path: '/v2/buckets/:id', scopes: MANAGE, answer: deleteBucket },
  { method: 'POST', path: '/v2/buckets/:id/contacts', scopes: MEMBERSHIP, answer: addMembers },
];
