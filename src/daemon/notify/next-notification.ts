import type { LinkStateName, NotificationState } from '../../core/state/rows.ts';

/** The kind of a notification: a problem of a link, or its end. */
export type NotificationKind = NonNullable<NotificationState['trouble']> | 'recovered';

/** The shortest outage that is reported. */
const LONG_MS = 3_600_000;

/**
 * The next notification about a link in this state, if one is due, and the notification state `after` it. A problem is reported
 * once, until a completed run ends it or another problem replaces it. `nowMs` is epoch milliseconds.
 */
export const nextNotification = (
  { trouble, failingSinceMs: beforeMs }: NotificationState,
  state: LinkStateName,
  nowMs: number,
): { readonly kind: NotificationKind | null; readonly after: NotificationState } => {
  // A time in the future comes from a wrong clock.
  const failingSinceMs = state === 'failing' ? Math.min(beforeMs ?? nowMs, nowMs) : null;
  const quiet = { kind: null, after: { trouble, failingSinceMs } };
  if (state === 'active' && trouble !== null) return { kind: 'recovered', after: { trouble: null, failingSinceMs } };
  if (state === 'active' || state === 'resuming' || state === trouble) return quiet;
  if (failingSinceMs !== null && nowMs - failingSinceMs < LONG_MS) return quiet;
  return { kind: state, after: { trouble: state, failingSinceMs } };
};
