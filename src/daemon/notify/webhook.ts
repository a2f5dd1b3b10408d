import type { LinkState } from '../../core/state/rows.ts';
import { withoutRemoteWords } from '../../app/events.ts';
import { CutOffError } from '../../net/exchange.ts';
import { createTransport, openAgent } from '../../net/transport.ts';
import type { Clock } from '../../util/clock.ts';
import { errorCode, errorMessage } from '../../util/errors.ts';
import type { NotificationKind } from './next-notification.ts';

/** The JSON for the receiver. Chat programs show `text`; the other keys are for programs. `reason` is that of `status`. */
type Notification = {
  readonly event: `link.${NotificationKind}` | 'test';
  readonly link: string | null;
  readonly reason: string | null;
  readonly text: string;
};

/** The notification about a link. It contains texts of a remote only if personal data is allowed. */
export const notificationOf = (kind: NotificationKind, link: LinkState, personalData: boolean): Notification => {
  const { name, notificationState } = link;
  const reason = kind === 'recovered' ? null : personalData ? link.reason : withoutRemoteWords(link.reason);
  const why = reason ?? 'the reason is unknown.';
  const texts: Readonly<Record<NotificationKind, string>> = {
    halted: `is halted: ${why}`,
    paused: `is paused: ${why}`,
    failing: `has been failing for an hour or longer: ${why.replace(/\.?$/u, '.')} Find out more with: contact-sync doctor ${name}`,
    recovered: `recovered; it was ${notificationState.trouble ?? 'failing'} before.`,
  };
  // In angle brackets, a text for Slack can address all members of a channel.
  const text = `The link ${name} ${texts[kind]}`.replaceAll('<', '‹').replaceAll('>', '›');
  return { event: `link.${kind}`, link: name, reason, text };
};

const HEADERS = { 'content-type': 'application/json', 'user-agent': 'contact-sync' };
/** The limits of a delivery, which is shorter than the stop of the daemon. */
const LIMITS = { timeMs: 5_000, bytes: 64 * 1024 };

/** Sends a notification once and returns the status of the answer. Throws an error with the host if it is not accepted. */
export const deliver = async (url: string, notification: Notification, clock: Clock): Promise<number> => {
  const { host } = new URL(url);
  const agent = openAgent();
  const transport = createTransport({ agent, timeoutMs: LIMITS.timeMs });
  const [late, ended] = [new AbortController(), new AbortController()];
  const abort = (): void => late.abort(new Error(`no whole answer within ${LIMITS.timeMs / 1_000} s`));
  void clock.sleep(LIMITS.timeMs, ended.signal).then(abort, () => undefined);
  const request = { method: 'POST', url, headers: HEADERS, body: JSON.stringify(notification) };
  try {
    const { status } = await transport(request, { ...LIMITS, clock }, late.signal).catch(statusOf);
    if (status >= 200 && status < 300) return status;
    throw new Error(`answered ${status}${status < 400 ? ' with a redirect, which is not followed' : ''}`);
  } catch (error) {
    throw new Error(`${host} ${errorMessage(error)}`, { cause: error });
  } finally {
    ended.abort();
    await agent.destroy();
  }
};

/** The status of an answer that was cut off shows whether the body was accepted. */
const statusOf = (error: unknown): { readonly status: number } => {
  if (error instanceof CutOffError) return error;
  throw new Error(`did not answer (${errorCode(error) ?? errorMessage(error)})`, { cause: error });
};
