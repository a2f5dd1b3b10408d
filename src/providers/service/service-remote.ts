import { USUAL_FIELDS } from '../../core/contact/contact.ts';
import { mapConcurrently } from '../../util/batches.ts';
import { orRefusal } from '../write-results.ts';
import { LISTING_LIMITS } from '../listing.ts';
import type { Remote, RemoteCapabilities } from '../remote.ts';
import type { RemoteOptions } from '../provider.ts';
import { retrying } from '../send.ts';
import { createSend, type Send } from './api/send.ts';
import { createServiceApi } from './api/service-api.ts';
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
  createBatch: 1,
  updateBatch: 1,
  deleteBatch: 1,
  readBatch: 1,
  writeConcurrency: CONCURRENCY,
  moveBatch: { size: BULK_SIZE, of: 'written' },
  createsWithGroups: false,
  // The result of a create with a known address is not documented (API.md, What the documentation leaves open).
  mayForbidSharedEmails: true,
  namesDeletions: false,
  cursorsExpire: false,
  // A read by id may still return a deleted contact for some time.
  confirmsAbsenceAfter: 2,
  settlesWithinMs: 0,
};

/** Creates the {@link Remote} of an account of the relationship management service. */
export const createServiceRemote = (options: ServiceRemoteOptions): Remote => {
  const { clock, fields = USUAL_FIELDS, listingLimits: limits = LISTING_LIMITS } = options;
  const mapping = serviceMapping(fields);
  const send = createSend(options);
  const sendWithRetries: Send = (apiRequest, signal) =>
    retrying(() => send(apiRequest, signal), { ...options, signal, isRead: apiRequest.method === 'GET' });
  const api = createServiceApi(sendWithRetries, mapping);
  return {
    capabilities: CAPABILITIES,
    requestCount: options.requestCount,
    ...(options.timeToSendMs && { timeToSendMs: options.timeToSendMs }),
    identify: async (signal) => (await api.user.get(signal)).id,
    pull: (request, signal) => pullContacts({ api, clock, limits }, request, signal),
    read: async (ids, signal) => {
      const answers = await mapConcurrently(ids, CONCURRENCY, async (id) => {
        return [id, await readContact(api, id, signal)] as const;
      });
      return new Map(answers);
    },
    create: (batch, signal) => orRefusal(createContacts(api, batch, signal)),
    update: (batch, signal) => orRefusal(updateContacts(api, batch, signal)),
    delete: (ids, signal) => orRefusal(deleteContacts(api, ids, signal)),
    changeMembership: (batch, signal) => orRefusal(changeMembership(api, batch, signal)),
    merge: (survivorId, mergedAwayId, signal) => mergeContacts(api, survivorId, mergedAwayId, signal),
    findCreated: (requests, sinceMs, isTaken, signal) => findCreated(api, clock, requests, sinceMs, isTaken, signal),
    listGroups: (signal) => listGroups(api, signal),
    readGroup: (id, signal) => readGroup(api, id, signal),
    createGroup: (name, signal, details) => createGroup(api, name, signal, details),
    renameGroup: (group, name, signal) => renameGroup(api, group.id, name, signal),
    deleteGroup: (id, signal) => deleteGroup(api, id, signal),
  };
};
