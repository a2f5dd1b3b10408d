import { describe, expect, test } from 'vitest';
import type { LinkState, LinkStateName, NotificationState } from '../../../../src/core/state/rows.ts';
import { nextNotification } from '../../../../src/daemon/notify/next-notification.ts';
import { notificationOf } from '../../../../src/daemon/notify/webhook.ts';
import { newState, NO_NOTIFICATION } from '../../../support/store/rows.ts';

const link = (patch: Partial<LinkState>): LinkState => ({ ...newState('home'), ...patch });

const HOUR = 'has been failing for an hour or longer: No answer. Find out more with: contact-sync doctor home';

test.each([
  ['halted', 'Too much would go.', null, 'is halted: Too much would go.'],
  ['paused', 'Sign in again', null, 'is paused: Sign in again'],
  ['failing', 'No answer', 'halted', HOUR],
  ['recovered', null, 'failing', 'recovered; it was failing before.'],
] as const)('a notification has the event %s, the link, the reason and a sentence', (news, reason, trouble, text) => {
  const notificationState = { trouble, failingSinceMs: null };
  const expected = { event: `link.${news}`, link: 'home', reason, text: `The link home ${text}` };
  expect(notificationOf(news, link({ reason, notificationState }), false)).toEqual(expected);
});

test('the message of a remote is sent only if personal data is allowed', () => {
  const state = link({ state: 'failing', reason: 'The service refused it (422) saying "Ada Lovelace is taken"' });
  const quiet = notificationOf('failing', state, false);
  expect(quiet.reason).toBe('The service refused it (422)');
  expect(JSON.stringify(quiet)).not.toContain('Ada');
  const talkative = notificationOf('failing', state, true);
  expect(talkative.reason).toContain('Ada Lovelace');
  expect(talkative.text).toContain('Ada Lovelace');
});

test('a text cannot address the members of a channel', () => {
  const { text } = notificationOf('halted', link({ state: 'halted', reason: '<!channel> & more' }), false);
  expect(text).toBe('The link home is halted: ‹!channel› & more');
});

const HOUR_MS = 3_600_000;
const NOW_MS = 10 * HOUR_MS;

const notified = (trouble: NotificationState['trouble'], failingSinceMs: number | null = null): NotificationState => ({
  ...NO_NOTIFICATION,
  trouble,
  failingSinceMs,
});

test.each<[before: NotificationState['trouble'], state: LinkStateName, kind: string | null]>([
  [null, 'active', null],
  [null, 'resuming', null],
  [null, 'halted', 'halted'],
  [null, 'paused', 'paused'],
  [null, 'failing', null],
  ['halted', 'halted', null],
  ['halted', 'paused', 'paused'],
  ['halted', 'failing', null],
  ['halted', 'active', 'recovered'],
  ['paused', 'paused', null],
  ['paused', 'resuming', null],
  ['paused', 'halted', 'halted'],
  ['paused', 'active', 'recovered'],
  ['failing', 'failing', null],
  ['failing', 'halted', 'halted'],
  ['failing', 'active', 'recovered'],
])('after a notification of %s, a link that is %s has the notification %s', (before, state, kind) => {
  const found = nextNotification(notified(before), state, NOW_MS);
  expect(found.kind).toBe(kind);
  expect(found.after.trouble).toBe(kind === null ? before : kind === 'recovered' ? null : kind);
});

describe('a link that fails', () => {
  test('is reported when it has failed for an hour, and not earlier', () => {
    const { after } = nextNotification(NO_NOTIFICATION, 'failing', NOW_MS);
    expect(after).toEqual(notified(null, NOW_MS));
    expect(nextNotification(after, 'failing', NOW_MS + HOUR_MS - 1)).toEqual({ kind: null, after });
    const later = nextNotification(after, 'failing', NOW_MS + HOUR_MS);
    expect(later).toEqual({ kind: 'failing', after: notified('failing', NOW_MS) });
    expect(nextNotification(later.after, 'failing', NOW_MS + 9 * HOUR_MS).kind).toBeNull();
  });

  test('starts a new hour after a completed run', () => {
    const { after } = nextNotification(notified(null, NOW_MS), 'active', NOW_MS + 1);
    expect(after).toEqual(NO_NOTIFICATION);
    expect(nextNotification(after, 'failing', NOW_MS + 2 * HOUR_MS).kind).toBeNull();
  });

  test('keeps the earlier notification: the same halt is not reported again after an outage', () => {
    const { after } = nextNotification(notified('halted'), 'failing', NOW_MS);
    expect(nextNotification(after, 'halted', NOW_MS + 1).kind).toBeNull();
    expect(nextNotification(after, 'failing', NOW_MS + HOUR_MS).kind).toBe('failing');
  });

  test('counts from now if its stored start is in the future', () => {
    expect(nextNotification(notified(null, NOW_MS + 9 * HOUR_MS), 'failing', NOW_MS)).toEqual({
      kind: null,
      after: notified(null, NOW_MS),
    });
  });
});
