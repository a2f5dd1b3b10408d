import { NO_ACTIVITY, NO_CHOICE, NO_CURSOR, type LinkState, NO_NOTIFICATION } from '../../../src/core/state/rows.ts';

/** A link that no run has worked on. */
export const newState = (name: string): LinkState => ({
  name,
  state: 'active',
  reason: null,
  accounts: { left: null, right: null },
  accountsKey: null,
  credentials: { left: null, right: null },
  acceptedDeletes: null,
  selection: null,
  notificationState: NO_NOTIFICATION,
  pausedByHandAtMs: null,
  fields: NO_CHOICE,
  activity: NO_ACTIVITY,
  forgottenAtMs: null,
  cursors: { left: NO_CURSOR, right: NO_CURSOR },
  groupPairs: [],
  rejections: [],
  verdicts: [],
});
