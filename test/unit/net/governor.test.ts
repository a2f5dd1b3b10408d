import { expect, test } from 'vitest';
import {
  atOwnClock,
  exportGovernor,
  importGovernor,
  parseGovernorState,
  restoreGovernor,
} from '../../../src/net/governor-state.ts';
import type { AdmittedRequest, GovernedAnswer, Governor } from '../../../src/net/governor.ts';
import { admit, budgetOf, complete, createGovernor, timeToSendMs } from '../../../src/net/governor.ts';
import { answerWith } from './simulate.ts';

const LIMIT = { requests: 500, windowMs: 60_000 };

const granted = (governor: Governor, nowMs: number): AdmittedRequest => {
  const { grant } = admit(governor, nowMs);
  if (grant === null) throw new Error(`nothing was admitted at ${nowMs}`);
  return grant;
};

const probeOf = ({ probe }: Governor): number | null => (typeof probe === 'object' ? probe.id : null);

const waitOf = (governor: Governor, nowMs: number): number | null => {
  const admission = admit(governor, nowMs);
  if (admission.grant !== null) throw new Error(`a request was admitted at ${nowMs}`);
  return admission.waitMs;
};

/** Returns a governor with a response to its probe at time 0. */
const startedWith = (changes: Partial<GovernedAnswer> = {}, limit = LIMIT): Governor => {
  const governor = createGovernor(limit);
  complete(governor, granted(governor, 0), answerWith(changes), 0);
  return governor;
};

test.each([
  [{ requests: 1, windowMs: 1_000 }, 1_010],
  [{ requests: 1, windowMs: 60_000 }, 61_000],
  [{ requests: 1, windowMs: 3_600_000 }, 3_660_000],
])('a request counts for the window and a guard after its answer: %o', (limit, countedMs) => {
  expect(waitOf(startedWith({}, limit), 0)).toBe(countedMs);
});

test.each([
  ['was lost', null],
  ['failed at a proxy in front of the server', answerWith({ status: 502 })],
])('another probe follows if the first one %s', (_title, answer) => {
  const governor = createGovernor(LIMIT);
  complete(governor, granted(governor, 0), answer, 10);
  expect(granted(governor, 10).id).toBe(probeOf(governor));
  expect(waitOf(governor, 10_000)).toBeNull();
});

test('requests of other clients use places until a newer response counts fewer; of two that overlap, the lower one counts', () => {
  const governor = startedWith({ remaining: 200, resetMs: 60_000 });
  const late = granted(governor, 1_000);
  expect(budgetOf(governor, 1_000).remaining).toBe(199);
  complete(governor, granted(governor, 1_100), answerWith({ remaining: 490, resetMs: 60_000 }), 1_200);
  expect(budgetOf(governor, 1_200).remaining).toBe(490);
  complete(governor, late, answerWith({ remaining: 100, resetMs: 60_000 }), 2_000);
  expect(budgetOf(governor, 2_000).remaining).toBe(99);
});

test('a lower limit of the server applies, and a higher limit does not', () => {
  const governor = startedWith({ limit: { requests: 120, windowMs: 60_000 } });
  expect(budgetOf(governor, 0)).toMatchObject({ limit: { requests: 120, windowMs: 60_000 }, remaining: 119 });
  complete(governor, granted(governor, 1_000), answerWith({ limit: { requests: 20_000, windowMs: 3_600_000 } }), 1_000);
  expect(governor.limit).toEqual({ requests: 333, windowMs: 60_000 });
  complete(governor, granted(governor, 5_000), answerWith({ limit: { requests: 900, windowMs: 60_000 } }), 5_000);
  expect(governor.limit).toEqual(LIMIT);
});

