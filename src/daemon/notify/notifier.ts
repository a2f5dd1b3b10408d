import type { Config } from '../../app/config/config.ts';
import { underLease } from '../../engine/change-link.ts';
import { LeaseError } from '../../engine/errors.ts';
import type { Events } from '../../app/events.ts';
import type { LeaseParts } from '../../engine/lease.ts';
import { errorMessage } from '../../util/errors.ts';
import { nextNotification } from './next-notification.ts';

export type NotifierParts = LeaseParts & { readonly events: Events };

const [CHECK_EVERY_MS, CHECK_AFTER_FAILURE_MS] = [30_000, 300_000];
const REMEDY = 'Find out more with: contact-sync doctor --notify';

/** The notification that is due for a link. One that is paused by hand is not reported: a problem that remains is, after the pause. */
const dueFor = async ({ clock, store }: NotifierParts, name: string) => {
  const link = await store.link(name);
  const { notificationState: before, pausedByHandAtMs } = link;
  const due = nextNotification(before, link.state, clock.now());
  return { link, before, ...(pausedByHandAtMs === null ? due : { kind: null, after: before }) };
};

/**
 * Creates a check that sends the due notifications of these links and returns the milliseconds until the next check. It never
 * throws: a notification that was not delivered is sent by the next check. Null without NOTIFY_URL.
 */
export const createNotifier = (
  { notifyUrl, logPersonalData }: Config,
  parts: NotifierParts,
): ((links: readonly string[]) => Promise<number>) | null => {
  if (notifyUrl === null) return null;
  const { clock, events, store } = parts;
  const url = notifyUrl.reveal();
  const { host } = new URL(url);
  /** The last error, so that it is logged once. */
  let trouble: string | null = null;
  /** The link that was tried last. The next check starts after it, so that it does not block the others. */
  let last: string | null = null;
  /** Sends the notification that is due, and stores that it was sent: if the process dies before, another one sends it. */
  const send = async (name: string): Promise<void> => {
    const { kind, link, before, after } = await dueFor(parts, name);
    if (kind === null) return;
    const { deliver, notificationOf } = await import('./webhook.ts');
    await deliver(url, notificationOf(kind, link, logPersonalData), clock);
    await store.swapNotificationState(name, before, after);
    events.notificationSent({ link: name, news: kind, host });
  };
  /** Sends the notification that is due for a link. Of all processes with this store, the one that has the lease sends it. */
  const notifyLink = async (name: string): Promise<void> => {
    const { kind, before, after } = await dueFor(parts, name);
    if (kind !== null) {
      await underLease(parts, name, () => send(name)).catch((error: unknown) => {
        // The next check sends it, unless the other process does, or its run ends the problem.
        if (!(error instanceof LeaseError)) throw error;
      });
    } else if (before.failingSinceMs !== after.failingSinceMs) await store.swapNotificationState(name, before, after);
  };
  return async (links) => {
    const first = last === null ? 0 : links.indexOf(last) + 1;
    try {
      for (const link of [...links.slice(first), ...links.slice(0, first)]) {
        last = link;
        await notifyLink(link);
      }
      [last, trouble] = [null, null];
      return CHECK_EVERY_MS;
    } catch (error) {
      const reason = errorMessage(error);
      if (reason !== trouble) events.notificationFailed({ host, reason, remedy: REMEDY });
      trouble = reason;
      return CHECK_AFTER_FAILURE_MS;
    }
  };
};
