import { expect, it } from 'vitest';
import { answerError, connectionError } from '../../../../../src/providers/service/api/failure.ts';
import { NOW_MS } from '../support.ts';

type Case = {
  readonly status: number;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly route?: string;
  readonly uniqueName?: boolean;
  readonly isJson?: boolean;
};

const errorOf = ({
  status,
  json,
  headers = {},
  isJson = true,
  method = 'GET',
  route = '/v2/contacts',
  ...more
}: Case) => answerError({ method, route, secret: 'secret-token', ...more }, { status, headers, isJson, json }, NOW_MS);

const refusing = (...errors: readonly string[]) => ({ errors });
const PAGE = { isJson: false, headers: { 'content-type': 'text/html; charset=utf-8' } };
const USED_UP = { 'x-rate-limit-remaining': '0' };
const RESET = { 'x-rate-limit-reset': '30' };
const POST = { method: 'POST' };
const WITH_DATA = { data: { id: 'contact_1' }, errors: ['Rate limit exceeded soon'] };

it.each<[Case, object]>([
  [{ status: 400 }, { kind: 'invalid' }],
  [{ status: 401 }, { kind: 'unauthenticated' }],
  [{ status: 402, json: { errors: { cause: 'disabled' } } }, { kind: 'disabled' }],
  [{ status: 403, json: refusing('User not allowed to perform this action.') }, { kind: 'revoked' }],
  [{ status: 404 }, { kind: 'not-found' }],
  [{ status: 408 }, { kind: 'unavailable' }],
  [{ status: 409 }, { kind: 'invalid' }],
  [{ status: 410 }, { kind: 'not-found' }],
  [{ status: 413 }, { kind: 'invalid' }],
  [{ status: 422 }, { kind: 'invalid' }],
  [{ status: 409, uniqueName: true }, { kind: 'name-taken' }],
  [{ status: 422, uniqueName: true, json: refusing('Name has already been taken') }, { kind: 'name-taken' }],
  [{ status: 422, uniqueName: true, json: refusing('Name is too long') }, { kind: 'invalid' }],
  [{ status: 302 }, { kind: 'unreadable' }],
  [{ status: 200, isJson: false }, { kind: 'unreadable' }],
  [{ status: 200, json: refusing('no') }, { kind: 'invalid' }],
  [
    { status: 500, headers: RESET },
    { kind: 'unavailable', applied: 'no', retryAfterMs: null },
  ],
  [{ status: 503 }, { kind: 'unavailable' }],
  // The rate limit, and the minimum delay before the next attempt.
  [
    { status: 429, headers: { ...RESET, 'retry-after': '7' } },
    { kind: 'limited', retryAfterMs: 7_000 },
  ],
  [
    { status: 429, headers: RESET },
    { kind: 'limited', retryAfterMs: 30_000 },
  ],
  [
    { status: 503, headers: { 'retry-after': '5' } },
    { kind: 'limited', retryAfterMs: 5_000 },
  ],
  [{ status: 403, headers: USED_UP }, { kind: 'limited' }],
  [{ status: 200, json: refusing('Rate limit exceeded') }, { kind: 'limited' }],
  [
    { status: 200, json: WITH_DATA },
    { kind: 'limited', applied: 'no', retry: 'soon' },
  ],
  // A web page deletes nothing.
  [
    { status: 404, ...PAGE },
    { kind: 'unreadable', applied: 'no', retry: 'never' },
  ],
  [
    { status: 410, ...PAGE },
    { kind: 'unreadable', applied: 'no', retry: 'never' },
  ],
  [
    { status: 404, ...PAGE, method: 'PATCH' },
    { kind: 'unreadable', applied: 'unknown' },
  ],
  // A refused write was not applied. A failed write, and one whose answer has data and errors, may have been applied (R9).
  [{ ...POST, status: 422 }, { applied: 'no' }],
  [{ ...POST, status: 429 }, { applied: 'no' }],
  [{ ...POST, status: 200, json: refusing('no') }, { applied: 'no' }],
  [
    { ...POST, status: 502 },
    { kind: 'unavailable', applied: 'unknown', retry: 'soon' },
  ],
  [{ ...POST, status: 200, isJson: false }, { applied: 'unknown' }],
  [
    { ...POST, status: 200, json: WITH_DATA },
    { kind: 'invalid', applied: 'unknown' },
  ],
  [{ ...POST, status: 201, json: { data: [1], ...refusing('no') }, headers: USED_UP }, { applied: 'unknown' }],
])('[R7, R9] the answer %j is the error %j', (given, error) => {
  expect(errorOf(given)).toMatchObject(error);
});

it.each([200, 201, 204])('an answer %i without errors is not an error', (status) => {
  expect(errorOf({ status, json: { data: {}, errors: [] } })).toBeNull();
});

it.each<[Case, string]>([
  [{ status: 422, json: refusing('Bad secret-token here') }, 'GET /v2/contacts (422) saying "Bad <value> here"'],
  [{ status: 404, route: '/v2/me' }, '(404): check SERVICE_BASE_URL'],
  [{ status: 404, route: '/v2/contacts/{id}' }, '(404): not found'],
  [{ status: 200, ...PAGE }, 'it is a web page; check SERVICE_BASE_URL'],
  [{ status: 403, ...PAGE }, 'with a web page, as if SERVICE_BASE_URL led elsewhere'],
  [{ status: 404, route: '/oauth2/token' }, 'check SERVICE_AUTH_URL'],
  [{ status: 401, route: '/oauth2/token' }, 'SERVICE_CLIENT_ID or SERVICE_CLIENT_SECRET is wrong'],
  [{ status: 401, route: '/oauth2/token/exchange' }, 'the key or SERVICE_CLIENT_ID is wrong'],
])('the message of the answer %j has the reason or the setting to correct, without the token: %s', (given, text) => {
  expect(errorOf(given)?.message).toContain(text);
});

const coded = (code: string): Error => Object.assign(new Error('x'), { code });

it.each<[string, Error, object]>([
  ['POST', coded('ECONNREFUSED'), { applied: 'no' }],
  ['POST', new AggregateError([coded('ECONNREFUSED')]), { applied: 'no' }],
  ['POST', coded('ECONNRESET'), { applied: 'unknown' }],
  ['POST', coded('UND_ERR_HEADERS_TIMEOUT'), { applied: 'unknown' }],
  ['GET', new Error('reset'), { applied: 'no' }],
  [
    'GET',
    coded('ENOTFOUND'),
    { message: expect.stringContaining('(ENOTFOUND): check the network and SERVICE_BASE_URL') },
  ],
  [
    'POST',
    coded('ERR_SSL_WRONG_VERSION_NUMBER'),
    {
      retry: 'never',
      applied: 'no',
      message: expect.stringMatching(/plain HTTP, .*write http:\/\/ in SERVICE_BASE_URL$/u),
    },
  ],
  [
    'GET',
    coded('UND_ERR_INVALID_ARG'),
    { kind: 'unauthenticated', applied: 'no', message: expect.stringContaining('a character that no header can hold') },
  ],
])('a %s without an answer, because of %o, is the error %o', (method, cause, error) => {
  expect(connectionError({ method, route: '/v2/contacts' }, cause)).toMatchObject(error);
});