test('the rest of a shared quota stays free until a second after the reset, then a probe is sent', () => {
  const governor = startedWith({ remaining: 30, resetMs: 20_000 });
  complete(governor, granted(governor, 500), answerWith({ remaining: 7, resetMs: 20_000 }), 1_000);
  expect(waitOf(governor, 1_000)).toBe(21_000);
  const probe = granted(governor, 22_000);
  expect(probe.id).toBe(probeOf(governor));
  expect(waitOf(governor, 22_000)).toBeNull();
});

test('a late response from before a stop does not prolong the stop', () => {
  const governor = startedWith({ remaining: 20, resetMs: 20_000 });
  const late = granted(governor, 1_000);
  complete(governor, granted(governor, 1_000), answerWith({ remaining: 4, resetMs: 9_000 }), 2_000);
  expect(waitOf(governor, 2_000)).toBe(10_000);
  complete(governor, late, answerWith({ remaining: 5, resetMs: 9_000 }), 5_000);
  expect(waitOf(governor, 5_000)).toBe(7_000);
});

test('a response that leaves too few places does not stop requests while another response is due', () => {
  const governor = startedWith({ remaining: 30, resetMs: 3_000 });
  const [first, second] = [granted(governor, 1_000), granted(governor, 1_500)];
  complete(governor, first, answerWith({ remaining: 3, resetMs: 2_000 }), 2_000);
  expect(waitOf(governor, 2_000)).toBe(3_000);
  complete(governor, second, answerWith({ remaining: 400, resetMs: 60_000 }), 2_100);
  granted(governor, 2_100);
});

test.each([
  ['Retry-After', { retryAfterMs: 30_000, resetMs: 10_000 }, 30_000],
  ['Reset', { retryAfterMs: 5_000, resetMs: 40_000 }, 40_000],
  ['a second without either header', {}, 1_000],
  ['its floor and the jitter', { retryAfterMs: 30_000, jitterMs: 500 }, 30_500],
])('a 429 stops all requests for %s', (_title, changes, waitMs) => {
  const governor = startedWith();
  complete(governor, granted(governor, 10_000), answerWith({ status: 429, ...changes }), 10_000);
  expect(waitOf(governor, 10_000)).toBe(waitMs);
  expect(budgetOf(governor, 10_000).resetMs).toBeGreaterThanOrEqual(waitMs);
});

test('a second 429 never shortens the stop', () => {
  const governor = startedWith();
  const second = granted(governor, 10_000);
  complete(governor, granted(governor, 10_000), answerWith({ status: 429, retryAfterMs: 60_000 }), 10_000);
  complete(governor, second, answerWith({ status: 429, retryAfterMs: 1_000 }), 11_000);
  expect(waitOf(governor, 11_000)).toBe(59_000);
});

test('the place of a request that never ends becomes free after two minutes and a window', () => {
  const governor = startedWith({}, { requests: 2, windowMs: 1_000 });
  granted(governor, 10_000);
  granted(governor, 20_000);
  expect(waitOf(governor, 20_000)).toBe(110_000);
  expect(waitOf(governor, 130_000)).toBe(1_010);
  granted(governor, 131_010);
});

test('an imported governor behaves like the exported one', () => {
  const governor = startedWith({ remaining: 100, resetMs: 60_000, limit: { requests: 400, windowMs: 60_000 } });
  granted(governor, 1_000);
  complete(governor, granted(governor, 2_000), answerWith({ remaining: 98, resetMs: 58_000 }), 2_100);
  const text = JSON.stringify(exportGovernor(governor, atOwnClock(2_100)));
  const state = parseGovernorState(text);
  const copy = state === null ? null : importGovernor(LIMIT, state, 2_100);
  expect(copy).toEqual(governor);
});

const NO_STATES = ['', '{}', '[1]', '{"completedAtMs":[],"unanswered":0,"stoppedUntilMs":0,"kind":"fixed"}'];

test.each(NO_STATES)('a text that is not a state is refused: %j', (text) => {
  expect(parseGovernorState(text)).toBeNull();
});

const take = (governor: Governor, nowMs: number) => exportGovernor(governor, { nowMs, epochMs: 1_000_000 + nowMs });

