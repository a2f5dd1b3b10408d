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
  before: NotificationState,
  state: LinkStateName,
  nowMs: number,
): { readonly kind: NotificationKind | null; readonly after: NotificationState } => {
  // A time in the future comes from a wrong clock.
  const failingSinceMs = state === 'failing' ? Math.min(before.failingSinceMs ?? nowMs, nowMs) : null;
  const stateWith = (trouble: NotificationState['trouble']): NotificationState => ({
    trouble,
    failingSinceMs,
    claimedUntilMs: null,
  });
  const quiet = { kind: null, after: stateWith(before.trouble) };
  switch (state) {
    case 'active':
      return before.trouble === null ? quiet : { kind: 'recovered', after: stateWith(null) };
    case 'resuming':
      return quiet;
    case 'failing':
      if (failingSinceMs === null || nowMs - failingSinceMs < LONG_MS) return quiet;
      break;
    case 'halted':
    case 'paused':
      break;
  }
  return before.trouble === state ? quiet : { kind: state, after: stateWith(state) };
};
