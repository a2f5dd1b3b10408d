import { describe, expect, it } from 'vitest';
import type { RemoteError } from '../../../../../src/providers/errors.ts';
import { answerError, connectionError } from '../../../../../src/providers/service/api/failure.ts';
import { NOW_MS } from '../support.ts';

type Case = {
  readonly status: number;
  readonly json?: unknown;
  readonly headers?: Record<string, string>;
  readonly method?: string;
  readonly uniqueName?: boolean;
  readonly isJson?: boolean;
};

const errorOf = ({ status, json, headers = {}, method = 'GET', uniqueName = false, isJson = true }: Case) => {
  const request = { method, route: '/v2/contacts', uniqueName, secret: 'secret-token' };
  return answerError(request, { status, headers, isJson, json }, NOW_MS);
};

const outcomeOf = (error: RemoteError | null) => {
  return error === null ? null : { kind: error.kind, applied: error.applied, retry: error.retry };
};

describe('an answer of the service', () => {
  it.each<[string, Case, string]>([
    ['401', { status: 401 }, 'unauthenticated'],
    ['402', { status: 402, json: { errors: { cause: 'disabled' } } }, 'disabled'],
    ['403', { status: 403, json: { errors: ['User not allowed to perform this action.'] } }, 'revoked'],
    ['404', { status: 404 }, 'not-found'],
    ['410', { status: 410 }, 'not-found'],
    ['400', { status: 400 }, 'invalid'],
    ['409', { status: 409 }, 'invalid'],
    ['413', { status: 413 }, 'invalid'],
    ['422', { status: 422 }, 'invalid'],
    ['409 for a name', { status: 409, uniqueName: true }, 'name-taken'],
    [
      '422 for a taken name',
      { status: 422, uniqueName: true, json: { errors: ['Name has already been taken'] } },
      'name-taken',
    ],
    ['422 for another reason', { status: 422, uniqueName: true, json: { errors: ['Name is too long'] } }, 'invalid'],
    ['429', { status: 429 }, 'limited'],
    ['503 with Retry-After', { status: 503, headers: { 'retry-after': '5' } }, 'limited'],
    ['403 with no requests left of the limit', { status: 403, headers: { 'x-rate-limit-remaining': '0' } }, 'limited'],
    ['200 with an error about the rate limit', { status: 200, json: { errors: ['Rate limit exceeded'] } }, 'limited'],
    ['500', { status: 500 }, 'unavailable'],
    ['503', { status: 503 }, 'unavailable'],
    ['408', { status: 408 }, 'unavailable'],
    ['200 with errors', { status: 200, json: { errors: ['no'] } }, 'invalid'],
    ['200 without JSON', { status: 200, isJson: false }, 'unreadable'],
    ['a redirect', { status: 302 }, 'unreadable'],
  ])('is classified by its meaning: %s', (_name, given, kind) => {
    expect(errorOf(given)?.kind).toBe(kind);
  });

  it.each([404, 410])('[R7] with %i as a web page deletes nothing, and a write may have been applied', (status) => {
    const page = { status, isJson: false, headers: { 'content-type': 'text/html' } };
    expect(outcomeOf(errorOf(page))).toEqual({ kind: 'unreadable', applied: 'no', retry: 'never' });
    expect(outcomeOf(errorOf({ ...page, method: 'PATCH' }))).toMatchObject({ kind: 'unreadable', applied: 'unknown' });
  });

  it.each([200, 201, 204])('with %i and without errors is not an error', (status) => {
    expect(errorOf({ status, json: { data: {}, errors: [] } })).toBeNull();
  });

  it('of a failed write leaves it unknown whether the write was applied', () => {
    expect(outcomeOf(errorOf({ status: 502, method: 'POST' }))).toEqual({
      kind: 'unavailable',
      applied: 'unknown',
      retry: 'soon',
    });
    expect(outcomeOf(errorOf({ status: 200, method: 'POST', isJson: false }))?.applied).toBe('unknown');
    expect(outcomeOf(errorOf({ status: 200, method: 'POST', json: { data: [1], errors: ['some'] } }))?.applied).toBe(
      'unknown',
    );
  });

  it.each<[string, Case]>([
    ['the rate limit', { status: 200, json: { data: { id: 'contact_1' }, errors: ['Rate limit exceeded soon'] } }],
    [
      'anything, with no requests left of the limit',
      { status: 201, json: { data: [1], errors: ['no'] }, headers: { 'x-rate-limit-remaining': '0' } },
    ],
  ])(
    '[R9] of a write with data and errors about %s leaves it unknown whether the write was applied',
    (_what, given) => {
      expect(outcomeOf(errorOf({ ...given, method: 'POST' }))).toMatchObject({ kind: 'invalid', applied: 'unknown' });
      expect(outcomeOf(errorOf({ ...given, method: 'GET' }))).toMatchObject({
        kind: 'limited',
        applied: 'no',
        retry: 'soon',
      });
    },
  );

  it('of a refused write means that the write was not applied', () => {
    for (const status of [400, 403, 404, 422, 429]) expect(errorOf({ status, method: 'POST' })?.applied).toBe('no');
    expect(errorOf({ status: 200, method: 'POST', json: { errors: ['no'] } })?.applied).toBe('no');
    expect(errorOf({ status: 502, method: 'GET' })?.applied).toBe('no');
  });

  it('contains the minimum delay before the next attempt', () => {
    expect(errorOf({ status: 429, headers: { 'retry-after': '7', 'x-rate-limit-reset': '30' } })?.retryAfterMs).toBe(
      7_000,
    );
    expect(errorOf({ status: 429, headers: { 'x-rate-limit-reset': '30' } })?.retryAfterMs).toBe(30_000);
    expect(errorOf({ status: 500, headers: { 'x-rate-limit-reset': '30' } })?.retryAfterMs).toBeNull();
  });

  it('is reported with the error text of the service, without the token', () => {
    const error = errorOf({ status: 422, json: { errors: ['Bad secret-token here'] } });
    expect(error?.message).toContain('saying "Bad <value> here"');
    expect(error?.message).toContain('GET /v2/contacts (422)');
  });
});

