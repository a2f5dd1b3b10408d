import { createInterface } from 'node:readline';
import { readHiddenLine, type Input } from '../connect/pasted.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

/** Asks a person, one line an answer. Throws {@link UsageError} where the input ends before an answer. */
export type Prompts = Disposable & {
  /** The answer; the usual one where the line is empty. Asks again until `faultOf` finds nothing wrong. */
  ask(question: string, usual: string, faultOf: (answer: string) => string | null): Promise<string>;
  /** The same for what nobody may read over a shoulder: it is not shown, and neither is the usual one. */
  askHidden(question: string, usual: string, faultOf: (answer: string) => string | null): Promise<string>;
};

const ENDED =
  'The input ended before every question was answered. Nothing was written. In a script, set the variables and use: contact-sync init --yes';

/** Lines of an input, which is left to others between two of them where it is a terminal. */
const createLines = (input: Input) => {
  const open = () => {
    const lines = createInterface({ input, terminal: false });
    return { lines, iterator: lines[Symbol.asyncIterator]() };
  };
  let opened: ReturnType<typeof open> | null = null;
  const release = (): void => {
    opened?.lines.close();
    opened = null;
  };
  const next = async (): Promise<string> => {
    opened ??= open();
    const { value, done } = await opened.iterator.next();
    if (done) throw new UsageError(ENDED);
    return value;
  };
  const nextHidden = async (): Promise<string> => {
    // What comes through a pipe nobody sees, and it may have come together with other lines.
    if (!input.isTTY) return next();
    release();
    return readHiddenLine(input, 'answer', new AbortController().signal).catch((cause: unknown) => {
      throw new UsageError(ENDED, { cause });
    });
  };
  return { next, nextHidden, release };
};

/** Prompts on a terminal, or on any pair of streams; no cursor is moved. */
export const createPrompts = (terminal: Terminal, input: Input): Prompts => {
  const lines = createLines(input);
  // What comes through a pipe is not shown behind the question.
  const show = (question: string): void => (input.isTTY ? terminal.ask(`${question} `) : terminal.print(question));
  const repeat = async (
    showQuestion: () => void,
    read: () => Promise<string>,
    usual: string,
    faultOf: (answer: string) => string | null,
  ): Promise<string> => {
    for (;;) {
      showQuestion();
      const answer = (await read()).trim() || usual;
      const fault = faultOf(answer);
      if (fault === null) return answer;
      terminal.print(`  That ${fault}`);
    }
  };
  return {
    ask: (question, usual, faultOf) => {
      const hint = usual === '' ? '' : ` [${usual}]`;
      return repeat(() => show(`${question}${hint}:`), lines.next, usual, faultOf);
    },
    askHidden: (question, usual, faultOf) => {
      const hint = usual === '' ? 'it is not shown' : 'it is not shown; Enter keeps the one that is set';
      return repeat(() => terminal.print(`${question} (${hint}):`), lines.nextHidden, usual, faultOf);
    },
    [Symbol.dispose]: lines.release,
  };
};
