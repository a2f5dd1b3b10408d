import { z } from 'zod';
import { listAnswer, matchesTerm, storedOrders, storedTimes, subListAnswer, unsorted } from '../list-answer.ts';
import type { ListSpec } from '../listing.ts';
import type { BucketRecord, ContactRecord } from '../records.ts';
import { renderBucket, renderContact } from '../render.ts';
import {
  anyOf,
  parseData,
  readBulkIds,
  type Route,
  type RouteAnswer,
  type RouteRequest,
  single,
  UPDATE,
  withBulkErrors,
} from '../route.ts';
import type { ServiceVariants } from '../variants.ts';

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
  filter: (name, value) => (name === 'q' ? (bucket) => matchesTerm(value, [bucket.name]) : undefined),
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

const bucketContacts = (request: RouteRequest): RouteAnswer => {
  const bucket = request.account.requireBucket(request.id);
  return subListAnswer(request.account.book.members(bucket.id), renderContact, request);
};

const changeMembers = (
  request: RouteRequest,
  change: (contactId: string, bucketId: string) => ContactRecord,
): RouteAnswer => {
  const { account } = request;
  const bucket = account.requireBucket(request.id);
  const ids = readBulkIds(request, (id) => account.contact(id) !== undefined);
  const touched = ids.known.map((id) => change(id, bucket.id));
  const listed = request.variants.bulkAnswer === 'touched' ? touched : account.book.members(bucket.id);
  return withBulkErrors(subListAnswer(listed, renderContact, request), ids, request);
};

const BUCKET_VIEW = ['buckets:view', 'buckets:manage', 'all:view', 'all:manage'];
const MEMBERSHIP = ['contacts:manage+buckets:manage', 'all:manage'];

/** The scopes of this route are not documented. */
const bucketContactsScopes = ({ bucketContactsScope }: ServiceVariants): readonly string[] => {
  switch (bucketContactsScope) {
    case 'contacts':
      return ['contacts:view', 'contacts:manage', 'all:view', 'all:manage'];
    case 'buckets':
      return BUCKET_VIEW;
    case 'both':
      return ['contacts:view+buckets:view', 'contacts:manage+buckets:manage', 'all:view', 'all:manage'];
  }
};

/** The documented bucket routes. */
export const BUCKET_ROUTES: readonly Route[] = [
  {
    methods: ['GET'],
    path: '/v2/buckets',
    scopes: anyOf(...BUCKET_VIEW),
    answer: (request) => listAnswer(unsorted(request.account.buckets()), bucketList, renderBucket, request),
  },
  {
    methods: ['POST'],
    path: '/v2/buckets',
    scopes: anyOf('buckets:manage', 'all:manage'),
    answer: createBucket,
  },
  {
    methods: ['GET'],
    path: '/v2/buckets/:id',
    scopes: anyOf(...BUCKET_VIEW),
    answer: (request) => single(renderBucket(request.account.requireBucket(request.id), request)),
  },
  {
    methods: UPDATE,
    path: '/v2/buckets/:id',
    scopes: anyOf('buckets:manage', 'all:manage'),
    answer: updateBucket,
  },
  {
    methods: ['DELETE'],
    path: '/v2/buckets/:id',
    scopes: anyOf('buckets:manage', 'all:manage'),
    answer: deleteBucket,
  },
  { methods: ['GET'], path: '/v2/buckets/:id/contacts', scopes: bucketContactsScopes, answer: bucketContacts },
  {
    methods: ['POST'],
    path: '/v2/buckets/:id/contacts',
    scopes: anyOf(...MEMBERSHIP),
    answer: (request) => changeMembers(request, (id, bucketId) => request.account.addToBuckets(id, [bucketId])),
  },
  {
    methods: ['DELETE'],
    path: '/v2/buckets/:id/contacts',
    scopes: anyOf(...MEMBERSHIP),
    answer: (request) => changeMembers(request, (id, bucketId) => request.account.removeFromBuckets(id, [bucketId])),
  },
];
