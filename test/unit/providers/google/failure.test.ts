import { expect, test } from 'vitest';
import { isMissingScope, itemError, toRemoteError, toTokenError } from '../../../../src/providers/google/failure.ts';

const LIMITS = { limitFloorMs: 5_000, nowMs: Date.parse('2026-01-01T00:00:00Z') };
const CONTEXT = { route: 'POST /v1/people:batchUpdateContacts', isRead: false, hasSyncToken: false, ...LIMITS };
const GROUPS = { ...CONTEXT, route: 'PUT /v1/contactGroups/{group}' };
const MEMBERS = { ...CONTEXT, route: 'POST /v1/contactGroups/{group}/members:modify' };
const PERSON = { ...CONTEXT, route: 'GET /v1/people/{person}', isRead: true };
const LISTING = { ...CONTEXT, isRead: true };
const WITH_TOKEN = { ...LISTING, hasSyncToken: true };

const answer = (status: number, data: unknown, headers: Record<string, string> = {}) =>
  Object.assign(new Error('x'), { config: {}, response: { status, data, headers: new Headers(headers) } });

const refusal = (status: number, code: string, message = 'refused', details: unknown[] = []) =>
  answer(status, { error: { code: status, message, status: code, details } });

const reason = (text: string) => [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: text }];

/** Returns the error of the client for a request without an answer. */
const unanswered = (cause: Error) => Object.assign(new Error('not sent', { cause }), { config: {} });

const coded = (code: string): Error => Object.assign(new Error('socket'), { code });

const DIFFERENT =
  'Request person.etag is different than the current person.etag. Clear local cache and get the latest person.';
