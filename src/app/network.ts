import type { Clock } from '../clock.ts';
import type { LinkConfig } from '../config/config.ts';
import type { Side } from '../contact/side.ts';
import type { Events } from '../events.ts';
import type { Gates } from '../http/gates.ts';
import type { Network, Outlet } from '../providers/provider.ts';

/** What every link's way to the network is made of. */
export type NetworkParts = {
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  readonly events: Events;
  /** One gate for each limit, shared by every link that uses the same credential. */
  readonly gates: Gates;
  /** Everything that was opened, to be closed at the end. */
  readonly outlets: Outlet[];
};

/** The way to the network for one side of a link: a limit that was exceeded is logged as that side's. */
export const networkFor = (parts: NetworkParts, link: LinkConfig, side: Side): Network => ({
  clock: parts.clock,
  random: parts.random,
  openGate: (name, limit) =>
    parts.gates.open(name, limit, ({ stoppedForMs }) => {
      parts.events.rateLimited({ link: link.name, sides: link.sides, side, retryAfterMs: stoppedForMs });
    }),
  openOutlet: async ({ timeoutMs, gatesFor, onAnswer }) => {
    const { createTransport } = await import('../http/transport.ts');
    let requests = 0;
    const dispatcher = createTransport({
      gatesFor,
      onAttempt: () => {
        requests += 1;
      },
      ...(onAnswer && { onAnswer: (_attempt, _status, headers) => onAnswer(headers) }),
      headersTimeoutMs: timeoutMs,
      bodyTimeoutMs: timeoutMs,
    });
    const outlet: Outlet = { dispatcher, requestCount: () => requests };
    parts.outlets.push(outlet);
    return outlet;
  },
});
