/** The quotas that Google applies to People API requests. */
type GoogleQuota = 'read' | 'write';

/** `batchCreateContacts`, `batchUpdateContacts` and `people:batchGet` take 200 contacts (People API reference). */
export const CONTACTS_PER_BATCH = 200;
/** `contactGroups.members:modify`: additions and removals together (People API reference). */
export const MEMBERS_PER_REQUEST = 1000;
/** `people.connections.list` and `contactGroups.list`: the maximum `pageSize` (People API reference). */
export const ITEMS_PER_PAGE = 1000;
/** Listings return at most this many email addresses and phone numbers of a contact; `people.get` returns all (reference). */
export const LISTED_VALUES_MAX = 100;
/** Sync tokens expire 7 days after the full listing (reference). One day is reserved for the next full listing. */
export const SYNC_TOKEN_LIFE_MS = 6 * 24 * 60 * 60 * 1000;

/** Writes that return the contact also count as reads, and fail on the read quota (observed on `updateContact`). */
const READS_BACK = /:(?:batchCreateContacts|batchUpdateContacts|createContact|updateContact)$/u;
const PEOPLE_API = /\/v1\/(?:people|contactGroups)(?:[/:?]|$)/u;

/** Returns the quotas that a request counts against; empty for other APIs, such as a token request. */
export const classifyGoogleRequest = (method: string, path: string): readonly GoogleQuota[] => {
  if (!PEOPLE_API.test(path)) return [];
  if (method.toUpperCase() === 'GET') return ['read'];
  return READS_BACK.test(path.replace(/\?.*$/u, '')) ? ['read', 'write'] : ['write'];
};
