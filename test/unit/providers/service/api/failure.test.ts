import { expect, it } from 'vitest';
import { unansweredRequest } from '../../../../../src/providers/failure.ts';
import { answerError, sentOf } from '../../../../../src/providers/service/api/failure.ts';
import { hasErrors, serviceWords } from '../../../../../src/providers/service/api/service-words.ts';
import { NOW_MS } from '../support.ts';

type Answer = {
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly route?: string;
  readonly uniqueName?: boolean;
  readonly isJson?: boolean;
};

const errorOf = (status: number, { json, headers = {}, isJson = true, ...request }: Answer) =>
  answerError(
    { method: 'GET', route: '/v2/contacts', secret: 'secret-token', ...request },
    { status, headers, isJson, json },
    NOW_MS,
  );

const refusing = (...errors: readonly string[]) => ({ json: { errors } });
const PAGE = { isJson: false, headers: { 'content-type': 'text/html; charset=utf-8' } };
const USED_UP = { 'x-rate-limit-remaining': '0' };
const RESET = { 'x-rate-limit-reset': '30' };
const POST = { method: 'POST' };
const WITH_DATA = { json: { data: { id: 'contact_1' }, errors: ['Rate limit exceeded soon'] } };

it.each<[number, Answer, object]>([
  [400, {}, { kind: 'invalid' }],
  [401, {}, { kind: 'unauthenticated' }],
  [402, { json: { errors: { cause: 'disabled' } } }, { kind: 'disabled', retry: 'never' }],
  [403, refusing('User not allowed to perform this action.'), { kind: 'revoked' }],
  [404, {}, { kind: 'not-found' }],
  [408, {}, { kind: 'unavailable' }],
  [409, {}, { kind: 'invalid' }],
  [410, {}, { kind: 'not-found' }],
  [413, {}, { kind: 'invalid' }],
  [422, {}, { kind: 'invalid' }],
  [409, { uniqueName: true }, { kind: 'name-taken' }],
  [422, { uniqueName: true, ...refusing('Name has already been taken') }, { kind: 'name-taken' }],
  [422, { uniqueName: true, ...refusing('Name is too long') }, { kind: 'invalid' }],
  [302, {}, { kind: 'unreadable' }],
  [200, { isJson: false }, { kind: 'unreadable' }],
  [200, refusing('no'), { kind: 'invalid' }],
  [500, { headers: RESET }, { kind: 'unavailable', applied: 'no', retryAfterMs: null }],
  [503, {}, { kind: 'unavailable' }],
  // The rate limit, and the minimum delay before the next attempt.
  [429, { headers: { ...RESET, 'retry-after': '7' } }, { kind: 'limited', retryAfterMs: 7_000 }],
  [429, { headers: RESET }, { kind: 'limited', retryAfterMs: 30_000 }],
  [503, { headers: { 'retry-after': '5' } }, { kind: 'limited', retryAfterMs: 5_000 }],
  [403, { headers: USED_UP }, { kind: 'limited' }],
  [200, refusing('Rate limit exceeded'), { kind: 'limited' }],
  [200, WITH_DATA, { kind: 'limited', applied: 'no', retry: 'soon' }],
  // A web page or another text is not from the service: it deletes nothing, and revokes no permission (R7, R16).
  [403, PAGE, { kind: 'unreadable', applied: 'no', retry: 'never' }],
  [404, PAGE, { kind: 'unreadable', applied: 'no', retry: 'never' }],
  [410, PAGE, { kind: 'unreadable', applied: 'no', retry: 'never' }],
  [404, { isJson: false }, { kind: 'unreadable', applied: 'no', retry: 'never' }],
  [404, { ...PAGE, method: 'PATCH' }, { kind: 'unreadable', applied: 'unknown' }],
  // A refused write was not applied. A failed write, and one whose answer has data and errors, may have been applied (R9).
  [422, POST, { applied: 'no' }],
  [429, POST, { applied: 'no' }],
  [200, { ...POST, ...refusing('no') }, { applied: 'no' }],
  [502, POST, { kind: 'unavailable', applied: 'unknown', retry: 'soon' }],
  [200, { ...POST, isJson: false }, { applied: 'unknown' }],
  [200, { ...POST, ...WITH_DATA }, { kind: 'invalid', applied: 'unknown' }],
  [201, { ...POST, json: { data: [1], errors: ['no'] }, headers: USED_UP }, { applied: 'unknown' }],
])('[R7, R9] the answer %i with %j is the error %j', (status, answer, error) => {
  expect(errorOf(status, answer)).toMatchObject(error);
});

