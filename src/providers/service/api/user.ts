import { z } from 'zod';
import { call } from './resource.ts';
import { id, optionalText } from './schemas-common.ts';
import type { Send } from './send.ts';

/** The user (API.md, Resources and their fields). With only the scope user:login most other fields are null. */
const userSchema = z.object({ id, email: optionalText });

/** The user route (API.md, User routes). Throws a RemoteError or the signal's reason. */
export const createUserApi = (send: Send) => ({
  /** GET /v2/me. Scopes: one of user:login, user:basic, user:manage, all:view, all:manage. */
  get: () => call(send, userSchema, { method: 'GET', route: '/v2/me' }),
});
