import { createInterface } from 'node:readline';
import type { Terminal } from '../terminal/terminal.ts';

/** The query of an address to which a consent page redirected: a code or an error, and the state. Null without an answer. */
export const answerIn = (address: string): URLSearchParams | null => {
  const query = URL.parse(address.trim())?.searchParams;
  return query?.has('code') || query?.has('error') ? query : null;
};

/**
 * The answer in the first pasted line that is an answer address with this state. Any other line is reported, and the next one is
 * awaited. Ends with the signal.
 */
export const pastedAnswer = (
  input: NodeJS.ReadableStream,
  terminal: Pick<Terminal, 'warn'>,
  { state, signal }: { readonly state: string; readonly signal: AbortSignal },
): Promise<URLSearchParams> =>
  new Promise((resolve) => {
    createInterface({ input, signal }).on('line', (line) => {
      const answer = answerIn(line);
      if (answer?.get('state') === state) resolve(answer);
      else if (answer !== null) {
        terminal.warn('This address belongs to an earlier sign-in. Open the address above, and paste the new one.');
      } else if (line.trim() !== '') {
        terminal.warn(
          'This is not the whole address at which the browser ended. It begins with http:// and contains a code.',
        );
      }
    });
  });

/** The password in the first line of piped standard input; empty without one. */
export const readPipedLine = async (input: NodeJS.ReadableStream, signal: AbortSignal): Promise<string> => {
  for await (const line of createInterface({ input, terminal: false, signal })) return line.trim();
  return '';
};
