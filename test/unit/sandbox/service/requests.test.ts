import { describe, expect } from 'vitest';
import { z } from 'zod';
import { createRateWindow, type RateWindow } from '../../../../src/sandbox/service/rate-window.ts';
import type { ServiceVariants } from '../../../../src/sandbox/service/variants.ts';
import { type Answer, it, openService } from './harness.ts';

const tokenAnswer = z.object({ token: z.string() });

describe('control routes', () => {
  it('set faults and variants and clear faults', async ({ send }) => {
    const fault = { path: '^/v2/me$', times: 2, action: { kind: 'status', status: 503 } };
    expect((await send('POST', '/__control/faults', fault)).status).toBe(200);
    expect((await send('GET', '/v2/me')).status).toBe(503);
    await send('DELETE', '/__control/faults');
    expect((await send('GET', '/v2/me')).status).toBe(200);
    const answer = await send('POST', '/__control/variants', { errorBody: 'empty' });
    expect(answer.body).toMatchObject({ errorBody: 'empty', bounds: 'inclusive' });
    expect((await send('GET', '/v2/contacts/contact_1')).body).toBe('');
  });

  it('return 400 for a fault or a variant that does not exist', async ({ send }) => {
    expect((await send('POST', '/__control/faults', { action: { kind: 'flood' } })).status).toBe(400);
    expect((await send('POST', '/__control/variants', { colour: 'blue' })).status).toBe(400);
  });

  it('return the variants and the requests', async ({ time, send }) => {
    expect((await send('GET', '/__control/variants')).body).toMatchObject({
      table: expect.arrayContaining([
        { name: 'bounds', about: expect.any(String), values: expect.arrayContaining(['exclusive']) },
      ]),
      current: { bounds: 'inclusive' },
    });
    await send('GET', '/v2/contacts?page=2');
    expect((await send('GET', '/__control/requests')).body).toMatchObject({
      requests: [{ method: 'GET', path: '/v2/contacts', query: 'page=2', status: 200, atMs: time.nowMs }],
      overLimit: 0,
    });
  });

  it('issue and revoke tokens, and change the rate limit', async ({ send }) => {
    const { token } = tokenAnswer.parse((await send('POST', '/__control/tokens', {})).body);
    expect((await send('GET', '/v2/buckets', undefined, token)).status).toBe(200);
    await send('DELETE', '/__control/tokens', { token });
    expect((await send('GET', '/v2/buckets', undefined, token)).status).toBe(403);
    await send('POST', '/__control/rate-limit', { requests: 1, windowMs: 1000 });
    const { headers } = await send('GET', '/v2/me');
    expect(headers.get('x-rate-limit-limit')).toBe('1/second');
  });
});

describe('the emulator', () => {
  it('describes itself at its root and returns 404 for an unknown path', async ({ send }) => {
    expect((await send('GET', '/')).body).toMatchObject({ sandbox: expect.any(String) });
    expect((await send('GET', '/v2/tasks/task_1')).status).toBe(404);
    expect((await send('GET', '/elsewhere')).status).toBe(404);
  });

  it('listens on the loopback address only', async ({ emulator }) => {
    expect(new URL(emulator.url).hostname).toBe('127.0.0.1');
  });
});

