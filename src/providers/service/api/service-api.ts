import { z } from 'zod';
import { createBucketsApi } from './buckets.ts';
import { createContactsApi } from './contacts.ts';
import { createMembershipApi } from './membership.ts';
import { USUAL_MAPPING, type ServiceMapping } from '../fields.ts';
import { call } from './resource.ts';
import { id, optionalText } from './schemas-common.ts';
import type { Send } from './send.ts';

/** The user (API.md, Resources and their fields). With only the scope user:login most other fields are null. */
const userSchema = z.object({ id, email: optionalText });

export type ServiceApi = ReturnType<typeof createServiceApi>;

/** Creates the client of one operation: the routes that the sync uses, with the mapping of the contacts that it reads. */
export const createServiceApi = (send: Send, mapping: ServiceMapping = USUAL_MAPPING) => ({
  mapping,
  /** GET /v2/me (API.md, User routes). Scopes: one of user:login, user:basic, user:manage, all:view, all:manage. */
  getUser: () => call(send, userSchema, { method: 'GET', route: '/v2/me' }),
  buckets: createBucketsApi(send),
  contacts: createContactsApi(send, mapping),
  membership: createMembershipApi(send),
});
