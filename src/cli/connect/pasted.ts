import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Terminal } from '../terminal.ts';
import { answerIn, type Answer } from './answer.ts';
import { SignInError } from '../../providers/sign-in.ts';

export type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** The answer in the first address that is pasted as a line; waits for ever where none is. Ends with the signal. */
export const pastedAnswer = (input: Input, terminal: Pick<Terminal, 'warn'>, signal: AbortSignal): Promise<Answer> =>
  new Promise((resolve) => {
    const lines = createInterface({ input });
    signal.addEventListener('abort', () => lines.close(), { once: true });
    lines.on('line', (line) => {
      const answer = answerIn(line);
      if (answer !== null) resolve(answer);
      else if (line.trim() !== '') {
        terminal.warn(
          'That is not the whole address that the browser was sent to. It begins with http:// and has a code.',
        );
      }
    });
  });

const MUTE = new Writable({ write: (_chunk, _encoding, done) => done() });

/**
 * One line of standard input that is not shown while it is typed. Throws {@link SignInError} where there is none.
 */
export const readHiddenLine = (input: Input, name: string, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const isTerminal = input.isTTY ?? false;
    const lines = createInterface({ input, terminal: isTerminal, ...(isTerminal && { output: MUTE }) });
    const onAbort = (): void => lines.close();
    signal.addEventListener('abort', onAbort, { once: true });
    lines.once('line', (line) => {
      resolve(line.trim());
      lines.close();
    });
    // In a terminal's raw mode Ctrl-C is a key like others.
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => {
      signal.removeEventListener('abort', onAbort);
      reject(new SignInError(`No ${name} was given on standard input. Nothing was stored.`));
    });
  });