const EXPIRED = reason('EXPIRED_SYNC_TOKEN');
const PAGE = '<html>Your computer may be sending automated queries</html>';
const DISABLED = {
  kind: 'unavailable',
  applied: 'no',
  message: expect.stringMatching(/: check that the People API is enabled/u) as unknown,
};
const REFUSED_AT_EACH_HOST = unanswered(new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')]));

test.each<[Error, typeof CONTEXT, object]>([
  [refusal(400, 'INVALID_ARGUMENT'), CONTEXT, { kind: 'invalid', applied: 'no' }],
  [refusal(400, 'FAILED_PRECONDITION'), CONTEXT, { kind: 'stale', applied: 'no' }],
  [refusal(400, 'INVALID_ARGUMENT', DIFFERENT), CONTEXT, { kind: 'stale', applied: 'no' }],
  [refusal(400, 'FAILED_PRECONDITION'), LISTING, { kind: 'invalid', applied: 'no' }],
  [refusal(400, 'INVALID_ARGUMENT', 'expired', EXPIRED), WITH_TOKEN, { kind: 'cursor-expired', applied: 'no' }],
  [refusal(400, 'FAILED_PRECONDITION', 'expired', EXPIRED), WITH_TOKEN, { kind: 'cursor-expired', applied: 'no' }],
  [refusal(400, 'INVALID_ARGUMENT', 'malformed'), WITH_TOKEN, { kind: 'cursor-expired', applied: 'no' }],
  [refusal(401, 'UNAUTHENTICATED'), CONTEXT, { kind: 'unauthenticated', applied: 'no' }],
  [refusal(403, 'PERMISSION_DENIED'), CONTEXT, { kind: 'revoked', applied: 'no' }],
  [refusal(403, 'PERMISSION_DENIED', 'disabled', reason('SERVICE_DISABLED')), CONTEXT, DISABLED],
  [answer(403, { error: { message: 'm', errors: [{ reason: 'accessNotConfigured' }] } }), CONTEXT, DISABLED],
  [refusal(403, 'RESOURCE_EXHAUSTED'), CONTEXT, { kind: 'limited', applied: 'no' }],
  [answer(403, { error: { message: 'm', errors: [{ reason: 'rateLimitExceeded' }] } }), CONTEXT, { kind: 'limited' }],
  [answer(403, { error: { message: 'm', errors: [{ reason: 'dailyLimitExceeded' }] } }), CONTEXT, { kind: 'limited' }],
  [refusal(404, 'NOT_FOUND'), CONTEXT, { kind: 'not-found', applied: 'no' }],
  [answer(404, ''), CONTEXT, { kind: 'not-found', applied: 'no' }],
  [refusal(409, 'ALREADY_EXISTS', 'Contact group name already exists'), GROUPS, { kind: 'name-taken', applied: 'no' }],
  [refusal(409, 'ABORTED', 'Contact group name already exists'), GROUPS, { kind: 'name-taken', applied: 'no' }],
  [refusal(409, '', 'Contact group etag is outdated'), GROUPS, { kind: 'stale', applied: 'no' }],
  [refusal(409, 'ABORTED'), CONTEXT, { kind: 'stale', applied: 'no' }],
  [refusal(409, 'ABORTED'), MEMBERS, { kind: 'stale', applied: 'no' }],
  [refusal(413, ''), CONTEXT, { kind: 'invalid', applied: 'no' }],
  [refusal(429, 'RESOURCE_EXHAUSTED'), CONTEXT, { kind: 'limited', applied: 'no', retryAfterMs: 5_000 }],
  [answer(429, {}, { 'retry-after': '30' }), CONTEXT, { kind: 'limited', retryAfterMs: 30_000 }],
  [answer(429, {}, { 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }), CONTEXT, { retryAfterMs: 9_000 }],
  [refusal(429, 'RESOURCE_EXHAUSTED', 'MY_CONTACTS_OVERFLOW_COUNT reached'), CONTEXT, { kind: 'full', applied: 'no' }],
  [refusal(500, 'INTERNAL'), CONTEXT, { kind: 'unavailable', applied: 'unknown' }],
  [answer(503, 'upstream'), CONTEXT, { kind: 'unavailable', applied: 'unknown' }],
  [refusal(500, 'INTERNAL'), LISTING, { kind: 'unavailable', applied: 'no' }],
  [answer(304, ''), CONTEXT, { kind: 'unreadable', applied: 'unknown' }],
  // Without an error body of Google, an answer deletes nothing (R7) and refuses no credential (R16).
  [answer(404, PAGE), CONTEXT, { kind: 'unreadable', applied: 'unknown' }],
  [answer(404, PAGE), LISTING, { kind: 'unreadable', applied: 'no' }],
  [answer(410, PAGE), LISTING, { kind: 'unreadable', applied: 'no' }],
  [answer(404, { message: 'no route matched' }), LISTING, { kind: 'unreadable', applied: 'no' }],
  [answer(404, { error: 'not found' }), LISTING, { kind: 'unreadable', applied: 'no' }],
  [answer(403, PAGE), LISTING, { kind: 'unreadable', applied: 'no' }],
  [answer(403, ''), LISTING, { kind: 'revoked' }],
  // Without an answer.
  [unanswered(coded('ENOTFOUND')), CONTEXT, { kind: 'unavailable', status: null, applied: 'no' }],
  [unanswered(coded('UND_ERR_CONNECT_TIMEOUT')), CONTEXT, { kind: 'unavailable', applied: 'no' }],
  [unanswered(coded('ECONNRESET')), CONTEXT, { kind: 'unavailable', status: null, applied: 'unknown' }],
  [unanswered(coded('UND_ERR_HEADERS_TIMEOUT')), CONTEXT, { kind: 'unavailable', applied: 'unknown' }],
])('[R7, R16] row %#: the answer %o is the error of its kind', (error, context, expected) => {
  expect(toRemoteError(error, context)).toMatchObject({ ...expected, side: null, route: context.route });
});

test.each<[Error, string]>([
  [answer(400, { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' }), 'revoked'],
  [answer(400, { error: 'unauthorized_client' }), 'unauthenticated'],
  [answer(401, { error: 'invalid_client' }), 'client-refused'],
  [answer(404, 'no such page'), 'unreadable'],
  [answer(429, {}), 'limited'],
  [answer(502, 'bad gateway'), 'unavailable'],
  [Object.assign(new Error('not sent'), { config: {} }), 'unavailable'],
  [new Error('Could not refresh access token.'), 'unreadable'],
])('row %#: the answer %o to a token request is the error %s, with no write applied', (error, kind) => {
  expect(toTokenError(error, CONTEXT)).toMatchObject({ kind, applied: 'no' });
});

test.each([
  [5, 'not-found', 'no'],
  [9, 'stale', 'no'],
  [3, 'invalid', 'no'],
  [8, 'limited', 'no'],
  [13, 'unavailable', 'unknown'],
])('code %i of an item in a batch means %s', (code, kind, applied) => {
  expect(itemError(code, 'refused', 'POST x')).toMatchObject({ kind, applied });
});

test('an item that a full account refuses is no rate limit', () => {
  expect(itemError(8, 'MY_CONTACTS_OVERFLOW_COUNT reached', 'POST x')).toMatchObject({ kind: 'full', applied: 'no' });
});

const [token, api] = [toTokenError, toRemoteError];

test.each<[typeof toRemoteError, Error, string]>([
  [token, answer(401, { error: 'invalid_client' }), 'GOOGLE_CLIENT_ID or GOOGLE_CLIENT_SECRET is'],
  [token, answer(401, { error: 'unauthorized_client' }), 'than GOOGLE_CLIENT_ID'],
  [token, answer(404, '<html>'), 'check GOOGLE_TOKEN_URL'],
  [token, REFUSED_AT_EACH_HOST, '(ECONNREFUSED): check the network and GOOGLE_TOKEN'],
  [api, answer(404, '<html>'), 'check GOOGLE_ROOT_URL'],
  [api, REFUSED_AT_EACH_HOST, '(ECONNREFUSED): check the network and GOOGLE_ROOT_URL'],
])('row %#: %o on the answer %o names the setting to correct: %s', (toError, error, named) => {
  expect(toError(error, LISTING)).toMatchObject({ message: expect.stringContaining(named), applied: 'no' });
  // A missing contact does not depend on the address.
  expect(toRemoteError(answer(404, {}), PERSON).message).not.toContain('GOOGLE_ROOT_URL');
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
