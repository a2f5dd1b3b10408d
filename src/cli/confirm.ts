import { createInterface } from 'node:readline';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** Waits until Enter is pressed or the input ends. */
export const waitForEnter = async (terminal: Terminal, input: NodeJS.ReadableStream, text: string): Promise<void> => {
  terminal.ask(`${text} `);
  const lines = createInterface({ input, terminal: false });
  try {
    for await (const _ of lines) return;
  } finally {
    lines.close();
  }
};

/** Asks a yes-or-no question. Any other answer, and the end of the input, means no. */
export const confirm = async (terminal: Terminal, input: NodeJS.ReadableStream, question: string): Promise<boolean> => {
  terminal.ask(`${question} (y or n) [n]: `);
  const lines = createInterface({ input, terminal: false });
  try {
    for await (const line of lines) return /^\s*y/iu.test(line);
    return false;
  } finally {
    lines.close();
  }
};

/** A step that deletes something. */
type DestructiveStep = {
  /** The question on a terminal, such as `Delete 3 contacts?`. */
  readonly question: string;
  /** What the step does, as a sentence. */
  readonly effect: string;
  /** The command that does it without a question. */
  readonly command: string;
};

/**
 * Whether a command may delete something: with `--yes`, or after a person has confirmed it on a terminal.
 *
 * @throws {UsageError} if no person can be asked: there is no terminal, or stdout gets a JSON document.
 */
export const mayDelete = async (
  terminal: Terminal,
  { yes = false, json = false }: { readonly yes?: boolean; readonly json?: boolean },
  { question, effect, command }: DestructiveStep,
): Promise<boolean> => {
  if (yes) return true;
  if (json || !process.stdin.isTTY || !terminal.stdout.isTTY) {
    throw new UsageError(`${effect} Nothing was changed. To confirm, run: ${command}`);
  }
  const answer = await confirm(terminal, process.stdin, question);
  if (!answer) terminal.print('Nothing was changed.');
  return answer;
};
