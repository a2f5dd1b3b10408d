import { describe, expect, it } from 'vitest';
import { createRateWindow, type RateWindow } from '../../../../src/sandbox/service/rate-window.ts';
import type { ServiceVariants } from '../../../../src/sandbox/service/variants.ts';
import { type Answer, openService } from './harness.ts';

const rateHeaders = ({ headers }: Answer) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-rate-limit-${name}`));

describe('the rate limit', () => {
  it('is in every response, errors too', async () => {
    await using service = await openService();
    service.time.nowMs += 15_000;
    expect(rateHeaders(await service.send('GET', '/v2/me'))).toEqual(['500/minute', '499', '45']);
    expect(rateHeaders(await service.send('GET', '/v2/contacts/contact_1'))).toEqual(['500/minute', '498', '45']);
    expect(rateHeaders(await service.send('GET', '/v2/me', undefined, null))).toEqual(['500/minute', '499', '45']);
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

  it('can be changed while the emulator runs', async () => {
    await using service = await openService();
    service.emulator.setRateLimit({ requests: 1, windowMs: 3_600_000 });
    expect(rateHeaders(await service.send('GET', '/v2/me'))).toEqual(['1/hour', '0', '3600']);
    expect((await service.send('GET', '/v2/me')).status).toBe(429);
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

  it('shares the quota with other clients if the variant specifies it', async () => {
    await using service = await openService({ variants: { limitForeignUse: 'third' } });
    await service.send('GET', '/v2/me');
    expect(rateHeaders(await service.send('GET', '/v2/me'))[1]).toBe('497');
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
    ['sliding-second', [0, 10, 0, 0]],
    ['two-bucket', [0, 0, 8, 1]],
    ['token-bucket', [0, 1, 8, 1]],
    ['gcra', [0, 1, 8, 1]],
  ] as const)('%s admits the requests that its counting method allows', (kind, expected) => {
    const window = createRateWindow(kind, LIMIT);
    expect(admitted(window, burst(900))).toBe(10);
    expect([901, 1000, 1899, 1900].map((nowMs) => admitted(window, burst(nowMs)))).toEqual(expected);
  });

  it('gcra allows a burst of 20 only', () => {
    expect(admitted(createRateWindow('gcra', { requests: 500, windowMs: 60_000 }), burst(0))).toBe(20);
  });
});
