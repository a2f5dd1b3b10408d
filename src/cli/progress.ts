import type { RunEvent } from '../sync/run-event.ts';
import { startBars } from './progress-bars.ts';
import { startLines } from './progress-lines.ts';
import type { Terminal } from './terminal.ts';

/** Shows how a run gets on. */
export type Progress = {
  readonly tell: (event: RunEvent) => void;
  /** Ends the showing; what comes next is printed below it. */
  readonly stop: () => void;
};

export const NO_PROGRESS: Progress = { tell: () => undefined, stop: () => undefined };

/** Bars on a terminal, else a line for each step. */
export const startProgress = (terminal: Terminal): Progress =>
  terminal.stdout.isTTY ? startBars(terminal) : startLines(terminal);
