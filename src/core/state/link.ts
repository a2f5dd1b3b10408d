import type { LinkStateName } from './rows.ts';

/** An event of a link. */
export type LinkEvent =
  /** A run performed everything that it planned. */
  | 'completed'
  /** A guard stopped a run before it wrote anything (R8). */
  | 'halted'
  /** A remote refused the link's credential, or a setting of the link is missing or wrong (R16). */
  | 'refused'
  /** A run ended with any other error. */
  | 'failed'
  /** `connect` stored a new credential. */
  | 'connected'
  /** `connect` replaced the account of one side. */
  | 'replaced';

/** The outcomes of a run that ended are the same in every state. */
const ENDED = { completed: 'active', halted: 'halted', refused: 'paused', failed: 'failing' } as const;

/**
 * The states of a link:
 *
 * - `active`: its last run completed, or it has had no run.
 * - `paused`: a credential was refused; scheduled runs wait for a new one.
 * - `resuming`: it was paused and has a new credential; the next completed run reports that it recovered.
 * - `halted`: a guard stopped its last run; the next one may pass.
 * - `failing`: its last run ended with an error; it is retried.
 */
export const LINK_TRANSITIONS: Readonly<Record<LinkStateName, Readonly<Record<LinkEvent, LinkStateName>>>> = {
  active: { ...ENDED, connected: 'active', replaced: 'active' },
  paused: { ...ENDED, connected: 'resuming', replaced: 'resuming' },
  resuming: { ...ENDED, connected: 'resuming', replaced: 'resuming' },
  halted: { ...ENDED, connected: 'halted', replaced: 'active' },
  failing: { ...ENDED, connected: 'failing', replaced: 'active' },
};

/** Returns the state of a link after an event. */
export const nextLinkState = (state: LinkStateName, event: LinkEvent): LinkStateName => LINK_TRANSITIONS[state][event];

/** Returns the state as it is shown to people and scripts: `resuming` is shown as `active`. */
export const shownLinkState = (state: LinkStateName): Exclude<LinkStateName, 'resuming'> =>
  state === 'resuming' ? 'active' : state;
