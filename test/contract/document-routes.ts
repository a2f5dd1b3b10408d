import type { z } from 'zod';
import type { ServiceApi } from '../../src/providers/service/api/service-api.ts';
import type { ServiceEmulator } from '../../src/sandbox/service/server.ts';
import * as document from './document-schemas.ts';

/** The ids of the records that the calls of the table use. */
export type Stock = {
  readonly contactId: string;
  readonly otherContactId: string;
  readonly bucketId: string;
  readonly memberBucketId: string;
};

export type DocumentedRoute = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path as documented. */
  readonly path: string;
  /** Alternative scopes. Scopes joined by + are required together. Null: not documented. */
  readonly scopes: readonly string[] | null;
  readonly answer: z.ZodType;
  readonly call: (api: ServiceApi, stock: Stock) => Promise<unknown>;
};

const allPages = async (pages: AsyncIterable<unknown>): Promise<void> => {
  for await (const _page of pages);
};

const BASIC = ['user:basic', 'user:manage', 'all:view', 'all:manage'];
const BUCKETS = ['buckets:view', 'buckets:manage', 'all:view', 'all:manage'];
const BUCKETS_MANAGE = ['buckets:manage', 'all:manage'];
const CONTACTS = ['contacts:view', 'contacts:manage', 'all:view', 'all:manage'];
const CONTACTS_MANAGE = ['contacts:manage', 'all:manage'];
const MEMBERSHIP = ['contacts:manage+buckets:manage', 'all:manage'];

/** src/providers/service/API.md, User routes. */
const USER_ROUTES: readonly DocumentedRoute[] = [
  {
    method: 'GET',
    path: '/v2/me',
    scopes: ['user:login', ...BASIC],
    answer: document.one(document.user.or(document.partialUser)),
    call: (api) => api.getUser(),
  },
];

/** src/providers/service/API.md, Bucket routes. */
const BUCKET_ROUTES: readonly DocumentedRoute[] = [
  {
    method: 'GET',
    path: '/v2/buckets',
    scopes: BUCKETS,
    answer: document.listOf(document.bucket),
    call: (api) => allPages(api.buckets.list({ order: ['id'] })),
  },
  {
    method: 'POST',
    path: '/v2/buckets',
    scopes: BUCKETS_MANAGE,
    answer: document.one(document.bucket),
    call: (api) => api.buckets.create({ name: 'Leads', goal: 'Call', reminder_interval: 30 }),
  },
  {
    method: 'GET',
    path: '/v2/buckets/{id}',
    scopes: BUCKETS,
    answer: document.one(document.bucket),
    call: (api, { bucketId }) => api.buckets.get(bucketId),
  },
  {
    method: 'PATCH',
    path: '/v2/buckets/{id}',
    scopes: BUCKETS_MANAGE,
    answer: document.one(document.bucket),
    call: (api, { bucketId }) => api.buckets.update(bucketId, { name: 'Family' }),
  },
  {
    method: 'DELETE',
    path: '/v2/buckets/{id}',
    scopes: BUCKETS_MANAGE,
    answer: document.one(document.bucket),
    call: (api, { bucketId }) => api.buckets.delete(bucketId),
  },
  {
    method: 'POST',
    path: '/v2/buckets/{id}/contacts',
    scopes: MEMBERSHIP,
    answer: document.listOf(document.contact),
    call: (api, { bucketId, contactId }) => api.membership.addContacts(bucketId, [contactId]),
  },
];

