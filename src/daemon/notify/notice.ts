import type { LinkState } from '../../core/state/rows.ts';
import { createHmac } from 'node:crypto';
import { withoutRemoteWords } from '../../engine/events.ts';
import type { News } from './news.ts';

/** What a receiver is sent; the JSON that it gets has these keys. Times are ISO 8601. */
export type Notice = {
  /** The same however often one notice has to be sent. */
  readonly id: string;
  readonly event: `link.${News}` | 'test';
  /** Null in a test. */
  readonly link: string | null;
  /** The trouble that the receiver was told of before; null where it was told of none. */
  readonly from: LinkState['told']['trouble'];
  /** Why the link stands so, as `status` says it; null where nothing is wrong. */
  readonly reason: string | null;
  readonly at: string;
  /** All of it as a sentence for people. */
  readonly text: string;
};

/** How a receiver wants its notices: with every key, or as Slack and its kin take them. */
export type NoticeFormat = 'json' | 'slack';

type Sending = { readonly id: string; readonly nowMs: number };

const sentenceOf = (news: News, { name, told }: LinkState, reason: string | null): string => {
  const why = reason ?? 'the reason is unknown.';
  switch (news) {
    case 'halted':
    case 'paused':
      return `The link ${name} is ${news}: ${why}`;
    case 'failing': {
      const stop = /[.!?]$/u.test(why) ? '' : '.';
      return `The link ${name} has been failing for an hour or longer: ${why}${stop} Find out more with: contact-sync doctor ${name}`;
    }
    case 'recovered':
      return `The link ${name} recovered; it was ${told.trouble ?? 'in trouble'} before.`;
  }
};

/** The notice of what there is to tell of a link. A remote's own words are in it only where personal data may be. */
export const noticeOf = (
  news: News,
  link: LinkState,
  { id, nowMs, personalData }: Sending & { readonly personalData: boolean },
): Notice => {
  const said = news === 'recovered' ? null : link.reason;
  const reason = personalData ? said : withoutRemoteWords(said);
  return {
    id,
    event: `link.${news}`,
    link: link.name,
    from: link.told.trouble,
    reason,
    at: new Date(nowMs).toISOString(),
    text: sentenceOf(news, link, reason),
  };
};

/** The notice by which somebody finds out whether notices arrive. */
export const testNotice = ({ id, nowMs }: Sending): Notice => ({
  id,
  event: 'test',
  link: null,
  from: null,
  reason: null,
  at: new Date(nowMs).toISOString(),
  text: 'A test by contact-sync: what is to be known of its links arrives here.',
});

/** Slack's text has three signs with a meaning (docs.slack.dev/messaging/formatting-message-text, Escaping text). */
const escapeForSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The request's body. */
export const bodyOf = (notice: Notice, format: NoticeFormat): string =>
  JSON.stringify(format === 'slack' ? { text: escapeForSlack(notice.text) } : notice);

/** The headers by which a receiver knows who sent a body, and when: the signature covers `<timestamp>.<body>`. */
export const signatureOf = (secret: string, body: string, nowMs: number): Readonly<Record<string, string>> => {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return { 'contact-sync-timestamp': timestamp, 'contact-sync-signature': `v1=${signature}` };
};

type Options = { readonly retry: 'soon' | 'never'; readonly retryAfterMs?: number | null; readonly cause?: unknown };

/** A notice that the receiver did not take. The message names the receiver by its host. */
export class NotDeliveredError extends Error {
  /** Whether it may take the same notice later. */
  readonly retry: 'soon' | 'never';
  /** The floor that the receiver set for the next attempt, in milliseconds. */
  readonly retryAfterMs: number | null;

  constructor(message: string, { retry, retryAfterMs = null, cause }: Options) {
    super(message, { cause });
    this.name = 'NotDeliveredError';
    this.retry = retry;
    this.retryAfterMs = retryAfterMs;
  }
}
