import type { LinkStateName } from './rows.ts';

/** What happens to a link. */
export type LinkEvent =
  /** A run did everything that it planned. */
  | 'completed'
  /** A guard stopped a run before it wrote anything (R8). */
  | 'halted'
  /** A remote refused the link's credential, or there is none (R16). */
  | 'refused'
  /** A run ended with any other error. */
  | 'failed'
  /** The program was stopped, or another process took the link over: no trouble of the link. */
  | 'interrupted'
  /** `connect` stored a new credential. */
  | 'connected'
  /** `connect` gave one side another account. */
  | 'replaced';

/**
 * The states of a link:
 *
 * - `active`: its last run completed, or it has had none.
 * - `paused`: a credential was refused; scheduled runs wait for a new one.
 * - `resuming`: it was paused and has a new credential; the next completed run says that it is back.
 * - `halted`: a guard stopped its last run; the next one may pass.
 * - `failing`: its last run ended with an error; it is tried again.
 */
export const LINK_TRANSITIONS: Readonly<Record<LinkStateName, Readonly<Record<LinkEvent, LinkStateName>>>> = {
  active: {
    completed: 'active',
    halted: 'halted',
    refused: 'paused',
    failed: 'failing',
    interrupted: 'active',
    connected: 'active',
    replaced: 'active',
  },
  paused: {
    completed: 'active',
    halted: 'halted',
    refused: 'paused',
    failed: 'failing',
    interrupted: 'paused',
    connected: 'resuming',
    replaced: 'resuming',
  },
  resuming: {
    completed: 'active',
    halted: 'halted',
    refused: 'paused',
    failed: 'failing',
    interrupted: 'resuming',
    connected: 'resuming',
    replaced: 'resuming',
  },
  halted: {
    completed: 'active',
    halted: 'halted',
    refused: 'paused',
    failed: 'failing',
    interrupted: 'halted',
    connected: 'halted',
    replaced: 'active',
  },
  failing: {
    completed: 'active',
    halted: 'halted',
    refused: 'paused',
    failed: 'failing',
    interrupted: 'failing',
    connected: 'failing',
    replaced: 'active',
  },
};

/** The state of a link after an event. */
export const nextLinkState = (state: LinkStateName, event: LinkEvent): LinkStateName => LINK_TRANSITIONS[state][event];

/** The state as it is shown to people and scripts: a link that resumes is active again. */
export const shownLinkState = (state: LinkStateName): Exclude<LinkStateName, 'resuming'> => {
  return state === 'resuming' ? 'active' : state;
};
