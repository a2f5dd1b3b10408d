import type { Clock } from '../util/clock.ts';
import type { LinkConfig } from './config/config.ts';
import { bySide, SIDES, type Side, type Sides } from '../core/contact/side.ts';
import type { Events } from '../engine/events.ts';
import type { Gate } from '../net/gate.ts';
import type { Budget } from '../net/governor.ts';
import type { Gates } from '../net/gates.ts';
import type { TransportOptions } from '../net/transport.ts';
import type { Network, OnRetry, Outlet } from '../providers/provider.ts';
import type { AccessTokens } from '../store/access-tokens.ts';
import type { LeaseChecks } from '../engine/lease.ts';

/** What one side of a link has opened to reach its remote. */
type Way = {
  readonly outlets: Outlet[];
  /** The gates that its requests pass, by name. */
  readonly gates: Map<string, Gate>;
};

/** The ways of all links, by the link's name; each lasts as long as the program works with the link. */
export type Ways = Map<string, Sides<Way>>;

/** What every link's way to the network is made of. */
export type NetworkParts = {
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  readonly events: Events;
  /** One gate for each limit, shared by every link that uses the same credential. */
  readonly gates: Gates;
  /** Shared with other hosts; null: every process has its own. */
  readonly accessTokens: AccessTokens | null;
  readonly ways: Ways;
  readonly leaseChecks: LeaseChecks;
  /** The connections of all links, opened when first asked for: links with the same remote share them. */
  readonly agent: () => Promise<Agent>;
};

type Agent = NonNullable<TransportOptions['agent']>;

/** The connections of a program. */
export const lazyAgent = () => {
  let opening: Promise<Agent> | null = null;
  return {
    open: (): Promise<Agent> => (opening ??= import('../net/transport.ts').then(({ openAgent }) => openAgent())),
    /** Ends what is still under way. */
    close: async (): Promise<void> => (await opening)?.destroy(),
  };
};

/** Shorter waits between attempts are no news. */
const NEWSWORTHY_WAIT_MS = 1_000;

/** Tells that a side is waited for: of the requests that wait at the same time, by the first. */
const tellRetries = ({ clock, events }: NetworkParts, { name, sides }: LinkConfig, side: Side): OnRetry => {
  let toldUntilMs = -Infinity;
  return (error, waitMs) => {
    const nowMs = clock.monotonic();
    if (waitMs < NEWSWORTHY_WAIT_MS || nowMs < toldUntilMs) return;
    toldUntilMs = nowMs + waitMs;
    const retryAt = new Date(clock.now() + waitMs).toISOString();
    const reason = error instanceof Error ? error.message : String(error);
    events.retryScheduled({ link: name, sides, side, reason, retryInMs: Math.round(waitMs), retryAt });
  };
};

const wayOf = ({ ways }: NetworkParts, { name }: LinkConfig, side: Side): Way => {
  const known = ways.get(name) ?? bySide((): Way => ({ outlets: [], gates: new Map() }));
  ways.set(name, known);
  return known[side];
};

/** What went from here to one side of a link. */
export type Traffic = {
  readonly link: string;
  readonly side: Side;
  /** Every request that was sent since the start, attempts at the same one and those for tokens included. */
  readonly requests: number;
  /** How much of its rate limit is used now, 0 to 1: of several limits, that of which most is. Null before the first use. */
  readonly used: number | null;
};

/** What went to the sides that were reached so far. */
export const trafficOf = (ways: Ways): readonly Traffic[] =>
  [...ways].flatMap(([link, sides]) =>
    SIDES.map((side): Traffic => {
      const { outlets, gates } = sides[side];
      const used = [...gates.values()].map((gate) => {
        const { remaining, limit } = gate.budget();
        return 1 - remaining / limit.requests;
      });
      return {
        link,
        side,
        requests: outlets.reduce((sum, { requestCount }) => sum + requestCount(), 0),
        used: used.length === 0 ? null : Math.max(...used),
      };
    }),
  );

/** A rate limit that the requests of a link count against, by its name, and what is free of it now. */
export type NamedBudget = { readonly name: string; readonly budget: Budget };

/** The limits of both sides of a link, as far as its runs here have met them. */
export const limitsOf = (ways: Ways, link: string): readonly NamedBudget[] => {
  const sides = ways.get(link);
  if (sides === undefined) return [];
  return SIDES.flatMap((side) => [...sides[side].gates].map(([name, gate]) => ({ name, budget: gate.budget() })));
};

/** The way to the network for one side of a link: a limit that was exceeded, or a wait, is logged as that side's. */
export const networkFor = (parts: NetworkParts, link: LinkConfig, side: Side): Network => ({
  clock: parts.clock,
  random: parts.random,
  onRetry: tellRetries(parts, link, side),
  openGate: async (name, limit) => {
    const gate = await parts.gates.open(name, limit, ({ stoppedForMs }) => {
      parts.events.rateLimited({ link: link.name, sides: link.sides, side, retryAfterMs: stoppedForMs });
    });
    wayOf(parts, link, side).gates.set(name, gate);
    return gate;
  },
  shareAccessToken: (name) => (refused, refresh) =>
    parts.accessTokens === null ? refresh() : parts.accessTokens.get(name, refused, refresh),
  openOutlet: async ({ timeoutMs, gatesFor, onAnswer }) => {
    const { createTransport } = await import('../net/transport.ts');
    const agent = await parts.agent();
    let requests = 0;
    const dispatcher = createTransport({
      agent,
      gatesFor,
      beforeAttempt: () => parts.leaseChecks.check(link.name),
      onAttempt: () => {
        requests += 1;
      },
      onAnswer: (_status, headers) => onAnswer?.(headers),
      headersTimeoutMs: timeoutMs,
      bodyTimeoutMs: timeoutMs,
    });
    const outlet: Outlet = { dispatcher, requestCount: () => requests };
    wayOf(parts, link, side).outlets.push(outlet);
    return outlet;
  },
});
