import type { Contact } from '../../../../src/core/contact/contact.ts';
import { contactOf, type ContactRecord } from '../../../../src/core/contact/record.ts';
import type { CreateRequest } from '../../../../src/core/contact/requests.ts';
import { createGoogleRemote, type GoogleRemoteOptions } from '../../../../src/providers/google/google-remote.ts';
import { readPerson } from '../../../../src/providers/google/mapper.ts';
import type { Transport } from '../../../../src/net/transport.ts';
import type { Remote } from '../../../../src/providers/remote.ts';
import { startScripted, type Received, type Reply } from '../scripted-server.ts';
import { createLeapingClock } from '../../../support/clocks.ts';

export type Google = AsyncDisposable & {
  readonly url: string;
  readonly transport: Transport;
  readonly remote: Remote;
  readonly clock: ReturnType<typeof createLeapingClock>;
  /** API requests, without token requests. */
  readonly requests: Received[];
  readonly tokenRequests: Received[];
};

const TOKEN_PATH = '/token';

/** Starts a server with scripted answers, and a remote that sends its requests to it over HTTP. */
export const startGoogle = async (
  answer: (request: Received, count: number) => Reply | Promise<Reply>,
  answerToken: (count: number) => Reply | Promise<Reply> = (count) => ({
    body: { access_token: `token-${count}`, expires_in: 3599, token_type: 'Bearer' },
  }),
  more: Partial<Pick<GoogleRemoteOptions, 'listingLimits' | 'clock'>> = {},
): Promise<Google> => {
  const requests: Received[] = [];
  const tokenRequests: Received[] = [];
  const server = await startScripted((seen) => {
    const isToken = seen.path === TOKEN_PATH;
    const received = isToken ? tokenRequests : requests;
    received.push(seen);
    return isToken ? answerToken(received.length) : answer(seen, received.length);
  });
  const clock = createLeapingClock();
  const remote = createGoogleRemote({
    rootUrl: `${server.url}/`,
    tokenUrl: `${server.url}${TOKEN_PATH}`,
    clientId: 'client',
    clientSecret: 'secret',
    refreshToken: 'refresh',
    transport: server.transport,
    clock,
    random: () => 0.5,
    requestCount: () => requests.length + tokenRequests.length,
    timeToSendMs: () => 0,
    maxElapsedMs: 90_000,
    ...more,
  });
  return { ...server, url: `${server.url}/`, remote, clock, requests, tokenRequests };
};

/** Starts a server whose token endpoint answers in this way, and whose other answers are empty. */
export const startTokens = (answerToken: (count: number) => Reply | Promise<Reply>): Promise<Google> =>
  startGoogle(() => ({}), answerToken);

export const apiError = (status: number, code: string, message = 'refused', details: unknown[] = []): Reply => ({
  status,
  body: { error: { code: status, message, status: code, details } },
});

/** Returns a Person as Google returns it. Its ids contain `number`. */
export const person = (number: number, fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  resourceName: `people/c${number}`,
  etag: `%${number}`,
  metadata: {
    objectType: 'PERSON',
    sources: [
      { type: 'CONTACT', id: number.toString(16), etag: `#${number}`, updateTime: '2026-01-01T00:00:00.123456Z' },
    ],
  },
  ...fields,
});

/** Returns the client data of a contact that was created for this origin. */
export const originData = (originId: string, key = 'contact-sync.origin', scope = 'account-1') => ({
  clientData: [{ key, value: `${scope} ${originId}` }],
});

export const creation = (number: number, draft: Partial<Contact> = { firstName: `N${number}` }): CreateRequest => {
  const origin = { originId: `contact_${number}`, originScope: 'account-1' };
  return { key: `k${number}`, draft: contactOf(draft), groupIds: ['contactGroups/0a'], ...origin };
};

export const recordOf = (answer: unknown): ContactRecord => {
  const reading = readPerson(answer);
  if (reading.kind !== 'contact') throw new Error(`expected a contact, got ${JSON.stringify(reading)}`);
  return reading.record;
};
