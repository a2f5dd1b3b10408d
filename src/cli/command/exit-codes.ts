import type { Sides, SideWords } from '../../core/contact/side.ts';
import { HaltError, LeaseError, resumeRemedy } from '../../engine/errors.ts';
import { RestoreError } from '../../engine/restore-deletions.ts';
import { VerdictError } from '../../engine/verdicts.ts';
import { isCredentialError, RemoteError } from '../../providers/errors.ts';
import { ConfigError } from '../../util/config-error.ts';
import { DirectoryError } from '../../util/files.ts';
import { errorMessage } from '../../util/errors.ts';

/** The command line refers to something that does not exist or cannot be used. The message lists the choices. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The exit codes, as the README documents them. */
export const EXIT = { done: 0, failed: 1, usage: 2, halted: 3, credentials: 4, unavailable: 5, busy: 6 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The original error, if a second error occurred while resources were disposed. */
export const originalError = (error: unknown): unknown =>
  error instanceof SuppressedError ? originalError(error.suppressed) : error;

/** Errors of the command line or the configuration. */
const USAGE_ERRORS = [UsageError, ConfigError, DirectoryError, RestoreError, VerdictError];

/** The exit code of an error; null is no error. */
export const exitCodeOf = (thrown: unknown): ExitCode => {
  const error = originalError(thrown);
  if (error === null) return EXIT.done;
  if (USAGE_ERRORS.some((kind) => error instanceof kind)) return EXIT.usage;
  if (error instanceof HaltError) return EXIT.halted;
  if (isCredentialError(error)) return EXIT.credentials;
  if (error instanceof LeaseError) return EXIT.busy;
  if (error instanceof RemoteError && error.retry === 'soon') return EXIT.unavailable;
  return EXIT.failed;
};

/** Codes that need an action come before those from which the next run recovers. */
const BY_SEVERITY: readonly ExitCode[] = [
  EXIT.halted,
  EXIT.credentials,
  EXIT.unavailable,
  EXIT.busy,
  EXIT.usage,
  EXIT.failed,
];

/** The exit code for several links: the first that occurs in the order 3, 4, 5, 6, 2, 1; 0 if all succeeded. */
export const worstExitCode = (codes: readonly ExitCode[]): ExitCode =>
  BY_SEVERITY.find((code) => codes.includes(code)) ?? EXIT.done;

/** The message of an error. */
export const messageOf = (thrown: unknown): string => errorMessage(originalError(thrown));

/** The message of an error of a link, followed by the remedy if a credential was refused. */
export const troubleOf = (error: unknown, link: string, sides: Sides<SideWords>): string =>
  isCredentialError(error) ? `${error.message}. ${resumeRemedy(error, { link, sides })}` : messageOf(error);