test.each<[string, number, { nowMs: number; epochMs: number }, ...[atMs: number, remaining: number][]]>([
  ['requests on its own clock', 60_000, { nowMs: 5, epochMs: 1_020_000 }, [5, 100], [41_005, 500]],
  ['those of other clients until the reset', 20_000, { nowMs: 5, epochMs: 1_012_000 }, [9_004, 100], [9_005, 499]],
  ['none for longer after the wall clock was set back', 60_000, { nowMs: 0, epochMs: 0 }, [0, 100], [61_000, 500]],
])('of the former process the next one counts %s', (_, resetMs, clock, ...budgets) => {
  const governor = restoreGovernor(LIMIT, take(startedWith({ remaining: 100, resetMs }), 10_000), clock);
  expect(budgets.map(([atMs]) => [atMs, budgetOf(governor, atMs).remaining])).toEqual(budgets);
});

const SMALL_LIMIT = { requests: 90, windowMs: 60_000 };
const HOUR_MS = 3_600_000;
const YEARS_MS = 57 * 365 * 86_400_000;

/** Returns a governor that is stopped for years. */
const stopped = () => ({
  ...createGovernor(SMALL_LIMIT),
  stoppedUntilMs: YEARS_MS,
  room: { id: 1, requests: 0, untilMs: YEARS_MS },
});

test('a stored stop of more than an hour lasts an hour from the time it is read', () => {
  const shared = importGovernor(SMALL_LIMIT, exportGovernor(stopped(), atOwnClock(1_000)), 1_000);
  expect(waitOf(shared, 1_000)).toBe(HOUR_MS);
  expect(shared.room.untilMs).toBe(1_000 + HOUR_MS);
  const snapshot = exportGovernor(stopped(), { nowMs: 0, epochMs: 1_000_000 });
  const restored = restoreGovernor(SMALL_LIMIT, snapshot, { nowMs: 5, epochMs: 1_000_000 });
  expect(waitOf(restored, 5)).toBe(HOUR_MS);
  granted(restored, 5 + HOUR_MS);
});

test('the limit of a governor that another process stored is the configured one if the server reported none, even if it is higher than the stored one', () => {
  const state = exportGovernor(createGovernor(SMALL_LIMIT), atOwnClock(0));
  const second = { requests: 2, windowMs: 1_000 };
  expect(importGovernor(second, state, 0).limit).toEqual(second);
});

test('the limit of a governor that another process stored is the limit of the server if that is lower, even if the stored limit was lower still', () => {
  const reported = { requests: 100, windowMs: 60_000 };
  const governor = startedWith({ limit: reported }, SMALL_LIMIT);
  expect(governor.limit).toEqual(SMALL_LIMIT);
  const state = exportGovernor(governor, atOwnClock(100));
  expect(importGovernor({ requests: 500, windowMs: 60_000 }, state, 100).limit).toEqual(reported);
});

const FRESH = { limit: LIMIT, remaining: 500, resetMs: 0 };

test.each([
  ['one request', 1, FRESH, 120],
  ['ten windows of requests', 5_000, FRESH, 600_000],
  ['ten windows of requests after a stop', 5_000, { ...FRESH, remaining: 80, resetMs: 50_000 }, 600_000],
  ['a few requests after a fully used window', 10, { ...FRESH, remaining: 0, resetMs: 60_000 }, 1_200],
  ['half of the used requests', 250, { ...FRESH, remaining: 0, resetMs: 60_000 }, 30_000],
  ['as many requests as are free, whatever the reset', 100, { ...FRESH, remaining: 100, resetMs: 60_000 }, 12_000],
  ['all requests of a small limit', 2, { limit: { ...LIMIT, requests: 2 }, remaining: 0, resetMs: 60_500 }, 60_500],
])('the time to send %s follows from the limit', (_what, requests, budget, expectedMs) => {
  expect(timeToSendMs(requests, budget)).toBe(expectedMs);
});
