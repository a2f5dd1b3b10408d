import { z } from 'zod';
import type { Account } from '../account.ts';
import { InvalidError, NotFoundError } from '../errors.ts';
import { createCaller, type CallGoogle } from './call.ts';
import { createGoogleClient } from './client.ts';
import { isMissingScope } from './failure.ts';
import type { GoogleRemoteOptions } from './google-remote.ts';

const profileSchema = z.object({
  resourceName: z.string().min(1),
  emailAddresses: z.array(z.object({ value: z.string().nullish() })).nullish(),
});

const readProfile = async (call: CallGoogle, personFields: string, signal: AbortSignal): Promise<Account | null> => {
  try {
    const me = await call(
      {
        route: 'GET /v1/people/me',
        isMutation: false,
        schema: profileSchema,
        send: (people, options) => people.people.get({ resourceName: 'people/me', personFields }, options),
      },
      signal,
    );
    return { id: me.resourceName, email: me.emailAddresses?.[0]?.value ?? null };
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof InvalidError || isMissingScope(error)) return null;
    throw error;
  }
};

/** Whose address book the refresh token opens, as far as the granted scopes show it. Throws a RemoteError. */
export const readGoogleAccount = async (
  options: Omit<GoogleRemoteOptions, 'requestCount'>,
  signal: AbortSignal,
): Promise<Account> => {
  const call = createCaller({ ...options, client: createGoogleClient(options) });
  const account =
    (await readProfile(call, 'metadata,emailAddresses', signal)) ?? (await readProfile(call, 'metadata', signal));
  return account ?? { id: null, email: null };
};
