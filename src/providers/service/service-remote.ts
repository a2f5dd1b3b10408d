import { USUAL_FIELDS } from '../../core/contact/contact.ts';
import { mapConcurrently } from '../../util/batches.ts';
import { orRefusal } from '../write-results.ts';
import { LISTING_LIMITS } from '../listing.ts';
import type { Remote, RemoteCapabilities } from '../remote.ts';
import type { RemoteOptions } from '../provider.ts';
import { retrying } from '../send.ts';
import { createSend, type Send } from './api/send.ts';
import { createServiceApi, type ServiceApi } from './api/service-api.ts';
import { serviceMapping } from './fields.ts';
import { createGroup, deleteGroup, listGroups, readGroup, renameGroup } from './groups.ts';
import { BULK_SIZE } from './membership-plan.ts';
import { changeMembership } from './membership.ts';
import { pullContacts } from './pull.ts';
import { findCreated } from './find-created.ts';
import { CONCURRENCY, createContacts, deleteContacts, mergeContacts, updateContacts } from './push.ts';
import { readContact } from './read.ts';

type ServiceRemoteOptions = RemoteOptions & {
  /** {base_url} of the resource API. */
  readonly baseUrl: string;
  readonly accessToken: string;
};

const CAPABILITIES: RemoteCapabilities = {
  writeBatch: 2 * CONCURRENCY,
  readBatch: 1,
  writesOneByOne: true,
  moveBatch: { size: BULK_SIZE, of: 'written' },
  createsWithGroups: false,
  // The result of a create with a known address is not documented (API.md, What the documentation leaves open).
  mayForbidSharedEmails: true,
  namesDeletions: false,
  cursorsExpire: false,
  // A read by id may still return a deleted contact for some time.
  confirmsAbsenceAfter: 2,
  lagMs: 0,
};

/** Creates the {@link Remote} of an account of the relationship management service. */
export const createServiceRemote = (options: ServiceRemoteOptions): Remote => {
  const { clock, fields = USUAL_FIELDS, listingLimits: limits = LISTING_LIMITS } = options;
  const mapping = serviceMapping(fields);
  const sendOnceFor = createSend(options);
  /** Returns the client of an operation. */
  const apiFor = (signal: AbortSignal): ServiceApi => {
    const sendOnce = sendOnceFor(signal);
    const send: Send = (apiRequest) =>
      retrying(() => sendOnce(apiRequest), { ...options, signal, isRead: apiRequest.method === 'GET' });
    return createServiceApi(send, mapping);
  };
  return {
    capabilities: CAPABILITIES,
    requestCount: options.requestCount,
    timeToSendMs: options.timeToSendMs,
    identify: async (signal) => (await apiFor(signal).getUser()).id,
    pull: (request, signal) => pullContacts({ api: apiFor(signal), clock, limits }, request),
    read: async (ids, signal) => {
      const api = apiFor(signal);
      return new Map(await mapConcurrently(ids, CONCURRENCY, async (id) => [id, await readContact(api, id)] as const));
    },
    create: (batch, signal) => orRefusal(createContacts(apiFor(signal), batch)),
    update: (batch, signal) => orRefusal(updateContacts(apiFor(signal), batch)),
    delete: (ids, signal) => orRefusal(deleteContacts(apiFor(signal), ids)),
    changeMembership: (batch, signal) => orRefusal(changeMembership(apiFor(signal), batch)),
    merge: (survivorId, mergedAwayId, signal) => mergeContacts(apiFor(signal), survivorId, mergedAwayId),
    findCreated: (requests, sinceMs, isTaken, signal) => findCreated(apiFor(signal), clock, requests, sinceMs, isTaken),
    listGroups: (signal) => listGroups(apiFor(signal)),
    readGroup: (id, signal) => readGroup(apiFor(signal), id),
    createGroup: (name, signal, details) => createGroup(apiFor(signal), name, details),
    renameGroup: (group, name, signal) => renameGroup(apiFor(signal), group.id, name),
    deleteGroup: (id, signal) => deleteGroup(apiFor(signal), id),
  };
};
