import type { FeedPage } from '../../../../src/core/contact/requests.ts';
import type { Transport } from '../../../../src/net/transport.ts';
import { expect } from 'vitest';
import type { Clock } from '../../../../src/util/clock.ts';
import type { ListingLimits } from '../../../../src/providers/listing.ts';
import type { Remote } from '../../../../src/providers/remote.ts';
import { createSend, type Send } from '../../../../src/providers/service/api/send.ts';
import { createServiceApi, type ServiceApi } from '../../../../src/providers/service/api/service-api.ts';
import { createServiceRemote } from '../../../../src/providers/service/service-remote.ts';
import { forever } from '../../../contract/scenes/steps.ts';
import { EMPTY_CONTACT, type Contact, type ContactField } from '../../../../src/core/contact/contact.ts';
import type { CreateRequest } from '../../../../src/core/contact/requests.ts';
import { startScripted, type Received, type Reply } from '../scripted-server.ts';
import { createLeapingClock } from '../../../support/clocks.ts';

export const NOW_MS = createLeapingClock().now();

export type Answering = (request: Received, index: number) => Reply;

export type CannedServer = {
  readonly url: string;
  readonly received: Received[];
  readonly transport: Transport;
  readonly send: Send;
  readonly api: ServiceApi;
  readonly remote: Remote;
  /** Returns `METHOD path` for each received request. */
  readonly calls: () => string[];
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** No jitter, and no request has to wait. */
const STEADY = { random: () => 0.5, timeToSendMs: () => 0 };

/** Starts a server that answers with `answering`, and a client of every layer that sends its requests to it. */
export const startServer = async (
  answering: Answering,
  settings: { listingLimits?: ListingLimits; clock?: Clock; fields?: readonly ContactField[] } = {},
): Promise<CannedServer> => {
  const received: Received[] = [];
  const server = await startScripted((read) => {
    received.push(read);
    return answering(read, received.length - 1);
  });
  const { url, transport } = server;
  const { clock = createLeapingClock() } = settings;
  const options = { baseUrl: url, accessToken: 'secret-token', transport, ...settings, clock };
  const send = createSend(options)(forever);
  const requestCount = () => received.length;
  return {
    ...server,
    received,
    send,
    api: createServiceApi(send),
    remote: createServiceRemote({ ...options, ...STEADY, requestCount, maxElapsedMs: 60_000 }),
    calls: () => received.map(({ method, path }) => `${method} ${path}`),
  };
};

export const stamp = (epochMs: number): string => {
  return `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
};

/** Returns a contact as the service returns it. `over` replaces fields. */
export const contactJson = (number: number, over: Record<string, unknown> = {}) => ({
  id: `contact_${number}`,
  created_at: stamp(NOW_MS - 1_000_000),
  updated_at: stamp(NOW_MS - 1_000_000 + number * 1_000),
  first_name: `First${number}`,
  last_name: `Last${number}`,
  title: '',
  company: null,
  addresses: [],
  email_addresses: [],
  websites: [],
  phone_numbers: [],
  extra_data: { buckets: [] },
  ...over,
});

export const bucketJson = (number: number, name = `Bucket ${number}`) => ({
  id: `bucket_${number}`,
  created_at: stamp(NOW_MS),
  updated_at: stamp(NOW_MS),
  name,
  goal: null,
  reminder_interval: null,
  extra_data: { contact_count: 0 },
});

export const creation = (key: string, draft: Partial<Contact>): CreateRequest => {
  const origin = { originId: 'people/c1', originScope: 'account-1' };
  return { key, draft: { ...EMPTY_CONTACT, ...draft }, groupIds: ['bucket_1'], ...origin };
};

export const one = (data: unknown) => ({ data, meta: {} });

export const list = (data: readonly unknown[], meta: Record<string, unknown> = {}) => ({ meta, data });

/** Returns the ids of the contacts in pages of a feed. */
export const idsOf = (pages: readonly FeedPage[]): string[] => {
  return pages.flatMap((page) => page.changes.map((change) => (change.kind === 'upsert' ? change.record.id : '?')));
};

/** A contact in a listing, with the time of its last change. */
export type Row = { readonly number: number; readonly atMs: number };

type ListingRules = { readonly isInclusive?: boolean; readonly nowMs?: number };

/** Answers a request for a list as a service that filters, sorts and pages these rows as documented. */
export const listRows = (
  rows: readonly Row[],
  { query }: Received,
  { isInclusive = true, nowMs = NOW_MS }: ListingRules = {},
) => {
  const before = Date.parse(query.get('updated_at.before') ?? '2100-01-01T00:00:00+00:00');
  const after = Date.parse(query.get('updated_at.after') ?? '1970-01-01T00:00:00+00:00');
  const order = query.get('order') ?? 'id';
  const byTime = order.endsWith('updated_at');
  const sorted = rows
    .filter(({ atMs }) => (isInclusive ? atMs >= after && atMs <= before : atMs > after && atMs < before))
    .toSorted((a, b) => (order.startsWith('-') ? -1 : 1) * ((byTime ? a.atMs - b.atMs : 0) || a.number - b.number));
  const page = Number(query.get('page') ?? '1');
  const data = sorted
    .slice((page - 1) * 50, page * 50)
    .map((row) => contactJson(row.number, { updated_at: stamp(row.atMs) }));
  const meta = { total: sorted.length, next_page: page * 50 < sorted.length ? page + 1 : null };
  return { headers: { date: new Date(nowMs).toUTCString() }, body: list(data, meta) };
};

/** Returns the error of `work`, which must fail. */
export const failureOf = async (work: Promise<unknown>): Promise<Error> => {
  const error = await work.catch((caught: unknown) => caught);
  return error instanceof Error ? error : expect.fail('it did not fail');
};
