import { openConnection } from '../connection.ts';
import { type Inspect, type Network, type OpenRemote, RETRY_BUDGET_MS } from '../provider.ts';
import { createSend } from './api/send.ts';
import { createServiceApi } from './api/service-api.ts';
import { openServiceGate, type ServiceSettings } from './provider.ts';
import { createServiceRemote } from './service-remote.ts';

const TIMEOUT_MS = 15_000;

const connect = async (settings: ServiceSettings, accessToken: string, network: Network) => {
  const gate = await openServiceGate(settings, accessToken, network);
  const connection = await openConnection(network, { timeoutMs: TIMEOUT_MS, gates: [gate] });
  return { ...connection, baseUrl: settings.baseUrl, accessToken };
};

/** Opens the account of the access token as a {@link Remote}. */
export const openRemote: OpenRemote<ServiceSettings> = async (settings, accessToken, network, fields) => {
  const connection = await connect(settings, accessToken, network);
  return createServiceRemote({ ...connection, fields, maxElapsedMs: RETRY_BUDGET_MS });
};

/** Inspects the account behind the access token; the scope user:login is enough. Throws a RemoteError. */
export const inspect: Inspect<ServiceSettings> = async (settings, accessToken, network, signal) => {
  const connection = await connect(settings, accessToken, network);
  const { id, email } = await createServiceApi(createSend(connection)(signal)).getUser();
  return { account: { id, email } };
};
