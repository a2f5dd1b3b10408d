import { expect, it } from 'vitest';
import { createRateWindow, type RateWindow } from '../../../../src/sandbox/rate-window.ts';
import type { ServiceVariants } from '../../../../src/sandbox/service/variants.ts';
import { type Answer, openService } from './harness.ts';

const rateHeaders = ({ headers }: Answer) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-rate-limit-${name}`));

it('every answer has the rate limit, errors too', async () => {
  await using service = await openService();
  const { time, send } = service;
  time.nowMs += 15_000;
  expect(rateHeaders(await send('GET', '/v2/me'))).toEqual(['500/minute', '499', '45']);
  expect(rateHeaders(await send('GET', '/v2/contacts/contact_1'))).toEqual(['500/minute', '498', '45']);
  expect(rateHeaders(await send('GET', '/v2/me', undefined, null))).toEqual(['500/minute', '499', '45']);
});

it('a request above the limit is a 429, is not applied and is counted, until the window resets', async () => {
  await using service = await openService({ rateLimit: { requests: 1, windowMs: 60_000 } });
  await service.send('GET', '/v2/me');
  const refused = await service.send('POST', '/v2/contacts', {});
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  expect(rateHeaders(refused)).toEqual(['1/minute', '0', '60']);
  expect([service.emulator.overLimit, service.emulator.account.contacts()]).toEqual([1, []]);
  service.time.nowMs += 60_000;
  expect((await service.send('GET', '/v2/me')).status).toBe(200);
});

it.each([
  ['429-plain', 429, null],
  ['429-http-date', 429, 'Thu, 01 Jan 2026 12:01:00 GMT'],
  ['503', 503, null],
  ['403', 403, null],
  ['200-with-errors', 200, null],
] as const)('the answer above the limit is that of the variant %s', async (limitAnswer, status, retryAfter) => {
  await using service = await openService({ rateLimit: { requests: 1, windowMs: 60_000 }, variants: { limitAnswer } });
  await service.send('GET', '/v2/me');
  const refused = await service.send('GET', '/v2/me');
  expect(refused).toMatchObject({ status, body: { errors: ['Rate limit exceeded'] } });
  expect(refused.headers.get('retry-after')).toBe(retryAfter);
});

it.each<[Partial<ServiceVariants>, (string | null)[]]>([
  [{ limitHeader: 'number', limitRemaining: 'before' }, ['500', '499', '60']],
  [{ limitReset: 'epoch-seconds' }, ['500/minute', '498', String(Date.UTC(2026, 0, 1, 12, 1) / 1000)]],
  [{ limitReset: 'milliseconds', limitRemaining: 'stale' }, ['500/minute', '500', '60000']],
  [{ limitForeignUse: 'third' }, ['500/minute', '497', '60']],
])('the headers have the form of the variants %j', async (variants, expected) => {
  await using service = await openService({ variants });
  await service.send('GET', '/v2/me');
  expect(rateHeaders(await service.send('GET', '/v2/me'))).toEqual(expected);
});

/** Returns how many of 100 requests at that time are admitted. */
const admitted = (window: RateWindow, nowMs: number): number => {
  let count = 0;
  for (; count < 100 && window.used(nowMs) < window.capacity; count += 1) window.add(nowMs);
  return count;
};

it.each([
  ['fixed', [10, 0, 10, 0, 0]],
  ['first-request', [10, 0, 0, 0, 10]],
  ['sliding-log', [10, 0, 0, 0, 10]],
] as const)('a window of the kind %s admits ten requests a second', (kind, expected) => {
  const window = createRateWindow(kind, { requests: 10, windowMs: 1000 });
  expect([900, 901, 1000, 1899, 1900].map((nowMs) => admitted(window, nowMs))).toEqual(expected);
});
