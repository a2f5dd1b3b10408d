import type { Sides, SideWords } from '../../core/contact/side.ts';
import type { RunEvent } from '../../engine/run-event.ts';
import type { Terminal } from '../terminal.ts';
import { startBars } from './bars.ts';
import { startLines } from './lines.ts';

/** Shows how a run gets on. */
export type Progress = {
  readonly tell: (event: RunEvent) => void;
  /** Ends the showing; what comes next is printed below it. */
  readonly stop: () => void;
};

export const NO_PROGRESS: Progress = { tell: () => undefined, stop: () => undefined };

/** Bars where lines may be drawn over, else a line for each step; each side under its title. */
export const startProgress = (terminal: Terminal, sides: Sides<SideWords>): Progress =>
  terminal.redraws ? startBars(terminal, sides) : startLines(terminal, sides);
