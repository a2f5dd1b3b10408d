import type { Gate } from '../../net/gate.ts';
import type { TransportRequest } from '../../net/transport.ts';
import { openConnection } from '../connection.ts';
import { createCaller } from './send.ts';
import { createGoogleClient } from './client.ts';
import { createGoogleRemote } from './google-remote.ts';
import { readProfile } from './read.ts';
import { classifyGoogleRequest } from './limits.ts';
import type { GoogleSettings } from './provider.ts';
import { type Inspect, type Network, type OpenRemote, RETRY_BUDGET_MS } from '../provider.ts';
import { digest } from '../../util/secret.ts';

/** A batch of 200 contacts takes Google some time. */
const TIMEOUT_MS = 30_000;

/** Returns the options that every use of a Google account needs: addresses, credential, and rate-limited network access. */
const connect = async (settings: GoogleSettings, refreshToken: string, network: Network) => {
  const { clientId, clientSecret, rootUrl, tokenUrl, readLimit, writeLimit } = settings;
  const key = `google ${digest(`${rootUrl} ${refreshToken}`)}`;
  const gates = {
    read: await network.openGate(`${key} read`, readLimit),
    write: await network.openGate(`${key} write`, writeLimit),
  };
  const gatesFor = ({ method, path }: TransportRequest): readonly Gate[] =>
    classifyGoogleRequest(method, path).map((quota) => gates[quota]);
  // A write that returns the contact counts against both quotas.
  const both = [gates.write, gates.read];
  const connection = await openConnection(network, { timeoutMs: TIMEOUT_MS, gates: both, gatesFor });
  const client = { clientId, clientSecret: clientSecret.reveal(), refreshToken };
  return { ...connection, rootUrl, tokenUrl, ...client };
};

/** Opens the address book of the refresh token as a {@link Remote}. */
export const openRemote: OpenRemote<GoogleSettings> = async (settings, refreshToken, network, fields) => {
  const connection = await connect(settings, refreshToken, network);
  return createGoogleRemote({ ...connection, fields, maxElapsedMs: RETRY_BUDGET_MS });
};

/** Inspects the account behind the refresh token. Throws a RemoteError. */
export const inspect: Inspect<GoogleSettings> = async (settings, refreshToken, network, signal) => {
  const connection = await connect(settings, refreshToken, network);
  const call = createCaller({ ...connection, maxElapsedMs: 0, client: createGoogleClient(connection) })(signal);
  const account = (await readProfile(call, 'metadata,emailAddresses')) ?? (await readProfile(call, 'metadata'));
  return { account: account ?? { id: null, email: null } };
};
