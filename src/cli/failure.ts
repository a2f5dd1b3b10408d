import { withoutRemoteWords } from '../events.ts';
import { createLogger } from '../logger.ts';
import { EXIT, exitCodeOf, firstOf, messageOf, type ExitCode } from './exit-codes.ts';
import { StoreError } from '../store/store.ts';
import { StoppedError } from '../sync/context.ts';
import type { Terminal } from './terminal.ts';

/** The key of what the JSON document holds that a command owes, a list for all but `undo`; null where it owes none. */
export type DocumentKey = 'runs' | 'links' | 'contacts' | 'undo' | 'checks' | null;

/** Tells why a command could not do its work, also in the JSON document that was asked for. */
export const reportFailure = (terminal: Terminal, error: unknown, documentKey: DocumentKey): ExitCode => {
  const code = exitCodeOf(error);
  const first = firstOf(error);
  const isExpected = code !== EXIT.failed || first instanceof StoreError || first instanceof StoppedError;
  if (isExpected) terminal.warn(messageOf(error));
  else {
    const format = terminal.log.isTTY ? 'pretty' : 'json';
    createLogger({ level: 'error', format, destination: terminal.log }).error(
      { error: withoutRemoteWords(error) },
      'command failed',
    );
  }
  const nothing = documentKey === 'undo' ? null : [];
  if (documentKey !== null) terminal.print(JSON.stringify({ [documentKey]: nothing, error: messageOf(error) }));
  return code;
};
