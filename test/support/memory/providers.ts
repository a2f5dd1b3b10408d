import type { RemoteCapabilities } from '../../../src/providers/remote.ts';

/** The properties of a provider, independent of the side. */
export type MemoryProvider = {
  readonly capabilities: RemoteCapabilities;
  /** The ids of the account, from a counter. */
  readonly contactId: (count: number) => string;
  readonly groupId: (count: number) => string;
  /** The resolution of modification stamps, in milliseconds. */
  readonly stampsEachMs: number;
  /** The change feed: versions with a token that expires, or stamps after a watermark. */
  readonly feed: 'versions' | 'stamps';
  /** Whether a write with a version that is not the last one is refused. */
  readonly checksVersions: boolean;
  /** Whether a new contact keeps the id of the contact that it was made for. */
  readonly keepsOriginIds: boolean;
  /** Whether a contact's new membership is a new version of the contact. */
  readonly membershipIsVersioned: boolean;
  /** Whether contacts get new ids and list their former ids. */
  readonly renamesContacts: boolean;
  /** Whether the side can merge two contacts by itself. */
  readonly mergesContacts: boolean;
  /** Whether a user can archive a contact: listings leave it out, reads still find it. */
  readonly archivesContacts: boolean;
  /** Whether an address has places for a flat and a post box in addition to its street. */
  readonly dividesAddresses: boolean;
  /** Whether a contact has organizations in addition to the one that the link syncs. */
  readonly listsJobs: boolean;
  /** Whether a renamed group is another one with the same members, and the former one stays until it is deleted. */
  readonly copiesRenamedGroups: boolean;
};

const GOOGLE: MemoryProvider = {
  capabilities: {
    writeBatch: 3,
    readBatch: 50,
    moveBatch: { size: 1000, of: 'all' },
    createsWithGroups: true,
    mayForbidSharedEmails: false,
    namesDeletions: true,
    cursorsExpire: true,
    confirmsAbsenceAfter: null,
    lagMs: 10 * 60_000,
    writesConditionally: true,
  },
  contactId: (count) => `people/c${count}`,
  groupId: (count) => `contactGroups/${count.toString(16)}`,
  stampsEachMs: 1,
  feed: 'versions',
  checksVersions: true,
  keepsOriginIds: true,
  membershipIsVersioned: true,
  renamesContacts: true,
  mergesContacts: false,
  archivesContacts: false,
  dividesAddresses: true,
  listsJobs: true,
  copiesRenamedGroups: false,
};

const SERVICE: MemoryProvider = {
  capabilities: {
    writeBatch: 3,
    writesOneByOne: true,
    readBatch: 1,
    moveBatch: { size: 100, of: 'written' },
    createsWithGroups: false,
    mayForbidSharedEmails: true,
    namesDeletions: false,
    cursorsExpire: false,
    confirmsAbsenceAfter: 2,
    lagMs: 0,
  },
  contactId: (count) => `contact_${count}`,
  groupId: (count) => `bucket_${count}`,
  stampsEachMs: 1_000,
  feed: 'stamps',
  checksVersions: false,
  keepsOriginIds: false,
  membershipIsVersioned: false,
  renamesContacts: false,
  mergesContacts: true,
  archivesContacts: true,
  dividesAddresses: false,
  listsJobs: false,
  copiesRenamedGroups: false,
};

/** An address book whose groups are categories of its cards: a renamed one is another group. */
const CARDDAV: MemoryProvider = {
  capabilities: {
    writeBatch: 3,
    readBatch: 50,
    moveBatch: { size: 100, of: 'all' },
    createsWithGroups: false,
    mayForbidSharedEmails: false,
    namesDeletions: true,
    cursorsExpire: false,
    confirmsAbsenceAfter: null,
    lagMs: 0,
    writesConditionally: true,
  },
  contactId: (count) => `card-${count}`,
  groupId: (count) => `group-card-${count}`,
  stampsEachMs: 1_000,
  feed: 'versions',
  checksVersions: true,
  keepsOriginIds: true,
  membershipIsVersioned: true,
  renamesContacts: false,
  mergesContacts: false,
  archivesContacts: false,
  dividesAddresses: true,
  listsJobs: false,
  copiesRenamedGroups: true,
};

/** The providers of the simulation, by their names in the configuration. */
export const MEMORY_PROVIDERS = { google: GOOGLE, service: SERVICE, carddav: CARDDAV };
export type ProviderName = keyof typeof MEMORY_PROVIDERS;
