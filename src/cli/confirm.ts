import type { Readable } from 'node:stream';
import { askText, askYesNo, InterruptedError } from './prompts.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

type Output = { readonly stdout: NodeJS.WritableStream };

const unlessInterrupted = <T>(answer: Promise<T>, otherwise: T): Promise<T> =>
  answer.catch((error: unknown) => {
    if (error instanceof InterruptedError) return otherwise;
    throw error;
  });

/** Asks a yes-or-no question. Enter, Ctrl-C and the end of the input mean no. */
export const confirm = ({ stdout }: Output, input: Readable, question: string): Promise<boolean> =>
  unlessInterrupted(askYesNo({ input, output: stdout }, question, false), false);

/** Waits until Enter or Ctrl-C is pressed, or the input ends. */
export const waitForEnter = async ({ stdout }: Output, input: Readable, text: string): Promise<void> => {
  await unlessInterrupted(askText({ input, output: stdout }, text), '');
};

/** A step that deletes something. */
type DestructiveStep = {
  /** The question on a terminal, such as `Delete 3 contacts?`. */
  readonly question: string;
  /** The effect of the step, as a sentence. */
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
