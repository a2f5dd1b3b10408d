import { createBucketsApi } from './buckets.ts';
import { createContactsApi } from './contacts.ts';
import { createMembershipApi } from './membership.ts';
import { USUAL_MAPPING, type ServiceMapping } from '../fields.ts';
import type { Send } from './send.ts';
import { createUserApi } from './user.ts';

export type ServiceApi = ReturnType<typeof createServiceApi>;

/** Creates the client of one operation: the routes that the sync uses, with the mapping of the contacts that it reads. */
export const createServiceApi = (send: Send, mapping: ServiceMapping = USUAL_MAPPING) => ({
  mapping,
  user: createUserApi(send),
  buckets: createBucketsApi(send),
  contacts: createContactsApi(send, mapping),
  membership: createMembershipApi(send),
});
