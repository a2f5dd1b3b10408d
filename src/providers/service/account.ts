import type { Account } from '../account.ts';
import { createSend, type SendOptions } from './api/send.ts';
import { createServiceApi } from './api/service-api.ts';

/** Whose account the access token opens, by one request; the scope user:login is enough. Throws a RemoteError. */
export const readServiceAccount = async (options: SendOptions, signal: AbortSignal): Promise<Account> => {
  const { id, email } = await createServiceApi(createSend(options)).user.get(signal);
  return { id, email };
};
