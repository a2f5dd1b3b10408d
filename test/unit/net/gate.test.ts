import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createGate, type GateOptions, type Permit } from '../../../src/net/gate.ts';
import { createLocalLimiter } from '../../../src/net/limiter.ts';
import { createVirtualClock } from '../../support/clocks.ts';

const NEVER = new AbortController().signal;
const OK = { status: 200, headers: {} };

const open = (changes: Pick<GateOptions, 'onLimited'> = {}) => {
  const clock = createVirtualClock();
  const limiter = createLocalLimiter({ requests: 60, windowMs: 60_000 }, clock, null);
  return { clock, gate: createGate({ limiter, clock, random: () => 0.5, ...changes }) };
};

/** Opens a gate after its probe and with its burst used up. The next permit comes after about a second. */
const busy = async () => {
  const opened = open();
  (await opened.gate.acquire(NEVER)).done(OK);
  for (let sent = 0; sent < 3; sent += 1) (await opened.gate.acquire(NEVER)).done(OK);
  return opened;
};

test('the gate admits requests in order of arrival', async () => {
  const { gate, clock } = await busy();
  const passed: number[] = [];
  for (const place of [1, 2, 3]) void gate.acquire(NEVER).then(() => passed.push(place));
  await clock.play(10_000);
  expect(passed).toEqual([1, 2, 3]);
});

test('an aborted request leaves the queue with its reason, and its timer ends', async () => {
  const { gate, clock } = await busy();
  const controller = new AbortController();
  const aborted = expect(gate.acquire(controller.signal)).rejects.toThrow('stop');
  controller.abort(new Error('stop'));
  await aborted;
  await setImmediate();
  expect(clock.sleepers()).toBe(0);
  const before = gate.budget().remaining;
  await clock.play(5_000);
  expect(gate.budget().remaining).toBe(before);
});

test('a 429 stops all requests, reports the duration, and is followed by one probe', async () => {
  const stops: number[] = [];
  const { gate, clock } = open({ onLimited: ({ stoppedForMs }) => stops.push(stoppedForMs) });
  (await gate.acquire(NEVER)).done({ status: 429, headers: { 'retry-after': '20' } });
  await setImmediate();
  expect(stops).toEqual([20_500]);
  const passed: Permit[] = [];
  for (let queued = 0; queued < 2; queued += 1) {
    void gate.acquire(NEVER).then((permit) => passed.push(permit));
  }
  await clock.play(20_400);
  expect(passed).toHaveLength(0);
  await clock.play(200);
  expect(passed).toHaveLength(1);
  await clock.play(60_000);
  expect(passed).toHaveLength(1);
  passed[0]?.done(OK);
  await clock.play(0);
  expect(passed).toHaveLength(2);
});

test('the gate refuses requests during a long stop, which ends after an hour at most for any Retry-After', async () => {
  const { gate, clock } = open();
  const probe = await gate.acquire(NEVER);
  const refused = [gate.acquire(NEVER), gate.acquire(NEVER)].map((waiting) =>
    expect(waiting).rejects.toMatchObject({ name: 'UnsentError', retryAfterMs: 3_600_500 }),
  );
  probe.done({ status: 429, headers: { 'retry-after': '1795456800' } });
  await Promise.all(refused);
  await clock.play(3_500_000);
  await expect(gate.acquire(NEVER)).rejects.toThrow('the rate limit allows no request for another 101 s');
  await clock.play(100_500);
  (await gate.acquire(NEVER)).done(OK);
});

test('the gate waits during a stop until a one-minute window is reset', async () => {
  const { gate, clock } = open();
  (await gate.acquire(NEVER)).done({ status: 429, headers: { 'x-rate-limit-reset': '60' } });
  const next = gate.acquire(NEVER);
  await clock.play(60_500);
  (await next).done(OK);
});
