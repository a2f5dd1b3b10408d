import { createInterface } from 'node:readline';
import type { Terminal } from '../terminal.ts';
import { answerIn, type Answer } from './answer.ts';
import { SignInError } from '../../providers/sign-in.ts';

export type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** The answer in the first pasted line that is an answer address. Without one it never resolves. Ends with the signal. */
export const pastedAnswer = (input: Input, terminal: Pick<Terminal, 'warn'>, signal: AbortSignal): Promise<Answer> =>
  new Promise((resolve) => {
    const lines = createInterface({ input });
    signal.addEventListener('abort', () => lines.close(), { once: true });
    lines.on('line', (line) => {
      const answer = answerIn(line);
      if (answer !== null) resolve(answer);
      else if (line.trim() !== '') {
        terminal.warn(
          'This is not the whole address at which the browser ended. It begins with http:// and contains a code.',
        );
      }
    });
  });

/** The first line of piped standard input. Throws {@link SignInError} if it is empty. */
export const readPipedLine = (input: Input, name: string, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const lines = createInterface({ input, terminal: false });
    const onAbort = (): void => lines.close();
    signal.addEventListener('abort', onAbort, { once: true });
    lines.once('line', (line) => {
      resolve(line.trim());
      lines.close();
    });
    lines.once('close', () => {
      signal.removeEventListener('abort', onAbort);
      reject(new SignInError(`No ${name} was given on standard input. Nothing was stored.`));
    });
  });