const rateHeaders = ({ headers }: Answer) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-rate-limit-${name}`));

describe('the rate limit', () => {
  it('is in every response, errors too', async ({ time, send }) => {
    time.nowMs += 15_000;
    expect(rateHeaders(await send('GET', '/v2/me'))).toEqual(['500/minute', '499', '45']);
    expect(rateHeaders(await send('GET', '/v2/contacts/contact_1'))).toEqual(['500/minute', '498', '45']);
    expect(rateHeaders(await send('GET', '/v2/me', undefined, null))).toEqual(['500/minute', '499', '45']);
  });

  it('returns 429 above it until the window resets, applies nothing and counts it', async () => {
    await using service = await openService({ rateLimit: { requests: 2, windowMs: 60_000 } });
    await service.send('GET', '/v2/me');
    await service.send('GET', '/v2/me');
    const refused = await service.sendData('POST', '/v2/contacts', {});
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(rateHeaders(refused)).toEqual(['2/minute', '0', '60']);
    expect(service.emulator.overLimit).toBe(1);
    expect(service.emulator.account.contacts()).toEqual([]);
    service.time.nowMs += 60_000;
    expect((await service.send('GET', '/v2/me')).status).toBe(200);
  });

  it('can be changed while the emulator runs', async ({ emulator, send }) => {
    emulator.setRateLimit({ requests: 1, windowMs: 3_600_000 });
    expect(rateHeaders(await send('GET', '/v2/me'))).toEqual(['1/hour', '0', '3600']);
    expect((await send('GET', '/v2/me')).status).toBe(429);
  });

  it.each([
    ['429-plain', 429, null],
    ['429-http-date', 429, 'Thu, 01 Jan 2026 12:01:00 GMT'],
    ['503', 503, null],
    ['403', 403, null],
    ['200-with-errors', 200, null],
  ] as const)('responds above it as the variant %s specifies', async (limitAnswer, status, retryAfter) => {
    await using service = await openService({
      rateLimit: { requests: 1, windowMs: 60_000 },
      variants: { limitAnswer },
    });
    await service.send('GET', '/v2/me');
    const refused = await service.send('GET', '/v2/me');
    expect(refused).toMatchObject({ status, body: { errors: ['Rate limit exceeded'] } });
    expect(refused.headers.get('retry-after')).toBe(retryAfter);
  });

  it.each<[Partial<ServiceVariants>, (string | null)[]]>([
    [{ limitHeader: 'number', limitRemaining: 'before' }, ['500', '500', '60']],
    [{ limitReset: 'epoch-seconds' }, ['500/minute', '499', String(Date.UTC(2026, 0, 1, 12, 1) / 1000)]],
    [{ limitReset: 'milliseconds', limitRemaining: 'stale' }, ['500/minute', '500', '60000']],
    [{ limitForeignUse: 'third' }, ['500/minute', '499', '60']],
  ])('is reported in the form of the variants %j', async (variants, expected) => {
    await using service = await openService({ variants });
    expect(rateHeaders(await service.send('GET', '/v2/me'))).toEqual(expected);
  });

  it('shares the quota with other clients if the variant specifies it', async ({ emulator, send }) => {
    emulator.setVariants({ limitForeignUse: 'third' });
    await send('GET', '/v2/me');
    expect(rateHeaders(await send('GET', '/v2/me'))[1]).toBe('497');
  });
});

/** Returns how many of the requests at these times are admitted. */
const admitted = (window: RateWindow, timesMs: readonly number[]): number =>
  timesMs.filter((nowMs) => {
    const isAllowed = window.used(nowMs) < window.capacity;
    if (isAllowed) window.add(nowMs);
    return isAllowed;
  }).length;

const burst = (nowMs: number, count = 100): number[] => Array.from({ length: count }, () => nowMs);

/** Ten a second. A full burst at 900 ms, another one at each of the given times. */
const LIMIT = { requests: 10, windowMs: 1000 };

describe('windows', () => {
  it.each([
    // kind, after 1 ms more, at 1000, at 1899, at 1900
    ['fixed', [0, 10, 0, 0]],
    ['first-request', [0, 0, 0, 10]],
    ['sliding-log', [0, 0, 0, 10]],
  ] as const)('%s admits the requests that its counting method allows', (kind, expected) => {
    const window = createRateWindow(kind, LIMIT);
    expect(admitted(window, burst(900))).toBe(10);
    expect([901, 1000, 1899, 1900].map((nowMs) => admitted(window, burst(nowMs)))).toEqual(expected);
  });
});

const create = { data: { first_name: 'Ann' } };

describe('faults', () => {
  it('return a status and Retry-After, once, for the requests that match', async ({ account, emulator, send }) => {
    emulator.addFault({
      method: 'POST',
      path: '^/v2/contacts$',
      action: { kind: 'status', status: 503, retryAfter: '7' },
    });
    expect((await send('GET', '/v2/contacts')).status).toBe(200);
    const refused = await send('POST', '/v2/contacts', create);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('7');
    expect(refused.headers.get('x-rate-limit-remaining')).toBe('498');
    expect(account.contacts()).toHaveLength(0);
    expect((await send('POST', '/v2/contacts', create)).status).toBe(200);
  });

  it('skip some requests first and occur a number of times', async ({ emulator, send }) => {
    emulator.addFault({ path: /contacts/, skip: 1, times: 2, action: { kind: 'status', status: 500 } });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await send('GET', '/v2/contacts')).status);
    expect(statuses).toEqual([200, 500, 500, 200]);
  });

  it('return the HTML page of a proxy', async ({ emulator, send }) => {
    emulator.addFault({ action: { kind: 'html' } });
    const refused = await send('GET', '/v2/contacts');
    expect(refused.status).toBe(502);
    expect(refused.headers.get('content-type')).toBe('text/html');
    expect(refused.body).toContain('<h1>502</h1>');
  });

  it('cut the connection before the request is applied', async ({ account, emulator, send }) => {
    emulator.addFault({ action: { kind: 'reset-before' } });
    await expect(send('POST', '/v2/contacts', create)).rejects.toThrow();
    expect(account.contacts()).toHaveLength(0);
    expect(emulator.requests).toMatchObject([{ method: 'POST', status: null, fault: 'reset-before' }]);
  });

  it('cut the connection after the request is applied', async ({ account, emulator, send }) => {
    emulator.addFault({ action: { kind: 'reset-after' } });
    await expect(send('POST', '/v2/contacts', create)).rejects.toThrow();
    expect(account.contacts()).toHaveLength(1);
  });

  it('cut the body in the middle', async ({ emulator }) => {
    emulator.addFault({ action: { kind: 'truncate' } });
    const response = await fetch(`${emulator.url}/v2/me`, {
      headers: { authorization: `Bearer ${emulator.issueToken()}` },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-rate-limit-remaining')).toBe('499');
    await expect(response.text()).rejects.toThrow();
  });

  it('delay a request, which is then applied', async ({ emulator, send }) => {
    emulator.addFault({ action: { kind: 'delay', delayMs: 1 } });
    expect((await send('POST', '/v2/contacts', create)).status).toBe(200);
    expect(emulator.requests).toMatchObject([{ status: 200, fault: 'delay' }]);
  });

  it('delay a request for the specified time, but do not prevent the emulator from closing', async () => {
    const service = await openService();
    service.emulator.addFault({ action: { kind: 'delay', delayMs: 600_000 } });
    const cutOff = expect(service.send('POST', '/v2/contacts', create)).rejects.toThrow();
    while (service.emulator.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(service.emulator.requests).toMatchObject([{ status: null }]);
    await service.emulator.close();
    await cutOff;
  });

  it('that skip a request leave it to the next fault', async ({ emulator, send }) => {
    emulator.addFault({ skip: 1, action: { kind: 'status', status: 500 } });
    emulator.addFault({ action: { kind: 'status', status: 503 } });
    expect((await send('GET', '/v2/contacts')).status).toBe(503);
    expect((await send('GET', '/v2/contacts')).status).toBe(500);
  });

  it('end once cleared', async ({ emulator, send }) => {
    emulator.addFault({ action: { kind: 'html' } });
    emulator.clearFaults();
    expect((await send('GET', '/v2/contacts')).status).toBe(200);
  });

  it('affect the authorization endpoints too', async ({ emulator, send }) => {
    emulator.addFault({ path: '^/oauth2/token$', action: { kind: 'status', status: 500 } });
    expect((await send('POST', '/oauth2/token', {})).status).toBe(500);
  });
});
