import type { Readable } from 'node:stream';
import { confirm as yesNo, input as askInput, password, select } from '@inquirer/prompts';
import { UsageError } from '../command/exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** The streams for questions and answers. */
export type Streams = { readonly input: Readable; readonly output: NodeJS.WritableStream };

/** A question ended without an answer: Ctrl-C or Ctrl-D was pressed, or the input ended. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

type Key = { readonly ctrl?: boolean; readonly name?: string };

/** Errors of the prompt library that mean the end of the questions. */
const ENDS: readonly string[] = ['ExitPromptError', 'AbortPromptError'];

/** The library settles no prompt at Ctrl-D or at the end of the input, so both abort it here. */
const answerOf = async <T>(
  { input, output }: Streams,
  prompt: (context: Streams & { readonly signal: AbortSignal }) => Promise<T>,
): Promise<T> => {
  const ended = new AbortController();
  const onEnd = (): void => ended.abort();
  const onKey = (_text: unknown, { ctrl = false, name = '' }: Key): void => {
    if (ctrl && name === 'd') ended.abort();
  };
  input.on('end', onEnd).on('keypress', onKey);
  if (input.readableEnded) ended.abort();
  try {
    return await prompt({ input, output, signal: ended.signal });
  } catch (error) {
    if (!(error instanceof Error) || !ENDS.includes(error.name)) throw error;
    throw new InterruptedError('The question was not answered.', { cause: error });
  } finally {
    input.off('end', onEnd).off('keypress', onKey);
  }
};

/** The fault of an answer, as the end of a sentence; null for a valid answer. */
type FaultOf = (answer: string) => string | null;

const validity = (fault: string | null): true | string => (fault === null ? true : `The value ${fault}`);

/** Asks for a text; an empty answer means `usual`. Repeats the question while `faultOf` finds a fault. */
export const askText = async (
  streams: Streams,
  message: string,
  { usual = '', faultOf = () => null }: { readonly usual?: string; readonly faultOf?: FaultOf } = {},
): Promise<string> => {
  const validate = (answer: string): true | string => validity(faultOf(answer.trim()));
  const answer = await answerOf(streams, (context) => askInput({ message, default: usual, validate }, context));
  return answer.trim();
};

/** Asks for a secret: neither the answer nor `usual` is shown. */
export const askSecret = async (
  streams: Streams,
  message: string,
  { usual = '', faultOf = () => null }: { readonly usual?: string; readonly faultOf?: FaultOf } = {},
): Promise<string> => {
  const validate = (answer: string): true | string => validity(faultOf(answer.trim() || usual));
  const config = { message, mask: '*', toggleMask: false, validate };
  return (await answerOf(streams, (context) => password(config, context))).trim() || usual;
};

export const askYesNo = (streams: Streams, message: string, usual: boolean): Promise<boolean> =>
  answerOf(streams, (context) => yesNo({ message, default: usual }, context));

export type Choice<Value> = { readonly value: Value; readonly name: string };

export const askChoice = <const Value extends string>(
  streams: Streams,
  message: string,
  choices: readonly Choice<Value>[],
  usual: NoInfer<Value>,
): Promise<Value> => answerOf(streams, (context) => select({ message, choices, default: usual }, context));

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
 * Returns whether a command may delete something: with `--yes`, or after a user has confirmed it on a terminal.
 *
 * @throws {UsageError} if no user can be asked: there is no terminal, or stdout gets a JSON document.
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
