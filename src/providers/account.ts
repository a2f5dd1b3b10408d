import { type AnswerHeaders, readRateHeaders, readServerTimeMs } from '../net/headers.ts';
import type { Gate } from '../net/gate.ts';
import { timeToSendMs } from '../net/governor.ts';
import type { TransportRequest } from '../net/transport.ts';
import type { Clock } from '../util/clock.ts';
import type { Inspection, Network } from './provider.ts';

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

export type OnAnswer = (headers: AnswerHeaders) => void;

type ConnectionOptions = {
  readonly timeoutMs: number;
  /** The gates of all requests. */
  readonly gates: readonly Gate[];
  /** The gates of one request; `gates` by default. */
  readonly gatesFor?: (request: TransportRequest) => readonly Gate[];
  readonly onAnswer?: OnAnswer | undefined;
};

/** Opens the network access of an account. A write counts against each of the gates. */
export const openConnection = async (network: Network, options: ConnectionOptions) => {
  const { gates, gatesFor = () => gates, onAnswer, timeoutMs } = options;
  const { clock, random, onRetry } = network;
  const counted = await network.openDispatcher({ timeoutMs, gatesFor, ...(onAnswer && { onAnswer }) });
  return {
    ...counted,
    clock,
    random,
    onRetry,
    timeToSendMs: (requests: number): number => Math.max(...gates.map((gate) => timeToSendMs(requests, gate.budget()))),
  };
};

/** Inspects an account. The result contains the time and the rate limit of the latest answer that `read` passes on. */
export const inspecting = async (
  clock: Clock,
  read: (onAnswer: OnAnswer) => Promise<Pick<Inspection, 'account' | 'checks'>>,
): Promise<Inspection> => {
  let headers: AnswerHeaders = {};
  const inspected = await read((latest) => {
    headers = latest;
  });
  return {
    ...inspected,
    serverTimeMs: readServerTimeMs(headers),
    rate: readRateHeaders(headers, clock.now()),
  };
};
