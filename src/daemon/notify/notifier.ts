import type { Config } from '../../app/config/config.ts';
import type { LinkState, NotificationState } from '../../core/state/rows.ts';
import type { Events } from '../../engine/events.ts';
import type { Store } from '../../store/store.ts';
import { webhookBody, notificationOf, testNotification } from './notification.ts';
import { nextNotification, type NotificationKind } from './next-notification.ts';
import type { ReceiverAnswer, WebhookOptions } from './webhook.ts';
import { errorMessage } from '../../util/errors.ts';

export type NotifierOptions = WebhookOptions & {
  readonly format: Config['notifyFormat'];
  /** Whether a notification may contain texts of a remote. */
  readonly personalData: boolean;
  readonly store: Store;
  readonly events: Events;
  readonly newId: () => string;
};

/** Notifies a receiver about problems of links. */
export type Notifier = {
  /** The host of the receiver, which may be shown. */
  readonly host: string;
  /**
   * Sends the notifications that are due for these links. Of all processes with this store, one sends each notification.
   * Returns the milliseconds until the next call. Never throws: a failed notification is sent by the next call.
   */
  notify(links: readonly string[], signal: AbortSignal): Promise<number>;
  /** Sends a test, once. Throws a `NotDeliveredError`, or the signal's reason. */
  test(signal: AbortSignal): Promise<ReceiverAnswer>;
};

const CHECK_EVERY_MS = 30_000;
/** The pause after a failed delivery. */
const CHECK_AFTER_FAILURE_MS = 5 * 60_000;

/** The duration of a claim. It is longer than a delivery with all its attempts. */
const CLAIM_MS = 60_000;

/** Whether another process is sending a notification about the link. */
const isClaimed = ({ claimedUntilMs }: NotificationState, nowMs: number): boolean => {
  // A claim that ends too late was made with a wrong clock.
  return claimedUntilMs !== null && claimedUntilMs > nowMs && claimedUntilMs <= nowMs + CLAIM_MS;
};

/** The notification of each link without a confirmed delivery, by the name of the link. The receiver may have accepted it. */
type Outstanding = Map<string, { readonly kind: NotificationKind; readonly id: string }>;

type Delivery = { readonly outstanding: Outstanding; readonly signal: AbortSignal };

const deliverNotification = async (
  options: NotifierOptions,
  kind: NotificationKind,
  link: LinkState,
  { outstanding, signal }: Delivery,
): Promise<void> => {
  const { clock, format, newId, personalData } = options;
  const { deliver } = await import('./webhook.ts');
  const known = outstanding.get(link.name);
  const id = known?.kind === kind ? known.id : newId();
  outstanding.set(link.name, { kind, id });
  const notification = notificationOf(kind, link, { id, nowMs: clock.now(), personalData });
  await deliver(options, webhookBody(notification, format), signal);
};

/** Sends the notification that is due for a link. Throws if it is not delivered. */
const notifyLink = async (options: NotifierOptions, name: string, delivery: Delivery): Promise<void> => {
  const { clock, events, store, url } = options;
  const link = await store.link(name);
  const { notificationState: before } = link;
  // A link that is paused by hand is not reported. A problem that remains is reported after the pause.
  if (link.pausedByHandAtMs !== null) return;
  const nowMs = clock.now();
  if (isClaimed(before, nowMs)) return;
  const { kind, after } = nextNotification(before, link.state, nowMs);
  if (kind === null) {
    delivery.outstanding.delete(name);
    const isNew = before.failingSinceMs !== after.failingSinceMs || before.claimedUntilMs !== null;
    if (isNew) await store.swapNotificationState(name, before, after);
    return;
  }
  const claimed = { ...before, claimedUntilMs: nowMs + CLAIM_MS };
  if (!(await store.swapNotificationState(name, before, claimed))) return;
  let known: NotificationState = { ...before, claimedUntilMs: null };
  try {
    await deliverNotification(options, kind, link, delivery);
    known = after;
    events.notificationSent({ link: name, news: kind, host: new URL(url).host });
  } finally {
    await store.swapNotificationState(name, claimed, known);
  }
  delivery.outstanding.delete(name);
};

/** The links in order, starting after `link`. */
const startingAfter = (links: readonly string[], link: string | null): readonly string[] => {
  const first = link === null ? 0 : links.indexOf(link) + 1;
  return [...links.slice(first), ...links.slice(0, first)];
};

/** Creates a notifier for one receiver. The HTTP client is loaded with the first notification. */
export const createNotifier = (options: NotifierOptions): Notifier => {
  const { clock, events, format, newId, url } = options;
  const { host } = new URL(url);
  /** The last error, so that it is logged once. */
  let trouble: string | null = null;
  /** The link that was tried last. The next call starts after it, so that a failing link does not block the others. */
  let last: string | null = null;
  const outstanding: Outstanding = new Map();
  return {
    host,
    notify: async (links, signal) => {
      try {
        for (const link of startingAfter(links, last)) {
          last = link;
          if (!signal.aborted) await notifyLink(options, link, { outstanding, signal });
        }
        last = null;
        trouble = null;
        return CHECK_EVERY_MS;
      } catch (error) {
        const reason = errorMessage(error);
        if (!signal.aborted && reason !== trouble) {
          trouble = reason;
          events.notificationFailed({ host, reason, remedy: 'Find out more with: contact-sync notify --test' });
        }
        return CHECK_AFTER_FAILURE_MS;
      }
    },
    test: async (signal) => {
      const { deliverOnce } = await import('./webhook.ts');
      return deliverOnce(options, webhookBody(testNotification({ id: newId(), nowMs: clock.now() }), format), signal);
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
