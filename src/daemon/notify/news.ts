import type { LinkStateName, NotificationState } from '../../core/state/rows.ts';

/** What a notice is about: a trouble of a link, or its end. */
export type News = NonNullable<NotificationState['trouble']> | 'recovered';

/** An outage that is over sooner needs nobody. */
const LONG_MS = 3_600_000;

/**
 * What there is to tell of a link in that state, and what the receiver knows `after` it. A trouble is told once, however
 * many runs repeat it, until a completed run ends it or another trouble takes its place. `nowMs` is epoch milliseconds.
 */
export const newsOf = (
  told: NotificationState,
  state: LinkStateName,
  nowMs: number,
): { readonly news: News | null; readonly after: NotificationState } => {
  // A time that is yet to come was taken from a clock that was wrong.
  const failingSinceMs = state === 'failing' ? Math.min(told.failingSinceMs ?? nowMs, nowMs) : null;
  const knowing = (trouble: NotificationState['trouble']): NotificationState => ({
    trouble,
    failingSinceMs,
    claimedUntilMs: null,
  });
  const quiet = { news: null, after: knowing(told.trouble) };
  switch (state) {
    case 'active':
      return told.trouble === null ? quiet : { news: 'recovered', after: knowing(null) };
    case 'resuming':
      return quiet;
    case 'failing':
      if (failingSinceMs === null || nowMs - failingSinceMs < LONG_MS) return quiet;
      break;
    case 'halted':
    case 'paused':
      break;
  }
  return told.trouble === state ? quiet : { news: state, after: knowing(state) };
};
