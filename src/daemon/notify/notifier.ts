import type { Config } from '../../app/config/config.ts';
import type { Events } from '../../engine/events.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../../util/clock.ts';
import { errorMessage } from '../../util/errors.ts';
import { nextNotification } from './next-notification.ts';

export type NotifierParts = { readonly store: Store; readonly events: Events; readonly clock: Clock };

const [CHECK_EVERY_MS, CHECK_AFTER_FAILURE_MS] = [30_000, 300_000];
const REMEDY = 'Find out more with: contact-sync doctor --notify';

/** Sends the notification that is due for a link. Of all processes with this store, the one that replaces its state sends it. */
const notifyLink = async (config: Config, url: string, parts: NotifierParts, name: string): Promise<void> => {
  const { clock, events, store } = parts;
  const link = await store.link(name);
  const { notificationState: before } = link;
  // A link that is paused by hand is not reported. A problem that remains is reported after the pause.
  if (link.pausedByHandAtMs !== null) return;
  const { kind, after } = nextNotification(before, link.state, clock.now());
  if (kind === null && before.failingSinceMs === after.failingSinceMs) return;
  if (!(await store.swapNotificationState(name, before, after)) || kind === null) return;
  try {
    const { deliver, notificationOf } = await import('./webhook.ts');
    await deliver(url, notificationOf(kind, link, config.logPersonalData), clock);
  } catch (error) {
    await store.swapNotificationState(name, after, before);
    throw error;
  }
  events.notificationSent({ link: name, news: kind, host: new URL(url).host });
};

/**
 * Creates a check that sends the due notifications of these links and returns the milliseconds until the next check. It never
 * throws: a notification that was not delivered is sent by the next check. Null without NOTIFY_URL.
 */
export const createNotifier = (
  config: Config,
  parts: NotifierParts,
): ((links: readonly string[]) => Promise<number>) | null => {
  if (config.notifyUrl === null) return null;
  const url = config.notifyUrl.reveal();
  /** The last error, so that it is logged once. */
  let trouble: string | null = null;
  /** The link that was tried last. The next check starts after it, so that it does not block the others. */
  let last: string | null = null;
  return async (links) => {
    const first = last === null ? 0 : links.indexOf(last) + 1;
    try {
      for (const link of [...links.slice(first), ...links.slice(0, first)]) {
        last = link;
        await notifyLink(config, url, parts, link);
      }
      [last, trouble] = [null, null];
      return CHECK_EVERY_MS;
    } catch (error) {
      const reason = errorMessage(error);
      if (reason !== trouble) parts.events.notificationFailed({ host: new URL(url).host, reason, remedy: REMEDY });
      trouble = reason;
      return CHECK_AFTER_FAILURE_MS;
    }
  };
};
