import type { Sides, SideWords } from '../core/contact/side.ts';
import { FIRST_SYNC, type Halt } from '../core/reconcile/guard.ts';
import { ClientRefusedError, DisabledError, type CredentialError } from '../providers/errors.ts';

/** A check stopped the run before its first write: the guard (R8), or the check of the accounts. */
export class HaltError extends Error {
  readonly halt: Halt;
  /** The losses of the plan, to which an acceptance refers. */
  readonly shown: readonly string[];

  constructor(halt: Halt, shown: readonly string[] = []) {
    super(halt.message);
    this.name = 'HaltError';
    this.halt = halt;
    this.shown = shown;
  }
}

/** Another process has the lease of the link. */
export class LeaseError extends Error {
  constructor(link: string, what: 'busy' | 'lost') {
    super(
      what === 'busy'
        ? `The link ${link} is being synced by another process; try again when that run has ended.`
        : `Another process holds the lease of link ${link} now, so this run stopped writing. The next run continues.`,
    );
    this.name = 'LeaseError';
  }
}

/** The stored reason of a run that halted for the review of a first sync. */
export const FIRST_SYNC_WAITS = FIRST_SYNC.message;

/** The stored reason of a run that ended because the program was stopped. */
export const STOPPED =
  'The program was stopped. Completed writes are stored; the next run or the same command continues.';

/** The stored reason of a run that ended because its link was paused by hand. */
export const PAUSED_BY_HAND =
  'The link was paused by hand. Completed writes are stored; the next run continues. Resume it with: contact-sync resume';

/** The end of the program or a user ended the run early. This is not a failure of the link. */
export class StoppedError extends Error {
  constructor(reason: typeof STOPPED | typeof PAUSED_BY_HAND = STOPPED) {
    super(reason);
    this.name = 'StoppedError';
  }
}

/** Returns the remedy for a link whose credential was refused. */
export const resumeRemedy = (
  error: CredentialError,
  { link, sides }: { readonly link: string; readonly sides: Sides<SideWords> },
): string => {
  if (error instanceof ClientRefusedError) {
    return 'Correct it in the configuration, and send SIGHUP to a running daemon. The next run resumes the link';
  }
  const { tokenKey } = error.side === null ? {} : sides[error.side];
  if (tokenKey !== undefined) return `The credential is set in ${tokenKey}. Replace it there`;
  const first =
    error instanceof DisabledError ? 'When the account is enabled again, sign in with' : 'Sign in again with';
  const side = error.side === null ? '' : ` ${sides[error.side].name}`;
  return `${first}: contact-sync connect${side} ${link}`;
};
