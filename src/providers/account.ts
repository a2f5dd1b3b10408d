import type { Gate } from '../net/gate.ts';
import { timeToSendMs } from '../net/governor.ts';
import type { TransportRequest } from '../net/transport.ts';
import type { Network } from './provider.ts';

/** The account behind a credential. */
export type Account = {
  /** The same value as the result of `identify`; null if the remote reports none. */
  readonly id: string | null;
  /** The email address of the account; null if the remote reports none. */
  readonly email: string | null;
};

/** Returns an account as display text: `ada@example.org (people/1)`. */
export const accountWords = ({ email, id }: Account): string =>
  email === null ? (id ?? 'an account without a known name') : id === null ? email : `${email} (${id})`;

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
  const counted = await network.openDispatcher({ timeoutMs, gatesFor });
  return {
    ...counted,
    clock,
    random,
    onRetry,
    timeToSendMs: (requests: number): number => Math.max(...gates.map((gate) => timeToSendMs(requests, gate.budget()))),
  };
};
