/** The metrics that Google meters a People API request on. */
type GoogleQuota = 'read' | 'write';

/** `batchCreateContacts`, `batchUpdateContacts` and `people:batchGet` take 200 contacts (People API reference). */
export const CONTACTS_PER_BATCH = 200;
/** `contactGroups.members:modify`: additions and removals together (People API reference). */
export const MEMBERS_PER_REQUEST = 1000;
/** `people.connections.list` and `contactGroups.list`: the greatest `pageSize` (People API reference). */
export const ITEMS_PER_PAGE = 1000;
/** Listings cut email addresses and phone numbers of a contact at this many; `people.get` gives all (reference). */
export const LISTED_VALUES_MAX = 100;
/** Sync tokens die 7 days after the full listing (reference); a day is left to get round to the next one. */
export const SYNC_TOKEN_LIFE_MS = 6 * 24 * 60 * 60 * 1000;

/** Writes that answer with the contact read it back, and fail on the read metric too (seen on `updateContact`). */
const READS_BACK = /:(?:batchCreateContacts|batchUpdateContacts|createContact|updateContact)$/u;
const PEOPLE_API = /\/v1\/(?:people|contactGroups)(?:[/:?]|$)/u;

/** Which quotas a request counts against; none for what is not the People API, such as a token request. */
export const classifyGoogleRequest = (method: string, path: string): readonly GoogleQuota[] => {
  if (!PEOPLE_API.test(path)) return [];
  if (method.toUpperCase() === 'GET') return ['read'];
  return READS_BACK.test(path.replace(/\?.*$/u, '')) ? ['read', 'write'] : ['write'];
};

/** Runs tasks strictly one after the other, in the order in which they were handed in. */
export type Lane = <Value>(task: () => Promise<Value>) => Promise<Value>;

/** Google wants the mutations of one account sequential (People API reference, every write). */
export const createLane = (): Lane => {
  let tail: Promise<unknown> = Promise.resolve();
  return (task) => {
    const turn = tail.then(task);
    tail = turn.catch(() => undefined);
    return turn;
  };
};
