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

type Method = DocumentedRoute['method'];

const route = (
  method: Method,
  path: string,
  scopes: DocumentedRoute['scopes'],
  answer: z.ZodType,
  call: DocumentedRoute['call'],
): DocumentedRoute => ({ method, path, scopes, answer, call });

const { bucket, contact, listLeft, listOf, one, partialUser, user } = document;
const [LIST, ONE] = ['/v2/contacts', '/v2/contacts/{id}'];
const [BUCKET_LIST, ONE_BUCKET, OWN_BUCKETS] = ['/v2/buckets', '/v2/buckets/{id}', `${ONE}/buckets`];
const LEADS = { name: 'Leads', goal: 'Call', reminder_interval: 30 };
const CID = { first_name: 'Cid', email_addresses: [{ address: 'c@x.example' }] };
const COUNTESS = { title: 'Countess', company: null };

/** The documented routes that the sync uses, by the tables of src/providers/service/API.md. */
export const TABLES: readonly { readonly table: string; readonly routes: readonly DocumentedRoute[] }[] = [
  {
    table: 'User routes',
    routes: [route('GET', '/v2/me', ['user:login', ...BASIC], one(user.or(partialUser)), (api) => api.getUser())],
  },
  {
    table: 'Bucket routes',
    routes: [
      route('GET', BUCKET_LIST, BUCKETS, listOf(bucket), ({ buckets }) => allPages(buckets.list({ order: ['id'] }))),
      route('POST', BUCKET_LIST, BUCKETS_MANAGE, one(bucket), ({ buckets }) => buckets.create(LEADS)),
      route('GET', ONE_BUCKET, BUCKETS, one(bucket), ({ buckets }, { bucketId }) => buckets.get(bucketId)),
      route('PATCH', ONE_BUCKET, BUCKETS_MANAGE, one(bucket), ({ buckets }, { bucketId }) =>
        buckets.update(bucketId, { name: 'Family' }),
      ),
      route('DELETE', ONE_BUCKET, BUCKETS_MANAGE, one(bucket), ({ buckets }, { bucketId }) => buckets.delete(bucketId)),
      route('POST', `${ONE_BUCKET}/contacts`, MEMBERSHIP, listOf(contact), ({ membership }, { bucketId, contactId }) =>
        membership.addContacts(bucketId, [contactId]),
      ),
    ],
  },
  {
    table: 'Contact routes',
    routes: [
      route('GET', LIST, CONTACTS, listOf(contact), ({ contacts }) =>
        allPages(contacts.list({ order: ['-updated_at'] })),
      ),
      route('POST', LIST, CONTACTS_MANAGE, one(contact), ({ contacts }) => contacts.create(CID)),
      route('GET', ONE, CONTACTS, one(contact), ({ contacts }, { contactId }) => contacts.get(contactId)),
      route('PATCH', ONE, CONTACTS_MANAGE, one(contact), ({ contacts }, { contactId }) =>
        contacts.update(contactId, COUNTESS),
      ),
      route('DELETE', ONE, CONTACTS_MANAGE, one(contact), ({ contacts }, { contactId }) => contacts.delete(contactId)),
      route('POST', `${ONE}/merge`, CONTACTS_MANAGE, one(contact), ({ contacts }, { contactId, otherContactId }) =>
        contacts.merge(contactId, [otherContactId]),
      ),
      route('GET', OWN_BUCKETS, BUCKETS, listOf(bucket), ({ membership }, { contactId }) =>
        allPages(membership.listBuckets(contactId)),
      ),
      route('POST', OWN_BUCKETS, MEMBERSHIP, listOf(bucket), ({ membership }, { contactId, bucketId }) =>
        membership.addBuckets(contactId, [bucketId]),
      ),
      route('PUT', OWN_BUCKETS, MEMBERSHIP, listOf(bucket), ({ membership }, { contactId, bucketId }) =>
        membership.replaceBuckets(contactId, [bucketId]),
      ),
      route('DELETE', OWN_BUCKETS, MEMBERSHIP, listLeft(bucket), ({ membership }, { contactId, memberBucketId }) =>
        membership.removeBuckets(contactId, [memberBucketId]),
      ),
    ],
  },
];

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
  return { contactId, otherContactId, bucketId, memberBucketId };
};
