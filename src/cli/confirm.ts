import { createInterface } from 'node:readline';
import type { Terminal } from './terminal.ts';

/** Asks a person for a yes; anything else, and the end of the input, is a no. */
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
