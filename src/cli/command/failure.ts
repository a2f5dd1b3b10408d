import { BackupError } from '../../app/backup-error.ts';
import { QueueError } from '../../daemon/jobs/scheduler.ts';
import { NotDeliveredError } from '../../daemon/notify/notice.ts';
import { StoppedError } from '../../engine/context.ts';
import { withoutRemoteWords } from '../../engine/events.ts';
import { CredentialsError, StoreError } from '../../store/store.ts';
import { createLogger } from '../../util/logger.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { EXIT, exitCodeOf, firstOf, messageOf, type ExitCode } from './exit-codes.ts';

/** The keys of documents that hold one thing rather than a list. */
const SINGLE = ['merge', 'undo', 'backup', 'restore', 'forgotten', 'verdict', 'copy', 'removed'] as const;

/** The key of what the JSON document holds that a command owes; null where it owes none. */
export type DocumentKey =
  | 'runs'
  | 'links'
  | 'contacts'
  | 'checks'
  | 'reviewed'
  | 'retried'
  | 'settings'
  | (typeof SINGLE)[number]
  | null;

/** Errors whose message is complete, so that no stack is printed. */
const EXPECTED = [StoreError, CredentialsError, StoppedError, BackupError, QueueError, NotDeliveredError];

/** Reports why a command failed, also in its JSON document. */
export const reportFailure = (terminal: Terminal, error: unknown, documentKey: DocumentKey): ExitCode => {
  const code = exitCodeOf(error);
  const first = firstOf(error);
  const isExpected = code !== EXIT.failed || EXPECTED.some((kind) => first instanceof kind);
  if (isExpected) terminal.warn(messageOf(error));
  else {
    const format = terminal.log.isTTY ? 'pretty' : 'json';
    createLogger({ level: 'error', format, destination: terminal.log }).error(
      { error: withoutRemoteWords(error) },
      'command failed',
    );
  }
  const nothing = SINGLE.some((key) => key === documentKey) ? null : [];
  if (documentKey !== null) terminal.print(JSON.stringify({ [documentKey]: nothing, error: messageOf(error) }));
  return code;
};
