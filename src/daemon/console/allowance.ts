import type { Clock } from '../../util/clock.ts';
import type { Client } from './client-address.ts';

/** So many at once, and so many a second after that. */
export type Rate = { readonly burst: number; readonly perSecond: number };

/** Answers whether one more is allowed now: a bucket that fills up again with time. */
export const createAllowance = (clock: Clock, { burst, perSecond }: Rate): (() => boolean) => {
  let free = burst;
  let atMs = clock.monotonic();
  return () => {
    const nowMs = clock.monotonic();
    free = Math.min(burst, free + ((nowMs - atMs) / 1000) * perSecond);
    atMs = nowMs;
    if (free < 1) return false;
    free -= 1;
    return true;
  };
};

const MOST_KEYS = 10_000;

/** An allowance for each key; of many keys, those that were used least recently are forgotten. */
export const createAllowances = (clock: Clock, rate: Rate, mostKeys = MOST_KEYS): ((key: string) => boolean) => {
  const allowances = new Map<string, () => boolean>();
  return (key) => {
    const allowance = allowances.get(key) ?? createAllowance(clock, rate);
    allowances.delete(key);
    allowances.set(key, allowance);
    const [oldest] = allowances.keys();
    if (allowances.size > mostKeys && oldest !== undefined) allowances.delete(oldest);
    return allowance();
  };
};

/** A peer that may be a proxy for many clients may have as much as this number of them. */
const CLIENTS_OF_PEER = 10;

/** An allowance for each client, and one for all clients that a peer names. */
export const createClientAllowances = (clock: Clock, rate: Rate): ((of: Client) => boolean) => {
  const { burst, perSecond } = rate;
  const mayClient = createAllowances(clock, rate);
  const mayPeer = createAllowances(clock, { burst: burst * CLIENTS_OF_PEER, perSecond: perSecond * CLIENTS_OF_PEER });
  return ({ client, peer }) => mayClient(client) && mayPeer(peer);
};
