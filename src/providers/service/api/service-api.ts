import { createBucketsApi } from './buckets.ts';
import { createContactsApi } from './contacts.ts';
import { createInteractionsApi } from './interactions.ts';
import { createMembershipApi } from './membership.ts';
import type { Send } from './send.ts';
import { createUserApi } from './user.ts';

export type ServiceApi = ReturnType<typeof createServiceApi>;

/** The typed client of every documented route of the resource API, over one way to send. */
export const createServiceApi = (send: Send) => ({
  user: createUserApi(send),
  buckets: createBucketsApi(send),
  contacts: createContactsApi(send),
  membership: createMembershipApi(send),
  interactions: createInteractionsApi(send),
});
