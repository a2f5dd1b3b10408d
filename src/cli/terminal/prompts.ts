import type { Readable } from 'node:stream';
import { confirm as yesNo, input as askInput, password, select } from '@inquirer/prompts';
import { UsageError } from '../command/exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** The streams for questions and answers. */
type Streams = { readonly input: Readable; readonly output: NodeJS.WritableStream };

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

type Choice<Value> = { readonly value: Value; readonly name: string };

/** Asks one question of each kind. An empty answer means `usual`. Throws {@link InterruptedError} without an answer. */
export type Asker = {
  /** Repeats the question while `faultOf` finds a fault. */
  text(message: string, usual?: string, faultOf?: FaultOf): Promise<string>;
  /** Like `text`. Neither the answer nor `usual` is shown. */
  secret(message: string, usual?: string, faultOf?: FaultOf): Promise<string>;
  choice<const Value extends string>(
    message: string,
    choices: readonly Choice<Value>[],
    usual: NoInfer<Value>,
  ): Promise<Value>;
  yesNo(message: string, usual: boolean): Promise<boolean>;
};

export const createAsker = (streams: Streams): Asker => ({
  text: async (message, usual = '', faultOf = () => null) => {
    const validate = (answer: string): true | string => validity(faultOf(answer.trim()));
    return (await answerOf(streams, (context) => askInput({ message, default: usual, validate }, context))).trim();
  },
  secret: async (message, usual = '', faultOf = () => null) => {
    const validate = (answer: string): true | string => validity(faultOf(answer.trim() || usual));
    const config = { message, mask: '*', toggleMask: false, validate };
    return (await answerOf(streams, (context) => password(config, context))).trim() || usual;
  },
  choice: (message, choices, usual) =>
    answerOf(streams, (context) => select({ message, choices, default: usual }, context)),
  yesNo: (message, usual) => answerOf(streams, (context) => yesNo({ message, default: usual }, context)),
});

/** Asks on standard input and the terminal. */
export const askerOf = ({ stdout }: Pick<Terminal, 'stdout'>): Asker =>
  createAsker({ input: process.stdin, output: stdout });

/** The answer, or another value if the question was interrupted. */
export const unlessInterrupted = <T>(answer: Promise<T>, otherwise: T): Promise<T> =>
  answer.catch((error: unknown) => {
    if (error instanceof InterruptedError) return otherwise;
    throw error;
  });

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
  const answer = await unlessInterrupted(askerOf(terminal).yesNo(question, false), false);
  if (!answer) terminal.print('Nothing was changed.');
  return answer;
};
