import { z } from 'zod';
import type { ChosenFields } from '../../core/contact/chosen.ts';
import type { Gate } from '../../net/gate.ts';
import { timeToSendMs } from '../../net/governor.ts';
import type { TransportRequest } from '../../net/transport.ts';
import { type Account, inspecting, type OnAnswer } from '../account.ts';
import { InvalidError, NotFoundError } from '../errors.ts';
import { type CallGoogle, createCaller } from './call.ts';
import { createGoogleClient } from './client.ts';
import { isMissingScope } from './failure.ts';
import { createGoogleRemote, type GoogleRemoteOptions } from './google-remote.ts';
import { classifyGoogleRequest } from './limits.ts';
import type { GoogleSettings } from './provider.ts';
import { type Inspection, type Network, RETRY_BUDGET_MS } from '../provider.ts';
import type { Remote } from '../remote.ts';
import { digest, fingerprint } from '../../util/secret.ts';

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

/** Returns the account behind the refresh token, as far as the granted scopes show it. Throws a RemoteError. */
const readGoogleAccount = async (
  options: Omit<GoogleRemoteOptions, 'requestCount'>,
  signal: AbortSignal,
): Promise<Account> => {
  const call = createCaller({ ...options, client: createGoogleClient(options) });
  const account =
    (await readProfile(call, 'metadata,emailAddresses', signal)) ?? (await readProfile(call, 'metadata', signal));
  return account ?? { id: null, email: null };
};

/** A batch of 200 contacts takes Google some time. */
const TIMEOUT_MS = 30_000;

/** Returns the options that every use of a Google account needs: addresses, credential, and rate-limited network access. */
const connect = async (settings: GoogleSettings, refreshToken: string, network: Network, onAnswer?: OnAnswer) => {
  const { clientId, clientSecret, rootUrl, tokenUrl, readLimit, writeLimit } = settings;
  const key = `google ${digest(`${rootUrl} ${refreshToken}`)}`;
  const gates = {
    read: await network.openGate(`${key} read`, readLimit),
    write: await network.openGate(`${key} write`, writeLimit),
  };
  const gatesFor = ({ method, path }: TransportRequest): readonly Gate[] =>
    classifyGoogleRequest(method, path).map((quota) => gates[quota]);
  const counted = await network.openDispatcher({ timeoutMs: TIMEOUT_MS, gatesFor, ...(onAnswer && { onAnswer }) });
  const { clock, random, onRetry } = network;
  const client = { clientId, clientSecret: clientSecret.reveal(), refreshToken };
  // A write that returns the contact counts against both quotas.
  const timeToSend = (requests: number): number =>
    Math.max(timeToSendMs(requests, gates.write.budget()), timeToSendMs(requests, gates.read.budget()));
  // A different client or token address is a different credential.
  const shareAccessToken = network.shareAccessToken(`google ${digest(fingerprint([tokenUrl, client]))}`);
  const found = { ...counted, clock, random, onRetry, shareAccessToken, timeToSendMs: timeToSend };
  return { rootUrl, tokenUrl, ...client, ...found };
};

/** Opens the address book of the refresh token as a {@link Remote}. */
export const openGoogle = async (
  settings: GoogleSettings,
  refreshToken: string,
  network: Network,
  fields: ChosenFields,
): Promise<Remote> => {
  const connection = await connect(settings, refreshToken, network);
  return createGoogleRemote({ ...connection, fields, maxElapsedMs: RETRY_BUDGET_MS });
};

/** Inspects the account behind the refresh token. Throws a RemoteError. */
export const inspectGoogle = (
  settings: GoogleSettings,
  refreshToken: string,
  network: Network,
  signal: AbortSignal,
): Promise<Inspection> =>
  inspecting(network.clock, async (onAnswer) => {
    const connection = await connect(settings, refreshToken, network, onAnswer);
    return { account: await readGoogleAccount({ ...connection, maxElapsedMs: 0 }, signal) };
  });
