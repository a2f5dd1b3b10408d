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
  readonly promptId: string;
  readonly accountId: string;
  readonly interactionId: string;
};

export type DocumentedRoute = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path as documented. */
  readonly path: string;
  /** Alternative scopes. Scopes joined by + are required together. Null: not documented. */
  readonly scopes: readonly string[] | null;
  readonly answer: z.ZodType;
  readonly call: (api: ServiceApi, stock: Stock, signal: AbortSignal) => Promise<unknown>;
};

const allPages = async (pages: AsyncIterable<unknown>): Promise<void> => {
  for await (const _page of pages);
};

const ACCOUNTS = ['connected-accounts:view', 'connected-accounts:manage', 'all:view', 'all:manage'];
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
    call: (api, _stock, signal) => api.user.get(signal),
  },
  {
    method: 'PATCH',
    path: '/v2/me',
    scopes: ['user:manage', 'all:manage'],
    answer: document.one(document.user),
    call: (api, _stock, signal) => api.user.update({ first_name: 'Sam', settings: { time_zone: 'UTC' } }, signal),
  },
  {
    method: 'GET',
    path: '/v2/me/connected-accounts',
    scopes: ACCOUNTS,
    answer: document.listOf(document.connectedAccount),
    call: (api, _stock, signal) => allPages(api.user.listConnectedAccounts({ order: ['-created_at'] }, signal)),
  },
  {
    method: 'GET',
    path: '/v2/me/connected-accounts/{id}',
    scopes: ACCOUNTS,
    answer: document.one(document.connectedAccount),
    call: (api, { accountId }, signal) => api.user.getConnectedAccount(accountId, signal),
  },
  {
    method: 'GET',
    path: '/v2/me/email-aliases',
    scopes: ['user:login'],
    answer: document.listOf(document.emailAlias),
    call: (api, _stock, signal) => allPages(api.user.listEmailAliases(signal)),
  },
  {
    method: 'GET',
    path: '/v2/me/notifications',
    scopes: BASIC,
    answer: document.listOf(document.notification),
    call: (api, _stock, signal) => allPages(api.user.listNotifications({ read: false }, signal)),
  },
  {
    method: 'GET',
    path: '/v2/me/prompts',
    scopes: BASIC,
    answer: document.listOf(document.prompt),
    call: (api, _stock, signal) => allPages(api.user.listPrompts({ order: ['due_at'] }, signal)),
  },
  {
    method: 'PUT',
    path: '/v2/me/prompts/{id}/postpone',
    scopes: ['user:basic', 'user:manage', 'all:manage'],
    answer: document.one(document.prompt),
    call: (api, { promptId }, signal) => api.user.postponePrompt(promptId, null, signal),
  },
  {
    method: 'POST',
    path: '/v2/me/prompts/generate',
    scopes: BASIC,
    answer: document.listLeft(document.prompt),
    call: (api, _stock, signal) => api.user.generatePrompts(signal),
  },
  {
    method: 'GET',
    path: '/v2/me/tasks',
    scopes: ['tasks:view', 'tasks:manage', 'all:view', 'all:manage'],
    answer: document.listOf(document.task),
    call: (api, _stock, signal) => allPages(api.user.listTasks({ completed: false, order: ['-completed_at'] }, signal)),
  },
];

/** src/providers/service/API.md, Bucket routes. */
const BUCKET_ROUTES: readonly DocumentedRoute[] = [
  {
    method: 'GET',
    path: '/v2/buckets',
    scopes: BUCKETS,
    answer: document.listOf(document.bucket),
    call: (api, _stock, signal) => allPages(api.buckets.list({ q: 'Fri', order: ['sort_order'] }, signal)),
  },
  {
    method: 'POST',
    path: '/v2/buckets',
    scopes: BUCKETS_MANAGE,
    answer: document.one(document.bucket),
    call: (api, _stock, signal) => api.buckets.create({ name: 'Leads', goal: 'Call', reminder_interval: 30 }, signal),
  },
  {
    method: 'GET',
    path: '/v2/buckets/{id}',
    scopes: BUCKETS,
    answer: document.one(document.bucket),
    call: (api, { bucketId }, signal) => api.buckets.get(bucketId, signal),
  },
  {
    method: 'PATCH',
    path: '/v2/buckets/{id}',
    scopes: BUCKETS_MANAGE,
    answer: document.one(document.bucket),
    call: (api, { bucketId }, signal) => api.buckets.update(bucketId, { name: 'Family' }, signal),
  },
  {
    method: 'DELETE',
    path: '/v2/buckets/{id}',
    scopes: BUCKETS_MANAGE,
    answer: document.one(document.bucket),
    call: (api, { bucketId }, signal) => api.buckets.delete(bucketId, signal),
  },
  {
    method: 'GET',
    path: '/v2/buckets/{id}/contacts',
    scopes: null,
    answer: document.listOf(document.contact),
    call: (api, { memberBucketId }, signal) => allPages(api.membership.listContacts(memberBucketId, signal)),
  },
  {
    method: 'POST',
    path: '/v2/buckets/{id}/contacts',
    scopes: MEMBERSHIP,
    answer: document.listOf(document.contact),
    call: (api, { bucketId, contactId }, signal) => api.membership.addContacts(bucketId, [contactId], signal),
  },
  {
    method: 'DELETE',
    path: '/v2/buckets/{id}/contacts',
    scopes: MEMBERSHIP,
    answer: document.listLeft(document.contact),
    call: (api, { memberBucketId, contactId }, signal) =>
      api.membership.removeContacts(memberBucketId, [contactId], signal),
  },
];

