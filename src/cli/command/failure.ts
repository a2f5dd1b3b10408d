import { QueueError } from '../../daemon/jobs/scheduler.ts';
import { StoppedError } from '../../engine/errors.ts';
import { withoutRemoteWords } from '../../app/events.ts';
import { CredentialsError, StoreError } from '../../store/store.ts';
import { createLogger } from '../../util/logger.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { EXIT, exitCodeOf, originalError, messageOf, type ExitCode } from './exit-codes.ts';
import type { Call } from './options.ts';

/** Errors whose message is complete, so that no stack is printed. */
const EXPECTED = [StoreError, CredentialsError, StoppedError, QueueError];

/** Reports the error of a command: to stderr, and with `--json` in the JSON document. Returns the exit code. */
export const reportFailure = (terminal: Terminal, error: unknown, document: Call['document']): ExitCode => {
  const code = exitCodeOf(error);
  const first = originalError(error);
  const isExpected = code !== EXIT.failed || EXPECTED.some((kind) => first instanceof kind);
  if (isExpected) terminal.warn(messageOf(error));
  else {
    const format = terminal.log.isTTY ? 'pretty' : 'json';
    createLogger({ level: 'error', format, destination: terminal.log }).error(
      { error: withoutRemoteWords(error) },
      'command failed',
    );
  }
  if (document !== null) terminal.print(JSON.stringify({ ...document, error: messageOf(error) }));
  return code;
};
