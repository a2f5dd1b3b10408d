import { createInterface } from 'node:readline';
import type { Terminal } from './terminal.ts';

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