/** src/providers/service/API.md, Contact routes. */
const CONTACT_ROUTES: readonly DocumentedRoute[] = [
  {
    method: 'GET',
    path: '/v2/contacts',
    scopes: CONTACTS,
    answer: document.listOf(document.contact),
    call: (api, _stock, signal) => allPages(api.contacts.list({ q: 'Ada', order: ['-updated_at'] }, signal)),
  },
  {
    method: 'POST',
    path: '/v2/contacts',
    scopes: CONTACTS_MANAGE,
    answer: document.one(document.contact),
    call: (api, _stock, signal) =>
      api.contacts.create({ first_name: 'Cid', email_addresses: [{ address: 'c@x.example' }] }, signal),
  },
  {
    method: 'GET',
    path: '/v2/contacts/{id}',
    scopes: CONTACTS,
    answer: document.one(document.contact),
    call: (api, { contactId }, signal) => api.contacts.get(contactId, signal),
  },
  {
    method: 'PATCH',
    path: '/v2/contacts/{id}',
    scopes: CONTACTS_MANAGE,
    answer: document.one(document.contact),
    call: (api, { contactId }, signal) => api.contacts.update(contactId, { title: 'Countess', company: null }, signal),
  },
  {
    method: 'DELETE',
    path: '/v2/contacts/{id}',
    scopes: CONTACTS_MANAGE,
    answer: document.one(document.contact),
    call: (api, { contactId }, signal) => api.contacts.delete(contactId, signal),
  },
  {
    method: 'POST',
    path: '/v2/contacts/{id}/merge',
    scopes: CONTACTS_MANAGE,
    answer: document.one(document.contact),
    call: (api, { contactId, otherContactId }, signal) => api.contacts.merge(contactId, [otherContactId], signal),
  },
  {
    method: 'GET',
    path: '/v2/contacts/{id}/buckets',
    scopes: BUCKETS,
    answer: document.listOf(document.bucket),
    call: (api, { contactId }, signal) => allPages(api.membership.listBuckets(contactId, signal)),
  },
  {
    method: 'POST',
    path: '/v2/contacts/{id}/buckets',
    scopes: MEMBERSHIP,
    answer: document.listOf(document.bucket),
    call: (api, { contactId, bucketId }, signal) => api.membership.addBuckets(contactId, [bucketId], signal),
  },
  {
    method: 'PUT',
    path: '/v2/contacts/{id}/buckets',
    scopes: MEMBERSHIP,
    answer: document.listOf(document.bucket),
    call: (api, { contactId, bucketId }, signal) => api.membership.replaceBuckets(contactId, [bucketId], signal),
  },
  {
    method: 'DELETE',
    path: '/v2/contacts/{id}/buckets',
    scopes: MEMBERSHIP,
    answer: document.listLeft(document.bucket),
    call: (api, { contactId, memberBucketId }, signal) =>
      api.membership.removeBuckets(contactId, [memberBucketId], signal),
  },
  {
    method: 'GET',
    path: '/v2/contacts/{id}/interactions',
    scopes: ['interactions:view', 'interactions:manage', 'all:view', 'all:manage'],
    answer: document.listOf(document.interaction),
    call: (api, { contactId }, signal) => allPages(api.contacts.listInteractions(contactId, signal)),
  },
];

/** src/providers/service/API.md, Interaction routes: the one route that no table of the documentation lists. */
export const ROUTE_BESIDE_THE_TABLES: DocumentedRoute = {
  method: 'PATCH',
  path: '/v2/interactions/{id}',
  scopes: null,
  answer: document.one(document.interaction),
  call: (api, { interactionId }, signal) => api.interactions.update(interactionId, { subject: 'Edited' }, signal),
};

/** The rows of the documented tables, with the number of rows of each table, which detects a missing row here. */
export const TABLES = [
  { table: 'User routes', documented: 10, routes: USER_ROUTES },
  { table: 'Bucket routes', documented: 8, routes: BUCKET_ROUTES },
  { table: 'Contact routes', documented: 11, routes: CONTACT_ROUTES },
] as const;

/** src/providers/service/API.md, Authorization endpoints. */
export const AUTHORIZATION_OPERATIONS = [
  'GET /oauth2/authorize',
  'POST /oauth2/token',
  'POST /oauth2/token/exchange',
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
  const interactionId = account.addInteraction(contactId, { subject: 'Hello', timestampMs: agoMs }).id;
  account.activity.notify('Welcome');
  account.activity.createTask(contactId, 'Call', agoMs);
  return {
    contactId,
    otherContactId,
    bucketId,
    memberBucketId,
    promptId: account.generatePrompts()[0]?.id ?? '',
    accountId: account.activity.connectedAccounts[0]?.id ?? '',
    interactionId,
  };
};
