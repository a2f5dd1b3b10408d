import type { Config } from '../../app/config/config.ts';
import type { LinkState, NotificationState } from '../../core/state/rows.ts';
import type { Events } from '../../engine/events.ts';
import type { Store } from '../../store/store.ts';
import { bodyOf, noticeOf, testNotice, type NoticeFormat } from './notice.ts';
import { newsOf, type News } from './news.ts';
import type { ReceiverAnswer, WebhookOptions } from './webhook.ts';

export type NotifierOptions = WebhookOptions & {
  readonly format: NoticeFormat;
  /** Whether a remote's own words may be in a notice. */
  readonly personalData: boolean;
  readonly store: Store;
  readonly events: Events;
  readonly newId: () => string;
};

/** Tells a receiver how links stand. */
export type Notifier = {
  /** The receiver, as it may be shown: its host. */
  readonly host: string;
  /**
   * Tells what there is to tell of the links, by name, each thing once, whichever process of this store does. Answers after
   * how many milliseconds to look again. Never throws: what was not taken is told the next time.
   */
  tell(links: readonly string[], signal: AbortSignal): Promise<number>;
  /** Sends a test, once. Throws a `NotDeliveredError`, or the signal's reason. */
  test(signal: AbortSignal): Promise<ReceiverAnswer>;
};

const LOOK_EVERY_MS = 30_000;
/** A receiver that took nothing is left alone for a while. */
const LOOK_AGAIN_MS = 5 * 60_000;

/** Longer than a delivery takes with all its attempts. */
const CLAIM_MS = 60_000;

/** Whether another process tells the receiver something at the moment. */
const isClaimed = ({ claimedUntilMs }: NotificationState, nowMs: number): boolean => {
  // One that lasts longer than any was made by a clock that was wrong.
  return claimedUntilMs !== null && claimedUntilMs > nowMs && claimedUntilMs <= nowMs + CLAIM_MS;
};

/** What this process could not tell of each link, by name: a receiver may have taken it although no answer said so. */
type Outstanding = Map<string, { readonly news: News; readonly id: string }>;

type Telling = { readonly outstanding: Outstanding; readonly signal: AbortSignal };

const deliverNotice = async (
  options: NotifierOptions,
  news: News,
  link: LinkState,
  { outstanding, signal }: Telling,
): Promise<void> => {
  const { clock, format, newId, personalData } = options;
  const { deliver } = await import('./webhook.ts');
  const known = outstanding.get(link.name);
  const id = known?.news === news ? known.id : newId();
  outstanding.set(link.name, { news, id });
  const notice = noticeOf(news, link, { id, nowMs: clock.now(), personalData });
  await deliver(options, bodyOf(notice, format), signal);
};

/** Tells what there is to tell of one link; throws what keeps it from being told. */
const tellLink = async (options: NotifierOptions, name: string, telling: Telling): Promise<void> => {
  const { clock, events, store, url } = options;
  const link = await store.link(name);
  const { told } = link;
  // Whoever paused it knows how it stands; what still holds when it goes on is told then.
  if (link.pausedByHandAtMs !== null) return;
  const nowMs = clock.now();
  if (isClaimed(told, nowMs)) return;
  const { news, after } = newsOf(told, link.state, nowMs);
  if (news === null) {
    telling.outstanding.delete(name);
    const isNew = told.failingSinceMs !== after.failingSinceMs || told.claimedUntilMs !== null;
    if (isNew) await store.swapNotificationState(name, told, after);
    return;
  }
  const claimed = { ...told, claimedUntilMs: nowMs + CLAIM_MS };
  if (!(await store.swapNotificationState(name, told, claimed))) return;
  let known: NotificationState = { ...told, claimedUntilMs: null };
  try {
    await deliverNotice(options, news, link, telling);
    known = after;
    events.notificationSent({ link: name, news, host: new URL(url).host });
  } finally {
    await store.swapNotificationState(name, claimed, known);
  }
  telling.outstanding.delete(name);
};

/** The links in their order, beginning behind that one. */
const behind = (links: readonly string[], link: string | null): readonly string[] => {
  const first = link === null ? 0 : links.indexOf(link) + 1;
  return [...links.slice(first), ...links.slice(0, first)];
};

/** A notifier for one receiver. What sends requests is loaded when there is something to send. */
export const createNotifier = (options: NotifierOptions): Notifier => {
  const { clock, events, format, newId, url } = options;
  const { host } = new URL(url);
  /** What kept the receiver from being told the last time, so that it is logged once. */
  let trouble: string | null = null;
  /** The link that was come to last: one of which nothing is taken holds up no other for good. */
  let last: string | null = null;
  const outstanding: Outstanding = new Map();
  return {
    host,
    tell: async (links, signal) => {
      try {
        for (const link of behind(links, last)) {
          last = link;
          if (!signal.aborted) await tellLink(options, link, { outstanding, signal });
        }
        last = null;
        trouble = null;
        return LOOK_EVERY_MS;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (!signal.aborted && reason !== trouble) {
          trouble = reason;
          events.notificationFailed({ host, reason, remedy: 'Find out more with: contact-sync notify --test' });
        }
        return LOOK_AGAIN_MS;
      }
    },
    test: async (signal) => {
      const { deliverOnce } = await import('./webhook.ts');
      return deliverOnce(options, bodyOf(testNotice({ id: newId(), nowMs: clock.now() }), format), signal);
    },
  };
};

/** Opens the webhook of the configuration. Returns null if NOTIFY_URL is not set. */
export const openNotifier = (
  { notifyUrl, notifySecret, notifyFormat: format, logPersonalData: personalData }: Config,
  parts: Pick<NotifierOptions, 'store' | 'events' | 'clock' | 'random' | 'newId'>,
): Notifier | null => {
  if (notifyUrl === null) return null;
  const secret = notifySecret?.reveal() ?? null;
  return createNotifier({ ...parts, url: notifyUrl.reveal(), secret, format, personalData });
};
