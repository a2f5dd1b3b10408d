import type { Config } from '../../app/config/config.ts';
import type { LinkState, NotificationState } from '../../core/state/rows.ts';
import { createHmac } from 'node:crypto';
import { withoutRemoteWords } from '../../engine/events.ts';
import type { NotificationKind } from './next-notification.ts';

/** A notification. The JSON for the receiver has these keys. Times are ISO 8601. */
type Notification = {
  /** Equal in all attempts to send one notification. */
  readonly id: string;
  readonly event: `link.${NotificationKind}` | 'test';
  /** Null for a test. */
  readonly link: string | null;
  /** The problem that was reported last; null for none. */
  readonly from: NotificationState['trouble'];
  /** The reason, as in `status`; null without a problem. */
  readonly reason: string | null;
  readonly at: string;
  /** The notification as a sentence. */
  readonly text: string;
};

type Identity = { readonly id: string; readonly nowMs: number };

const sentenceOf = (kind: NotificationKind, { name, notificationState }: LinkState, reason: string | null): string => {
  const why = reason ?? 'the reason is unknown.';
  switch (kind) {
    case 'halted':
    case 'paused':
      return `The link ${name} is ${kind}: ${why}`;
    case 'failing': {
      const stop = /[.!?]$/u.test(why) ? '' : '.';
      return `The link ${name} has been failing for an hour or longer: ${why}${stop} Find out more with: contact-sync doctor ${name}`;
    }
    case 'recovered':
      return `The link ${name} recovered; it was ${notificationState.trouble ?? 'in trouble'} before.`;
  }
};

/** The notification about a link. It contains texts of a remote only if personal data is allowed. */
export const notificationOf = (
  kind: NotificationKind,
  link: LinkState,
  { id, nowMs, personalData }: Identity & { readonly personalData: boolean },
): Notification => {
  const text = kind === 'recovered' ? null : link.reason;
  const reason = personalData ? text : withoutRemoteWords(text);
  return {
    id,
    event: `link.${kind}`,
    link: link.name,
    from: link.notificationState.trouble,
    reason,
    at: new Date(nowMs).toISOString(),
    text: sentenceOf(kind, link, reason),
  };
};

/** The notification of `notify --test`. */
export const testNotification = ({ id, nowMs }: Identity): Notification => ({
  id,
  event: 'test',
  link: null,
  from: null,
  reason: null,
  at: new Date(nowMs).toISOString(),
  text: 'A test by contact-sync: what is to be known of its links arrives here.',
});

/** Escapes the three control characters of Slack (docs.slack.dev/messaging/formatting-message-text, Escaping text). */
const escapeForSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The body of the request. */
export const webhookBody = (notification: Notification, format: Config['notifyFormat']): string =>
  JSON.stringify(format === 'slack' ? { text: escapeForSlack(notification.text) } : notification);

/** The headers with the time and the signature of a body. The signature covers `<timestamp>.<body>`. */
export const signatureOf = (secret: string, body: string, nowMs: number): Readonly<Record<string, string>> => {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return { 'contact-sync-timestamp': timestamp, 'contact-sync-signature': `v1=${signature}` };
};

type NotDeliveredOptions = {
  readonly retry: 'soon' | 'never';
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
};

/** The receiver did not accept a notification. The message contains the host of the receiver. */
export class NotDeliveredError extends Error {
  /** Whether the same notification may be accepted later. */
  readonly retry: 'soon' | 'never';
  /** The shortest time until the next attempt that the receiver requested, in milliseconds. */
  readonly retryAfterMs: number | null;

  constructor(message: string, { retry, retryAfterMs = null, cause }: NotDeliveredOptions) {
    super(message, { cause });
    this.name = 'NotDeliveredError';
    this.retry = retry;
    this.retryAfterMs = retryAfterMs;
  }
}
