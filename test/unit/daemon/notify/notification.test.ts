import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type LinkState,
  type LinkStateName,
  NO_NOTIFICATION,
  type NotificationState,
} from '../../../../src/core/state/rows.ts';
import { nextNotification } from '../../../../src/daemon/notify/next-notification.ts';
import {
  notificationOf,
  signatureOf,
  testNotification,
  webhookBody,
} from '../../../../src/daemon/notify/notification.ts';
import { newState } from '../../../support/store/rows.ts';

const SENDING = { id: 'n1', nowMs: Date.UTC(2026, 10, 22, 12), personalData: false };

const AT = '2026-11-22T12:00:00.000Z';

const link = (patch: Partial<LinkState>): LinkState => ({ ...newState('home'), ...patch });

test('a notification contains the event, the link, the reason and the time', () => {
  const notice = notificationOf('halted', link({ state: 'halted', reason: 'Too much would go.' }), SENDING);
  expect(JSON.parse(webhookBody(notice, 'json'))).toEqual({
    id: 'n1',
    event: 'link.halted',
    link: 'home',
    from: null,
    reason: 'Too much would go.',
    at: AT,
    text: 'The link home is halted: Too much would go.',
  });
});

test.each([
  ['paused', 'Sign in again', null, 'The link home is paused: Sign in again'],
  [
    'failing',
    'No answer',
    'halted',
    'The link home has been failing for an hour or longer: No answer. Find out more with: contact-sync doctor home',
  ],
  ['recovered', null, 'failing', 'The link home recovered; it was failing before.'],
] as const)('the text of the event %s is a sentence', (news, reason, trouble, text) => {
  const notificationState = { trouble, failingSinceMs: null, claimedUntilMs: null };
  const notice = notificationOf(news, link({ reason, notificationState }), SENDING);
  expect(notice).toMatchObject({ event: `link.${news}`, from: trouble, reason, text });
});

test('the message of a remote is sent only if personal data is allowed', () => {
  const state = link({ state: 'failing', reason: 'The service refused it (422) saying "Ada Lovelace is taken"' });
  const quiet = notificationOf('failing', state, SENDING);
  expect(quiet.reason).toBe('The service refused it (422)');
  expect(JSON.stringify(quiet)).not.toContain('Ada');
  const talkative = notificationOf('failing', state, { ...SENDING, personalData: true });
  expect(talkative.reason).toContain('Ada Lovelace');
  expect(talkative.text).toContain('Ada Lovelace');
});

test('the body for Slack contains only a text, with control characters escaped', () => {
  const notice = notificationOf('halted', link({ state: 'halted', reason: '<!channel> & more' }), SENDING);
  expect(JSON.parse(webhookBody(notice, 'slack'))).toEqual({
    text: 'The link home is halted: &lt;!channel&gt; &amp; more',
  });
  expect(Object.keys(JSON.parse(webhookBody(testNotification(SENDING), 'slack')) as object)).toEqual(['text']);
});

describe('a signature', () => {
  test('is an HMAC-SHA256 over the time in seconds, a dot and the body', () => {
    const { 'contact-sync-timestamp': timestamp, ...rest } = signatureOf('the-secret', '{"a":1}', SENDING.nowMs + 999);
    expect(timestamp).toBe(String(SENDING.nowMs / 1000));
    const expected = createHmac('sha256', 'the-secret')
      .update(`${SENDING.nowMs / 1000}.{"a":1}`)
      .digest('hex');
    expect(rest).toEqual({ 'contact-sync-signature': `v1=${expected}` });
  });

  test('differs for another time, another body and another secret', () => {
    const sign = (...of: Parameters<typeof signatureOf>) => signatureOf(...of)['contact-sync-signature'];
    const all = [
      sign('s', 'body', 1_000),
      sign('s', 'body', 2_000),
      sign('s', 'other', 1_000),
      sign('t', 'body', 1_000),
    ];
    expect(new Set(all).size).toBe(4);
  });
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