describe('an error message names the setting to correct', () => {
  const HTML = { 'content-type': 'text/html; charset=utf-8' };
  const messageOf = (route: string, given: Omit<Case, 'method'>): string => {
    const { status, json, headers = {}, isJson = true } = given;
    return String(answerError({ method: 'GET', route }, { status, headers, isJson, json }, NOW_MS)?.message);
  };

  it.each<[string, string, Case, string]>([
    ['for a missing route', '/v2/me', { status: 404 }, '(404): check SERVICE_BASE_URL'],
    [
      'for a web page',
      '/v2/me',
      { status: 200, isJson: false, headers: HTML },
      'it is a web page; check SERVICE_BASE_URL',
    ],
    [
      'for a web page that refuses',
      '/v2/contacts/{id}',
      { status: 403, isJson: false, headers: HTML },
      'with a web page, as if SERVICE_BASE_URL led elsewhere',
    ],
    ['for a missing authorization endpoint', '/oauth2/token', { status: 404 }, 'check SERVICE_AUTH_URL'],
    ['for a wrong client', '/oauth2/token', { status: 401 }, 'SERVICE_CLIENT_ID or SERVICE_CLIENT_SECRET is wrong'],
    ['for a wrong key', '/oauth2/token/exchange', { status: 401 }, 'the key or SERVICE_CLIENT_ID is wrong'],
  ])('%s', (_what, route, given, named) => {
    expect(messageOf(route, given)).toContain(named);
  });

  it('except for a missing contact, which does not depend on the address', () => {
    expect(messageOf('/v2/contacts/{id}', { status: 404 })).not.toContain('SERVICE_BASE_URL');
  });

  it('for a host that is unreachable', () => {
    const refused = Object.assign(new Error('x'), { code: 'ENOTFOUND' });
    expect(connectionError({ method: 'GET', route: '/v2/me' }, refused).message).toBe(
      'the service did not answer GET /v2/me (ENOTFOUND): check the network and SERVICE_BASE_URL',
    );
  });

  it('and an access token that is invalid in a header, as a permanent authentication error', () => {
    const unsendable = Object.assign(new Error('invalid authorization header'), { code: 'UND_ERR_INVALID_ARG' });
    const error = connectionError({ method: 'GET', route: '/v2/me' }, unsendable);
    expect(error).toMatchObject({ kind: 'unauthenticated', retry: 'never', applied: 'no' });
    expect(error.message).toContain('the access token contains a character that no token has');
  });
});

describe('a request without an answer', () => {
  const request = { method: 'POST', route: '/v2/contacts' };
  it('is a permanent error if the server of an https address uses plain HTTP, and names the setting', () => {
    const cause = Object.assign(new Error('x'), { code: 'ERR_SSL_WRONG_VERSION_NUMBER' });
    const error = connectionError({ method: 'POST', route: '/v2/contacts' }, cause);
    expect(error).toMatchObject({ retry: 'never', applied: 'no' });
    expect(error.message).toMatch(/in plain HTTP, not HTTPS: write http:\/\/ in SERVICE_BASE_URL$/u);
  });

  const failure = (code: string) => connectionError(request, Object.assign(new Error('x'), { code }));

  it('was certainly not applied if no connection was made', () => {
    expect(failure('ECONNREFUSED').applied).toBe('no');
    expect(connectionError(request, new AggregateError([failure('ECONNREFUSED').cause])).applied).toBe('no');
  });

  it('may have been applied if the connection broke', () => {
    expect(failure('ECONNRESET').applied).toBe('unknown');
    expect(failure('UND_ERR_HEADERS_TIMEOUT').applied).toBe('unknown');
    expect(connectionError({ ...request, method: 'GET' }, new Error('reset')).applied).toBe('no');
  });
});
