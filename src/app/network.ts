import type { Clock } from '../clock.ts';
import type { LinkConfig } from '../config/config.ts';
import type { Side } from '../contact/side.ts';
import type { Events } from '../events.ts';
import type { Gates } from '../http/gates.ts';
import type { Network, OnRetry, Outlet } from '../providers/provider.ts';
import type { Tracing } from '../trace/tracing.ts';

/** What every link's way to the network is made of. */
export type NetworkParts = {
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  readonly events: Events;
  /** Who follows runs and requests, opened when first asked for. */
  readonly tracing: () => Promise<Tracing>;
  /** One gate for each limit, shared by every link that uses the same credential. */
  readonly gates: Gates;
  /** Everything that was opened, to be closed at the end. */
  readonly outlets: Outlet[];
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
    events.remoteAwaited({ link: name, sides, side, reason, retryInMs: Math.round(waitMs), retryAt });
  };
};

/** The way to the network for one side of a link: a limit that was exceeded, or a wait, is logged as that side's. */
export const networkFor = (parts: NetworkParts, link: LinkConfig, side: Side): Network => ({
  clock: parts.clock,
  random: parts.random,
  onRetry: tellRetries(parts, link, side),
  openGate: (name, limit) =>
    parts.gates.open(name, limit, ({ stoppedForMs }) => {
      parts.events.rateLimited({ link: link.name, sides: link.sides, side, retryAfterMs: stoppedForMs });
    }),
  openOutlet: async ({ timeoutMs, gatesFor, onAnswer }) => {
    const { createTransport } = await import('../http/transport.ts');
    const tracing = await parts.tracing();
    const underWay = new Map<object, (status: number | null) => void>();
    let requests = 0;
    const dispatcher = createTransport({
      gatesFor,
      onAttempt: (attempt) => {
        requests += 1;
        underWay.set(attempt, tracing.request({ link: link.name, side: link.sides[side].name, ...attempt }));
      },
      onAnswer: (attempt, status, headers) => {
        underWay.get(attempt)?.(status);
        underWay.delete(attempt);
        onAnswer?.(headers);
      },
      headersTimeoutMs: timeoutMs,
      bodyTimeoutMs: timeoutMs,
    });
    const outlet: Outlet = { dispatcher, requestCount: () => requests };
    parts.outlets.push(outlet);
    return outlet;
  },
});
