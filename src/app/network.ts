import type { Clock } from '../util/clock.ts';
import { namePlaces } from './config/accounts.ts';
import type { LinkConfig } from './config/link-config.ts';
import { bySide, SIDES, type Side, type Sides } from '../core/contact/side.ts';
import type { Events } from './events.ts';
import type { Gate } from '../net/gate.ts';
import type { Gates } from '../net/gates.ts';
import type { TransportOptions } from '../net/transport.ts';
import type { Network, OnRetry, CountedTransport } from '../providers/provider.ts';
import type { LeaseChecks } from '../engine/lease.ts';
import { errorMessage } from '../util/errors.ts';

/** The HTTP clients and gates of one side of a link. */
type SideConnections = {
  readonly transports: CountedTransport[];
  /** The gates of its requests, by name. */
  readonly gates: Map<string, Gate>;
};

/** The connections of all links, by the name of the link. */
type Connections = Map<string, Sides<SideConnections>>;

/** The parts of {@link Network} for all links. */
export type NetworkParts = {
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  readonly events: Events;
  /** One gate for each limit, shared by all links with the same credential. */
  readonly gates: Gates;
  readonly connections: Connections;
  readonly leaseChecks: LeaseChecks;
  /** The connection pool of all links, opened at the first call. */
  readonly agent: () => Promise<Agent>;
};

type Agent = TransportOptions['agent'];

/** The connection pool of the process, opened when it is first used. */
export const lazyAgent = () => {
  let opening: Promise<Agent> | null = null;
  return {
    open: (): Promise<Agent> => (opening ??= import('../net/transport.ts').then(({ openAgent }) => openAgent())),
    /** Aborts the current requests. */
    close: async (): Promise<void> => (await opening)?.destroy(),
  };
};

/** Shorter waits are not logged. */
const SHORTEST_LOGGED_WAIT_MS = 1_000;

/** Logs waits for a side. Of concurrent waits only the first one is logged. */
const logRetries = ({ clock, events }: NetworkParts, { name, sides }: LinkConfig, side: Side): OnRetry => {
  let loggedUntilMs = -Infinity;
  return (error, waitMs) => {
    const nowMs = clock.monotonic();
    if (waitMs < SHORTEST_LOGGED_WAIT_MS || nowMs < loggedUntilMs) return;
    loggedUntilMs = nowMs + waitMs;
    const retryAt = new Date(clock.now() + waitMs).toISOString();
    const reason = namePlaces(errorMessage(error), sides[side]);
    events.retryScheduled({ link: name, sides, side, reason, retryInMs: Math.round(waitMs), retryAt });
  };
};

const connectionsOf = ({ connections }: NetworkParts, { name }: LinkConfig, side: Side): SideConnections => {
  const known = connections.get(name) ?? bySide((): SideConnections => ({ transports: [], gates: new Map() }));
  connections.set(name, known);
  return known[side];
};

/** The requests of this process to one side of a link. */
export type Traffic = {
  readonly link: string;
  readonly side: Side;
  /** All requests since the start, including retries and requests for tokens. */
  readonly requests: number;
  /** The used share of the rate limit, 0 to 1; of several limits the largest. Null before the first use. */
  readonly used: number | null;
};

/** The traffic of all sides with connections. */
export const trafficOf = (connections: Connections): readonly Traffic[] =>
  [...connections].flatMap(([link, sides]) =>
    SIDES.map((side): Traffic => {
      const { transports, gates } = sides[side];
      const used = [...gates.values()].map((gate) => {
        const { remaining, limit } = gate.budget();
        return 1 - remaining / limit.requests;
      });
      return {
        link,
        side,
        requests: transports.reduce((sum, { requestCount }) => sum + requestCount(), 0),
        used: used.length === 0 ? null : Math.max(...used),
      };
    }),
  );

/** The network for one side of a link. Exceeded limits and waits are logged for that side. */
export const networkFor = (parts: NetworkParts, link: LinkConfig, side: Side): Network => ({
  clock: parts.clock,
  random: parts.random,
  onRetry: logRetries(parts, link, side),
  openGate: async (name, limit) => {
    const gate = await parts.gates.open(name, limit, ({ stoppedForMs }) => {
      parts.events.rateLimited({ link: link.name, sides: link.sides, side, retryAfterMs: stoppedForMs });
    });
    connectionsOf(parts, link, side).gates.set(name, gate);
    return gate;
  },
  openTransport: async ({ timeoutMs, gatesFor }) => {
    const { createTransport } = await import('../net/transport.ts');
    const agent = await parts.agent();
    let requests = 0;
    const transport = createTransport({
      agent,
      gatesFor,
      beforeAttempt: () => parts.leaseChecks.check(link.name),
      onAttempt: () => {
        requests += 1;
      },
      timeoutMs,
    });
    const counted: CountedTransport = { transport, requestCount: () => requests };
    connectionsOf(parts, link, side).transports.push(counted);
    return counted;
  },
});
