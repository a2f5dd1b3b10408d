import { createHash } from 'node:crypto';
import type { LinkConfig } from '../config.ts';
import type { Side } from '../contact/side.ts';
import type { Events } from '../events.ts';
import type { Gate } from '../http/gate.ts';
import type { Gates } from '../http/gates.ts';
import type { RateLimit } from '../http/rate-headers.ts';

/** What opening a gate needs: one gate for each limit, shared by every link that uses the same credential. */
export type Limits = { readonly gates: Gates; readonly events: Events };

/** A one-way digest: tells credentials apart without holding them. */
export const digest = (secret: string): string => createHash('sha256').update(secret).digest('hex').slice(0, 32);

/** The gate of that name; that it has stopped is told as the link's and the side's. */
export const openGate = (
  { gates, events }: Limits,
  name: string,
  link: LinkConfig,
  side: Side,
  limit: RateLimit,
): Promise<Gate> =>
  gates.open(name, limit, ({ stoppedForMs }) => {
    events.rateLimited({ link: link.name, side, retryAfterMs: stoppedForMs });
  });

/** Whom the service's limit belongs to: each access token, or the registered application with all its users. */
const serviceGateName = ({ service }: LinkConfig, accessToken: string): string => {
  const owner = service.rateScope === 'token' ? `token ${accessToken}` : `application ${service.clientId ?? ''}`;
  return `service ${digest(`${service.baseUrl} ${owner}`)}`;
};

/** The gate that the service's requests of the link go through. */
export const openServiceGate = (limits: Limits, link: LinkConfig, accessToken: string): Promise<Gate> =>
  openGate(limits, serviceGateName(link, accessToken), link, 'service', link.service.rateLimit);
