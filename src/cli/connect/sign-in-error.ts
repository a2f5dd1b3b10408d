import { EXIT, type ExitCode } from '../exit-codes.ts';

/** A sign-in came to nothing; the message says why and what to do. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}
