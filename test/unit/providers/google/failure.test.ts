import { describe, expect, test } from 'vitest';
import { isMissingScope, itemError, toRemoteError, toTokenError } from '../../../../src/providers/google/failure.ts';

const CONTEXT = {
  route: 'POST /v1/people:batchUpdateContacts',
  isMutation: true,
  hasSyncToken: false,
  limitFloorMs: 5_000,
  nowMs: Date.parse('2026-01-01T00:00:00Z'),
};

const answer = (status: number, data: unknown, headers: Record<string, string> = {}) =>
  Object.assign(new Error('x'), { config: {}, response: { status, data, headers: new Headers(headers) } });

const refusal = (status: number, code: string, message = 'refused', details: unknown[] = []) =>
  answer(status, { error: { code: status, message, status: code, details } });

const reason = (text: string) => [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: text }];

const DIFFERENT =
  'Request person.etag is different than the current person.etag. Clear local cache and get the latest person.';
const GROUPS = { ...CONTEXT, route: 'PUT /v1/contactGroups/{group}' };
const LISTING = { ...CONTEXT, isMutation: false };
const WITH_TOKEN = { ...LISTING, hasSyncToken: true };

describe('the error table', () => {
  test.each([
    [refusal(400, 'INVALID_ARGUMENT'), CONTEXT, 'invalid', 'no'],
    [refusal(400, 'FAILED_PRECONDITION'), CONTEXT, 'stale', 'no'],
    [refusal(400, 'INVALID_ARGUMENT', DIFFERENT), CONTEXT, 'stale', 'no'],
    [refusal(400, 'INVALID_ARGUMENT', 'expired', reason('EXPIRED_SYNC_TOKEN')), WITH_TOKEN, 'cursor-expired', 'no'],
    [refusal(400, 'FAILED_PRECONDITION', 'expired', reason('EXPIRED_SYNC_TOKEN')), WITH_TOKEN, 'cursor-expired', 'no'],
    [refusal(400, 'INVALID_ARGUMENT', 'malformed'), WITH_TOKEN, 'cursor-expired', 'no'],
    [refusal(401, 'UNAUTHENTICATED'), CONTEXT, 'unauthenticated', 'no'],
    [refusal(403, 'PERMISSION_DENIED'), CONTEXT, 'revoked', 'no'],
    [refusal(403, 'RESOURCE_EXHAUSTED'), CONTEXT, 'limited', 'no'],
    [answer(403, { error: { message: 'm', errors: [{ reason: 'rateLimitExceeded' }] } }), CONTEXT, 'limited', 'no'],
    [refusal(404, 'NOT_FOUND'), CONTEXT, 'not-found', 'no'],
    [answer(404, ''), CONTEXT, 'not-found', 'no'],
    [refusal(409, 'ALREADY_EXISTS', 'Contact group name already exists'), GROUPS, 'name-taken', 'no'],
    [refusal(409, 'ABORTED', 'Contact group name already exists'), GROUPS, 'name-taken', 'no'],
    [refusal(409, '', 'Contact group etag is outdated'), GROUPS, 'stale', 'no'],
    [refusal(409, 'ABORTED'), CONTEXT, 'stale', 'no'],
    [refusal(413, ''), CONTEXT, 'invalid', 'no'],
    [refusal(429, 'RESOURCE_EXHAUSTED'), CONTEXT, 'limited', 'no'],
    [refusal(429, 'RESOURCE_EXHAUSTED', 'MY_CONTACTS_OVERFLOW_COUNT reached'), CONTEXT, 'full', 'no'],
    [refusal(500, 'INTERNAL'), CONTEXT, 'unavailable', 'unknown'],
    [answer(503, 'upstream'), CONTEXT, 'unavailable', 'unknown'],
    [refusal(500, 'INTERNAL'), LISTING, 'unavailable', 'no'],
    [answer(304, ''), CONTEXT, 'unreadable', 'unknown'],
  ])('maps row %# to its kind and to whether a write was applied: %o', (error, context, kind, applied) => {
    expect(toRemoteError(error, context)).toMatchObject({ kind, applied, side: null, route: context.route });
  });

  test.each([
    [404, '<html>no such page</html>'],
    [410, '<html>no such page</html>'],
    [404, { message: 'no route matched' }],
    [404, { error: 'not found' }],
  ])(
    '[R7] a %i without an error body of Google deletes nothing, and a write may have been applied: %o',
    (status, body) => {
      expect(toRemoteError(answer(status, body), CONTEXT)).toMatchObject({ kind: 'unreadable', applied: 'unknown' });
      expect(toRemoteError(answer(status, body), LISTING)).toMatchObject({ kind: 'unreadable', applied: 'no' });
    },
  );

  test('[R16] a 403 with a body that is not from Google does not refuse the credential, and a write may have been applied', () => {
    const page = answer(403, '<html>Your computer may be sending automated queries</html>');
    expect(toRemoteError(page, CONTEXT)).toMatchObject({ kind: 'unreadable', applied: 'unknown' });
    expect(toRemoteError(page, LISTING)).toMatchObject({ kind: 'unreadable', applied: 'no' });
    expect(toRemoteError(answer(403, ''), LISTING)).toMatchObject({ kind: 'revoked' });
  });

  test.each([
    ['ECONNREFUSED', 'no'],
    ['ENOTFOUND', 'no'],
    ['UND_ERR_CONNECT_TIMEOUT', 'no'],
    ['ECONNRESET', 'unknown'],
    ['UND_ERR_HEADERS_TIMEOUT', 'unknown'],
  ])('after %s without an answer, whether a write was applied: %s', (code, applied) => {
    const cause = new TypeError('fetch failed', { cause: Object.assign(new Error('socket'), { code }) });
    const error = Object.assign(new Error('fetch failed', { cause }), { config: {} });
    expect(toRemoteError(error, CONTEXT)).toMatchObject({ kind: 'unavailable', status: null, applied });
  });

  test('a limit without Retry-After gets the default delay, and one with Retry-After keeps its delay', () => {
    expect(toRemoteError(refusal(429, ''), CONTEXT).retryAfterMs).toBe(5_000);
    expect(toRemoteError(answer(429, {}, { 'retry-after': '30' }), CONTEXT).retryAfterMs).toBe(30_000);
    const date = { 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' };
    expect(toRemoteError(answer(429, {}, date), CONTEXT).retryAfterMs).toBe(9_000);
  });
});

describe('the error table of token requests', () => {
  test.each([
    [answer(400, { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' }), 'revoked'],
    [answer(400, { error: 'unauthorized_client' }), 'unauthenticated'],
    [answer(401, { error: 'invalid_client' }), 'client-refused'],
    [answer(404, 'no such page'), 'unreadable'],
    [answer(429, {}), 'limited'],
    [answer(502, 'bad gateway'), 'unavailable'],
    [Object.assign(new Error('fetch failed'), { config: {} }), 'unavailable'],
    [new Error('Could not refresh access token.'), 'unreadable'],
  ])('maps row %# to its kind, with no write applied', (error, kind) => {
    expect(toTokenError(error, CONTEXT)).toMatchObject({ kind, applied: 'no' });
  });
});

/** Returns the error that the client throws when every host of an address refuses the connection. */
const refusedAtEveryHost = () => {
  const attempt = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  const cause = new TypeError('fetch failed', { cause: new AggregateError([attempt, attempt]) });
  return Object.assign(new Error('fetch failed', { cause }), { config: {} });
};

describe('an error message names the setting to correct', () => {
  test.each([
    [
      'for a wrong client',
      answer(401, { error: 'invalid_client' }),
      'GOOGLE_CLIENT_ID or GOOGLE_CLIENT_SECRET is wrong',
    ],
    [
      'for a token of another client',
      answer(401, { error: 'unauthorized_client' }),
      'another client than GOOGLE_CLIENT_ID',
    ],
    ['for a page that is not a token endpoint', answer(404, '<html>'), 'check GOOGLE_TOKEN_URL'],
    [
      'for a token endpoint that is unreachable',
      refusedAtEveryHost(),
      '(ECONNREFUSED): check the network, and GOOGLE_TOKEN_URL',
    ],
  ])('%s', (_what, error, named) => {
    expect(toTokenError(error, CONTEXT).message).toContain(named);
  });

  test.each([
    ['for a missing route without an id', answer(404, '<html>'), LISTING, 'check GOOGLE_ROOT_URL'],
    [
      'for a host that is unreachable',
      refusedAtEveryHost(),
      CONTEXT,
      '(ECONNREFUSED): check the network, and GOOGLE_ROOT_URL',
    ],
  ])('%s', (_what, error, context, named) => {
    expect(toRemoteError(error, context)).toMatchObject({ message: expect.stringContaining(named), applied: 'no' });
  });

  test('except for a missing contact, which does not depend on the address', () => {
    const { message } = toRemoteError(answer(404, {}), { ...LISTING, route: 'GET /v1/people/{person}' });
    expect(message).not.toContain('GOOGLE_ROOT_URL');
  });
});

test.each([
  [5, 'not-found', 'no'],
  [9, 'stale', 'no'],
  [3, 'invalid', 'no'],
  [8, 'limited', 'no'],
  [13, 'unavailable', 'unknown'],
])('code %i of an item in a batch means %s', (code, kind, applied) => {
  expect(itemError(code, 'POST x')).toMatchObject({ kind, applied });
});

test('messages and causes contain fields and never values or tokens', () => {
  const violations = [{ fieldViolations: [{ field: 'contacts[0].names', description: 'bad "Bob"' }] }];
  const message = 'Invalid value at "Bob Smith", bob@x.example, +49 170 1234567';
  const error = toRemoteError(refusal(400, 'INVALID_ARGUMENT', message, violations), CONTEXT);
  expect(error.message).toContain('contacts[0].names');
  expect(`${error.message} ${String(error.cause)}`).not.toMatch(/Bob|bob@|1234567/u);
  expect(String(error.cause)).toContain('Invalid value');
  expect(error.cause).not.toHaveProperty('config');
});

test('a scope that was not granted is distinguished from revoked access', () => {
  const missing = refusal(403, 'PERMISSION_DENIED', 'x', reason('ACCESS_TOKEN_SCOPE_INSUFFICIENT'));
  expect(isMissingScope(toRemoteError(missing, LISTING))).toBe(true);
  expect(isMissingScope(toRemoteError(refusal(403, 'PERMISSION_DENIED'), LISTING))).toBe(false);
});
