import { NO_ACTIVITY } from '../../../src/store/activity.ts';
import { NO_CHOICE } from '../../../src/store/link-fields.ts';
import { NO_CURSOR, type LinkState } from '../../../src/store/store.ts';
import { NOTHING_TOLD } from '../../../src/store/told.ts';

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
  told: NOTHING_TOLD,
  pausedByHandAtMs: null,
  fields: NO_CHOICE,
  activity: NO_ACTIVITY,
  forgottenAtMs: null,
  cursors: { left: NO_CURSOR, right: NO_CURSOR },
  groupPairs: [],
  rejections: [],
  verdicts: [],
});
