import type { ChosenFields } from '../../core/contact/chosen.ts';
import { timeToSendMs } from '../../net/governor.ts';
import { type Account, inspecting } from '../account.ts';
import { type Inspection, type Network, RETRY_BUDGET_MS } from '../provider.ts';
import type { Remote } from '../remote.ts';
import { createSend, type SendOptions } from './api/send.ts';
import { createServiceApi } from './api/service-api.ts';
import { openServiceGate, type ServiceSettings } from './provider.ts';
import { createServiceRemote } from './service-remote.ts';

/** Returns the account behind the access token with one request; the scope user:login is enough. Throws a RemoteError. */
const readServiceAccount = async (options: SendOptions, signal: AbortSignal): Promise<Account> => {
  const { id, email } = await createServiceApi(createSend(options)).user.get(signal);
  return { id, email };
};

const TIMEOUT_MS = 15_000;

/** Opens the account of the access token as a {@link Remote}. */
export const openService = async (
  settings: ServiceSettings,
  accessToken: string,
  network: Network,
  fields: ChosenFields,
): Promise<Remote> => {
  const { baseUrl } = settings;
  const { clock, random, onRetry } = network;
  const gate = await openServiceGate(settings, accessToken, network);
  const counted = await network.openDispatcher({ timeoutMs: TIMEOUT_MS, gatesFor: () => [gate] });
  const timeToSend = (requests: number): number => timeToSendMs(requests, gate.budget());
  const limits = { maxElapsedMs: RETRY_BUDGET_MS, timeToSendMs: timeToSend, onRetry };
  return createServiceRemote({ baseUrl, accessToken, ...counted, clock, random, fields, ...limits });
};

/** Inspects the account behind the access token. Throws a RemoteError. */
export const inspectService = (
  settings: ServiceSettings,
  accessToken: string,
  network: Network,
  signal: AbortSignal,
): Promise<Inspection> =>
  inspecting(network.clock, async (onAnswer) => {
    const { baseUrl } = settings;
    const { clock } = network;
    const gate = await openServiceGate(settings, accessToken, network);
    const { dispatcher } = await network.openDispatcher({ timeoutMs: TIMEOUT_MS, gatesFor: () => [gate], onAnswer });
    return { account: await readServiceAccount({ baseUrl, accessToken, dispatcher, clock }, signal) };
  });
