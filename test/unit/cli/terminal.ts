import type { Terminal } from '../../../src/cli/terminal/terminal.ts';

/** A terminal that stores its output; neither of its streams is a terminal. */
export const createTestTerminal = (): Terminal & { readonly printed: string[]; readonly warned: string[] } => {
  const printed: string[] = [];
  const warned: string[] = [];
  return {
    printed,
    warned,
    stdout: process.stdout,
    redraws: false,
    print: (text) => void printed.push(text),
    warn: (text) => void warned.push(text),
    log: Object.assign(process.stderr, { isTTY: false, hasColors: () => false }),
    divert: () => undefined,
    style: (_style, text) => text,
  };
};