/** src/providers/service/API.md, Contact routes. */
const CONTACT_ROUTES: readonly DocumentedRoute[] = [
  {
    method: 'GET',
    path: '/v2/contacts',
    scopes: CONTACTS,
    answer: document.listOf(document.contact),
    call: (api) => allPages(api.contacts.list({ order: ['-updated_at'] })),
  },
  {
    method: 'POST',
    path: '/v2/contacts',
    scopes: CONTACTS_MANAGE,
    answer: document.one(document.contact),
    call: (api) => api.contacts.create({ first_name: 'Cid', email_addresses: [{ address: 'c@x.example' }] }),
  },
  {
    method: 'GET',
    path: '/v2/contacts/{id}',
    scopes: CONTACTS,
    answer: document.one(document.contact),
    call: (api, { contactId }) => api.contacts.get(contactId),
  },
  {
    method: 'PATCH',
    path: '/v2/contacts/{id}',
    scopes: CONTACTS_MANAGE,
    answer: document.one(document.contact),
    call: (api, { contactId }) => api.contacts.update(contactId, { title: 'Countess', company: null }),
  },
  {
    method: 'DELETE',
    path: '/v2/contacts/{id}',
    scopes: CONTACTS_MANAGE,
    answer: document.one(document.contact),
    call: (api, { contactId }) => api.contacts.delete(contactId),
  },
  {
    method: 'POST',
    path: '/v2/contacts/{id}/merge',
    scopes: CONTACTS_MANAGE,
    answer: document.one(document.contact),
    call: (api, { contactId, otherContactId }) => api.contacts.merge(contactId, [otherContactId]),
  },
  {
    method: 'GET',
    path: '/v2/contacts/{id}/buckets',
    scopes: BUCKETS,
    answer: document.listOf(document.bucket),
    call: (api, { contactId }) => allPages(api.membership.listBuckets(contactId)),
  },
  {
    method: 'POST',
    path: '/v2/contacts/{id}/buckets',
    scopes: MEMBERSHIP,
    answer: document.listOf(document.bucket),
    call: (api, { contactId, bucketId }) => api.membership.addBuckets(contactId, [bucketId]),
  },
  {
    method: 'PUT',
    path: '/v2/contacts/{id}/buckets',
    scopes: MEMBERSHIP,
    answer: document.listOf(document.bucket),
    call: (api, { contactId, bucketId }) => api.membership.replaceBuckets(contactId, [bucketId]),
  },
  {
    method: 'DELETE',
    path: '/v2/contacts/{id}/buckets',
    scopes: MEMBERSHIP,
    answer: document.listLeft(document.bucket),
    call: (api, { contactId, memberBucketId }) => api.membership.removeBuckets(contactId, [memberBucketId]),
  },
];

/** The documented routes that the sync uses. */
export const TABLES = [
  { table: 'User routes', routes: USER_ROUTES },
  { table: 'Bucket routes', routes: BUCKET_ROUTES },
  { table: 'Contact routes', routes: CONTACT_ROUTES },
] as const;

/** Every documented scope (Authentication). */
export const DOCUMENTED_SCOPES: readonly string[] = [
  'all:view',
  'all:manage',
  'user:login',
  'user:basic',
  'user:manage',
  ...['buckets', 'contacts', 'interactions', 'message-templates', 'notes', 'tasks', 'connected-accounts'].flatMap(
    (resource) => [`${resource}:view`, `${resource}:manage`],
  ),
];

/** Adds one record of each kind to the account. */
export const stockAccount = ({ account }: ServiceEmulator, agoMs: number): Stock => {
  const bucketId = account.createBucket({ name: 'Friends' }).id;
  const memberBucketId = account.createBucket({ name: 'Clients', goal: 'Keep', reminderInterval: 1 }).id;
  const fields = {
    first_name: 'Ada',
    last_name: 'King',
    avatar_url: 'https://example.org/ada.png',
    tags: ['Golf'],
    addresses: [{ label: 'Home', street_1: '1 Main', city: 'Paris', state: 'IDF', zip: '75001', country: 'France' }],
    email_addresses: [
      { label: 'Work', address: 'ada@example.org' },
      { label: null, address: 'ada@example.net' },
    ],
    social_media_profiles: [{ label: 'network', url: 'https://social.example/ada' }],
    websites: [{ label: 'Work', address: 'https://ada.example' }],
    phone_numbers: [{ label: 'mobile', number: '(830) 285-9851' }],
    custom_field_values: [{ field: { id: 'custom_field_1' }, value: 'blue' }],
  };
  const contactId = account.createContact(fields, { bucketIds: [memberBucketId] }).id;
  const otherContactId = account.createContact({ first_name: 'Ada', last_name: 'Byron' }).id;
  account.compute(contactId, { lastContactedAtMs: agoMs });
  return {
    contactId,
    otherContactId,
    bucketId,
    memberBucketId,
  };
};
