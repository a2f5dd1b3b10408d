import type { Clock } from '../../util/clock.ts';
import type { Context } from 'hono';
import type { Env } from './access.ts';

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

const HEXTETS = 8;
/** A client with IPv6 usually has a whole network of this length. */
const NETWORK_HEXTETS = 4;

/** The part of an address that one client has for itself: an IPv4 address, or the first 64 bits of an IPv6 address. */
export const networkOf = (address: string): string => {
  const [, mapped] = /^::ffff:([\d.]+)$/iu.exec(address) ?? [];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.replace(/%.*$/u, '').toLowerCase().split('::');
  const before = head.split(':').filter((hextet) => hextet !== '');
  const after = (tail ?? '').split(':').filter((hextet) => hextet !== '');
  const zeros = tail === undefined ? 0 : Math.max(0, HEXTETS - before.length - after.length);
  return [...before, ...Array.from({ length: zeros }, () => '0'), ...after].slice(0, NETWORK_HEXTETS).join(':');
};

/** The client of a request, for limits of rates. */
export type Client = {
  /** The other end of the connection, which may be a proxy. */
  readonly peer: string;
  /** The peer with the client that it names in X-Forwarded-For. A peer that is no proxy may name any. */
  readonly client: string;
};

const LONGEST_ADDRESS = 45;

/** The client of a request, by the address of its connection and by what a proxy added. */
export const clientOf = (context: Context<Env>): Client => {
  const peer = networkOf(context.env?.incoming?.socket.remoteAddress ?? '');
  // The last one is what the nearest proxy added.
  const forwarded = context.req.header('x-forwarded-for')?.split(',').at(-1)?.trim().slice(0, LONGEST_ADDRESS) ?? '';
  return { peer, client: `${peer} ${networkOf(forwarded)}` };
};
