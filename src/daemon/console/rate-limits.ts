import type { Clock } from '../../util/clock.ts';
import type { Context } from 'hono';
import type { Env } from './env.ts';

/** The limit of a token bucket: `burst` at once, then `perSecond`. */
type Rate = { readonly burst: number; readonly perSecond: number };

const MOST_KEYS = 10_000;

/**
 * Creates a token bucket for each key. The function returns whether one more is allowed now for the key, and counts it. With more
 * than `mostKeys` keys, the least recently used one is dropped.
 */
export const createAllowances = (
  clock: Clock,
  { burst, perSecond }: Rate,
  mostKeys = MOST_KEYS,
): ((key: string) => boolean) => {
  const buckets = new Map<string, { readonly free: number; readonly atMs: number }>();
  return (key) => {
    const nowMs = clock.monotonic();
    const { free, atMs } = buckets.get(key) ?? { free: burst, atMs: nowMs };
    const refilled = Math.min(burst, free + ((nowMs - atMs) / 1000) * perSecond);
    const isAllowed = refilled >= 1;
    buckets.delete(key);
    buckets.set(key, { free: isAllowed ? refilled - 1 : refilled, atMs: nowMs });
    const [oldest] = buckets.keys();
    if (buckets.size > mostKeys && oldest !== undefined) buckets.delete(oldest);
    return isAllowed;
  };
};

/** A peer may be a proxy for many clients, so its limit is this multiple of the limit of a client. */
const CLIENTS_OF_PEER = 10;

/** Creates a token bucket for each client, and one for all clients of a peer. */
export const createClientAllowances = (clock: Clock, rate: Rate): ((of: Client) => boolean) => {
  const { burst, perSecond } = rate;
  const mayClient = createAllowances(clock, rate);
  const mayPeer = createAllowances(clock, { burst: burst * CLIENTS_OF_PEER, perSecond: perSecond * CLIENTS_OF_PEER });
  return ({ client, peer }) => mayClient(client) && mayPeer(peer);
};

const HEXTETS = 8;
/** A client with IPv6 usually has a whole network with a prefix of this many hextets. */
const NETWORK_HEXTETS = 4;

/** The part of an address that identifies one client: an IPv4 address, or the first 64 bits of an IPv6 address. */
export const networkOf = (address: string): string => {
  const [, mapped] = /^::ffff:([\d.]+)$/iu.exec(address) ?? [];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.replace(/%.*$/u, '').toLowerCase().split('::');
  const before = head.split(':').filter((hextet) => hextet !== '');
  const after = (tail ?? '').split(':').filter((hextet) => hextet !== '');
  const zeros = tail === undefined ? 0 : Math.max(0, HEXTETS - before.length - after.length);
  return [...before, ...Array.from({ length: zeros }, () => '0'), ...after].slice(0, NETWORK_HEXTETS).join(':');
};

/** The client of a request, for rate limits. */
type Client = {
  /** The other end of the connection, which may be a proxy. */
  readonly peer: string;
  /** The peer with the client from X-Forwarded-For. A peer that is not a proxy may send any value. */
  readonly client: string;
};

const LONGEST_ADDRESS = 45;

/** The client of a request, from the address of its connection and the header of a proxy. */
export const clientOf = (context: Context<Env>): Client => {
  const peer = networkOf(context.env?.incoming?.socket.remoteAddress ?? '');
  // The nearest proxy adds the last value.
  const forwarded = context.req.header('x-forwarded-for')?.split(',').at(-1)?.trim().slice(0, LONGEST_ADDRESS) ?? '';
  return { peer, client: `${peer} ${networkOf(forwarded)}` };
};
