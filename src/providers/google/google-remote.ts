import { USUAL_FIELDS } from '../../core/contact/contact.ts';
import { LISTING_LIMITS } from '../listing.ts';
import type { RemoteOptions } from '../provider.ts';
import { orRefusal } from '../write-results.ts';
import type { Remote } from '../remote.ts';
import { createCaller } from './send.ts';
import { createGoogleClient, type GoogleClientOptions } from './client.ts';
import { personMapping } from './fields.ts';
import { findCreated } from './find-created.ts';
import { readContacts, readProfile } from './read.ts';
import { createGroup, deleteGroup, listGroups, readGroup, renameGroup } from './groups.ts';
import { CONTACTS_PER_BATCH, MEMBERS_PER_REQUEST } from './limits.ts';
import { changeMembership } from './membership.ts';
import { pullContacts } from './pull.ts';
import { createContacts, deleteContacts, updateContacts } from './push.ts';

export type GoogleRemoteOptions = RemoteOptions & GoogleClientOptions;

/** Listings may miss a write for some minutes (the reference gives no figure). */
const LAG_MS = 10 * 60 * 1000;

/** Creates the remote of one Google account. Sends nothing until it is used. */
export const createGoogleRemote = (options: GoogleRemoteOptions): Remote => {
  const { clock, fields = USUAL_FIELDS, listingLimits: limits = LISTING_LIMITS } = options;
  const callFor = createCaller({ ...options, mapping: personMapping(fields), client: createGoogleClient(options) });
  return {
    capabilities: {
      writeBatch: CONTACTS_PER_BATCH,
      readBatch: CONTACTS_PER_BATCH,
      moveBatch: { size: MEMBERS_PER_REQUEST, of: 'all' },
      createsWithGroups: true,
      mayForbidSharedEmails: false,
      namesDeletions: true,
      cursorsExpire: true,
      confirmsAbsenceAfter: null,
      lagMs: LAG_MS,
      writesConditionally: true,
    },
    requestCount: options.requestCount,
    timeToSendMs: options.timeToSendMs,
    identify: async (signal) => (await readProfile(callFor(signal), 'metadata'))?.id ?? null,
    pull: (request, signal) => pullContacts({ call: callFor(signal), clock, limits }, request),
    read: (ids, signal) => readContacts(callFor(signal), ids),
    create: (batch, signal) => orRefusal(createContacts(callFor(signal), batch)),
    update: (batch, signal) => orRefusal(updateContacts(callFor(signal), batch)),
    delete: (ids, signal) => orRefusal(deleteContacts(callFor(signal), ids)),
    changeMembership: (batch, signal) => orRefusal(changeMembership(callFor(signal), batch)),
    findCreated: (requests, sinceMs, isTaken, signal) => findCreated(callFor(signal), requests, sinceMs, isTaken),
    listGroups: (signal) => listGroups(callFor(signal)),
    readGroup: (id, signal) => readGroup(callFor(signal), id),
    createGroup: (name, signal) => createGroup(callFor(signal), name),
    renameGroup: (group, name, signal) => renameGroup(callFor(signal), group, name),
    deleteGroup: (id, signal) => deleteGroup(callFor(signal), id),
  };
};
