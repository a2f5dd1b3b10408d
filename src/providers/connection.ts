import type { Gate } from '../net/gate.ts';
import { timeToSendMs } from '../net/governor.ts';
import { createTransport, openAgent, type Transport, type TransportRequest } from '../net/transport.ts';
import type { Network } from './provider.ts';

type ConnectionOptions = {
  readonly timeoutMs: number;
  /** The gates of all requests. */
  readonly gates: readonly Gate[];
  /** The gates of one request; `gates` by default. */
  readonly gatesFor?: (request: TransportRequest) => readonly Gate[];
};

/** Opens the network access of an account. A write counts against each of the gates. */
export const openConnection = async (network: Network, options: ConnectionOptions) => {
  const { gates, gatesFor = () => gates, timeoutMs } = options;
  const { clock, random, onRetry } = network;
  const counted = await network.openTransport({ timeoutMs, gatesFor });
  return {
    ...counted,
    clock,
    random,
    onRetry,
    timeToSendMs: (requests: number): number => Math.max(...gates.map((gate) => timeToSendMs(requests, gate.budget()))),
  };
};

/** The timeout for answers of a token endpoint. */
const SIGN_IN_TIMEOUT_MS = 30_000;

/** Runs a sign-in with a transport whose connections are closed afterwards. */
export const signingIn = async <T>(work: (transport: Transport) => Promise<T>): Promise<T> => {
  const agent = openAgent();
  try {
    return await work(createTransport({ agent, timeoutMs: SIGN_IN_TIMEOUT_MS }));
  } finally {
    await agent.destroy();
  }
};
