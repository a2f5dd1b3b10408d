import { expect, test } from 'vitest';
import { createAllowances, networkOf } from '../../../../src/daemon/console/rate-limits.ts';
import { createSessions } from '../../../../src/daemon/console/sessions.ts';
import { createPassChecker, makePass, signInLink } from '../../../../src/daemon/console/sign-in-link.ts';
import { createVirtualClock } from '../../../support/clocks.ts';

const HOUR_MS = 3_600_000;
const ALL = { link: null, isValid: () => true };

const secrets = () => {
  let made = 0;
  return () => `secret-${(made += 1)}`;
};

test('a pass is valid once, for five minutes, and only for the daemon with its key', () => {
  const usePass = createPassChecker('key');
  const pass = makePass({ key: 'key' }, { nowMs: 0, id: 'one', link: null });
  expect(usePass(pass, 5 * 60_000 + 1)).toBeNull();
  expect(createPassChecker('other')(pass, 0)).toBeNull();
  expect(usePass(pass, 5 * 60_000)).toEqual({ link: null });
  expect(usePass(pass, 0)).toBeNull();
  const ofLink = makePass({ key: 'key' }, { nowMs: 0, id: 'two', link: 'work' });
  // The signature covers the link of the pass.
  expect(usePass(ofLink.replace('.work.', '.home.'), 0)).toBeNull();
  expect(usePass(ofLink.replace('.work.', '.'), 0)).toBeNull();
  expect(usePass(ofLink, 0)).toEqual({ link: 'work' });
});

test.each([
  ['127.0.0.1:8377', 'http://127.0.0.1:8377/sign-in?pass=p'],
  ['0.0.0.0:8377', 'http://127.0.0.1:8377/sign-in?pass=p'],
  ['[::]:8377', 'http://127.0.0.1:8377/sign-in?pass=p'],
  ['[::1]:8377', 'http://[::1]:8377/sign-in?pass=p'],
])('the sign-in link of a page at %s has an address that a browser can open', (address, link) => {
  expect(signInLink({ address }, 'p')).toBe(link);
});

test('a session ends after twelve hours, and with its credential', () => {
  const clock = createVirtualClock();
  const sessions = createSessions(clock, secrets());
  const first = sessions.open(ALL);
  clock.advance(12 * HOUR_MS);
  expect(sessions.find(first.id)).toBe(first);
  clock.advance(1);
  expect(sessions.find(first.id)).toBeNull();
  let isValid = true;
  const guest = sessions.open({ link: 'work', isValid: () => isValid });
  expect(sessions.find(guest.id)).toBe(guest);
  isValid = false;
  expect(sessions.find(guest.id)).toBeNull();
});

test('a used allowance refills over time, up to its burst', () => {
  const clock = createVirtualClock();
  const mayClient = createAllowances(clock, { burst: 3, perSecond: 2 });
  const isAllowed = () => mayClient('a');
  expect([1, 2, 3, 4].map(() => isAllowed())).toEqual([true, true, true, false]);
  clock.advance(1_000);
  expect([1, 2, 3].map(() => isAllowed())).toEqual([true, true, false]);
  clock.advance(HOUR_MS);
  expect([1, 2, 3, 4].map(() => isAllowed())).toEqual([true, true, true, false]);
});

test('each key has its own allowance, and the least recently used key is evicted when there are too many keys', () => {
  const isAllowed = createAllowances(createVirtualClock(), { burst: 1, perSecond: 0 }, 2);
  expect(['a', 'a', 'b', 'b', 'a'].map((key) => isAllowed(key))).toEqual([true, false, true, false, false]);
  expect(['c', 'a', 'b'].map((key) => isAllowed(key))).toEqual([true, false, true]);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:DB8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::9', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['', ''],
])('the client of address %j is %j: an IPv6 client is identified by its /64 network', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