it.each<[number, Answer, string]>([
  [422, refusing('Bad secret-token here'), 'GET /v2/contacts (422) saying "Bad <value> here"'],
  [404, { route: '/v2/me' }, '(404): check SERVICE_BASE_URL'],
  [404, { route: '/v2/contacts/{id}' }, '(404): not found'],
  [200, PAGE, 'it is a web page; check SERVICE_BASE_URL'],
  [403, PAGE, 'is a web page; check SERVICE_BASE_URL'],
  [404, { isJson: false }, 'is not JSON; check SERVICE_BASE_URL'],
  [404, { route: '/oauth2/token' }, 'check SERVICE_AUTH_URL'],
  [401, { route: '/oauth2/token' }, 'SERVICE_CLIENT_ID or SERVICE_CLIENT_SECRET is wrong'],
])('the message of the answer %i with %j has the reason or the setting to correct: %s', (status, answer, text) => {
  expect(errorOf(status, answer)?.message).toContain(text);
});

const coded = (code: string): Error => Object.assign(new Error('x'), { code });
const saying = (text: RegExp) => ({ message: expect.stringMatching(text) as unknown });
const PLAIN_HTTP = saying(/plain HTTP, .*write http:\/\/ in SERVICE_BASE_URL$/u);

it.each<[string, Error, object]>([
  ['POST', coded('ECONNREFUSED'), { applied: 'no' }],
  ['POST', new AggregateError([coded('ECONNREFUSED')]), { applied: 'no' }],
  ['POST', coded('ECONNRESET'), { applied: 'unknown' }],
  ['POST', coded('UND_ERR_HEADERS_TIMEOUT'), { applied: 'unknown' }],
  ['GET', new Error('reset'), { applied: 'no' }],
  ['GET', coded('ENOTFOUND'), saying(/\(ENOTFOUND\): check the network and SERVICE_BASE_URL/u)],
  ['POST', coded('ERR_SSL_WRONG_VERSION_NUMBER'), { retry: 'never', applied: 'no', ...PLAIN_HTTP }],
  ['GET', coded('UND_ERR_INVALID_ARG'), { kind: 'unauthenticated', ...saying(/a character that no header can hold/u) }],
])('a %s without an answer, because of %o, is the error %o', (method, cause, error) => {
  expect(unansweredRequest(sentOf({ method, route: '/v2/contacts' }), cause)).toMatchObject(error);
});

const SENT = { data: { first_name: 'Ada', email_addresses: [{ address: 'x@y.example' }], note: 'bucket_7' } };
const PERSONAL = 'Ada (ada@example.org, +34 666 12 34 90) in bucket_7 of contact_123456';
const NAMES = { one: 'Ada', all: 'Ada King' };

it.each<[string, unknown, string | null, object?]>([
  ['from a list of texts', { errors: ['one', 'two'] }, 'one; two'],
  ['from an object', { errors: { cause: 'disabled' } }, 'cause disabled'],
  ['from a list of objects', { errors: [{ message: 'is blank', field: 'name' }] }, 'is blank; field name'],
  ['from one text', { error: 'You need to sign in' }, 'You need to sign in'],
  ['from an OAuth error', { error: 'invalid_grant', error_description: 'expired' }, 'expired'],
  ['from no errors', { data: {} }, null],
  ['from something else', 'Bad Gateway', null],
  ['from nothing', undefined, null],
  ['without personal data', { errors: [PERSONAL] }, '<value> (<email>, <number>) in bucket_7 of contact_123456', SENT],
  ['without a value that contains another', { errors: ['Ada King exists'] }, '<value> exists', NAMES],
  ['with a word that contains a short value', { errors: ['Label is wrong'] }, 'Label is wrong', { last_name: 'Al' }],
])('error texts of the service are read %s', (_name, json, expected, sent) => {
  expect(serviceWords(json, sent)).toBe(expected);
});

it('error texts of the service are truncated to 200 characters', () => {
  expect(serviceWords({ errors: ['long '.repeat(100)] }, undefined)).toHaveLength(200);
});

it('an empty list of errors means no error', () => {
  expect(hasErrors({ errors: [] })).toBe(false);
  expect(hasErrors({ errors: {} })).toBe(false);
  expect(hasErrors({ data: {}, error: '' })).toBe(false);
  expect(hasErrors({ errors: ['x'] })).toBe(true);
  expect(hasErrors({ errors: [], error: 'x' })).toBe(true);
});
