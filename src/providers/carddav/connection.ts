import { digest } from '../../config/secret.ts';
import type { ChosenFields } from '../../contact/chosen.ts';
import { timeToSendMs } from '../../http/time-to-send.ts';
import { inspecting, type OnAnswer } from '../inspecting.ts';
import { RETRY_BUDGET_MS, type Inspection, type Network } from '../provider.ts';
import type { Remote } from '../remote.ts';
import { createCarddavRemote, type CarddavRemoteOptions } from './carddav-remote.ts';
import type { CarddavSettings } from './settings.ts';

/** A server may read all its cards for one answer. */
const TIMEOUT_MS = 60_000;

const connect = async (
  { url, username, addressbook, groups, rateLimit }: CarddavSettings,
  password: string,
  network: Network,
  onAnswer?: OnAnswer,
): Promise<Omit<CarddavRemoteOptions, 'maxElapsedMs'>> => {
  const { clock, random, onRetry } = network;
  const gate = await network.openGate(`carddav ${digest(`${url} ${username ?? ''} ${password}`)}`, rateLimit);
  const outlet = await network.openOutlet({
    timeoutMs: TIMEOUT_MS,
    gatesFor: () => [gate],
    ...(onAnswer && { onAnswer }),
  });
  const timeToSend = (requests: number): number => timeToSendMs(requests, gate.budget());
  return {
    url,
    username,
    password,
    addressbook,
    groupStyle: groups,
    ...outlet,
    clock,
    random,
    onRetry,
    timeToSendMs: timeToSend,
  };
};

/** The address book of a link, behind the port. */
export const openCarddav = async (
  settings: CarddavSettings,
  password: string,
  network: Network,
  fields: ChosenFields,
): Promise<Remote> =>
  createCarddavRemote({ ...(await connect(settings, password, network)), fields, maxElapsedMs: RETRY_BUDGET_MS });

/** Looks up the address book. Throws a RemoteError. */
export const inspectCarddav = (
  settings: CarddavSettings,
  password: string,
  network: Network,
  signal: AbortSignal,
): Promise<Inspection> =>
  inspecting(network.clock, async (onAnswer) => {
    const remote = createCarddavRemote({ ...(await connect(settings, password, network, onAnswer)), maxElapsedMs: 0 });
    return { id: await remote.identify(signal), email: null };
  });
