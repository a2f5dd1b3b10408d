import { SIDES, type Sides, type SideWords, type Side } from '../../core/contact/side.ts';
import { count, formatEstimate, grouped } from '../../core/view/words.ts';
import type { RunEvent } from '../../engine/run-event.ts';
import type { Terminal } from './terminal.ts';

/** Shows the progress of a run. */
export type ProgressView = {
  readonly show: (event: RunEvent) => void;
  /** Ends the display. Later lines are printed below it. */
  readonly stop: () => void;
};

export const NO_PROGRESS: ProgressView = { show: () => undefined, stop: () => undefined };

/** Shows bars if the terminal can redraw lines, otherwise one line for each step. Each side has its title. */
export const startProgress = async (terminal: Terminal, sides: Sides<SideWords>): Promise<ProgressView> => {
  if (!terminal.redraws) return startLines(terminal, sides);
  // Only bars need the library that redraws them.
  const { startBars } = await import('./progress-bars.ts');
  return startBars(terminal, sides);
};

const LINE_EVERY_MS = 60_000;

/** Progress for files and pipes: a line for each step, and one a minute for each side while it is written. */
export const startLines = (
  terminal: Terminal,
  sides: Sides<SideWords>,
  nowMs: () => number = () => Date.now(),
): ProgressView => {
  const lastLineAtMs = new Map<Side, number>();
  const listed = new Map<Side, number>();
  const written = new Map<Side, number>();
  const line = (side: Side, text: string): void => terminal.print(`${sides[side].title}: ${text}`);
  const printListed = (): void => {
    for (const side of SIDES) {
      const reading = listed.get(side);
      if (reading !== undefined) line(side, `${count(reading, 'contact')} read`);
    }
    listed.clear();
  };
  const printWritten = ({ side, done, total, remainingMs }: Extract<RunEvent, { kind: 'written' }>): void => {
    written.set(side, done);
    // Writes that take less than a minute have no line in between.
    const previousAtMs = lastLineAtMs.get(side) ?? nowMs();
    lastLineAtMs.set(side, previousAtMs);
    if (done === total || nowMs() - previousAtMs < LINE_EVERY_MS) return;
    lastLineAtMs.set(side, nowMs());
    const rest = remainingMs === null ? '' : `, about ${formatEstimate(remainingMs)} left`;
    line(side, `${grouped(done)} of ${grouped(total)}${rest}`);
  };
  const printEnd = (): void => {
    printListed();
    for (const side of SIDES) {
      const done = written.get(side);
      if (done !== undefined) line(side, `${count(done, 'contact')} written`);
    }
  };
  return {
    show: (event) => {
      if (event.kind === 'listed') listed.set(event.side, event.contacts);
      else if (event.kind === 'relisting') line(event.side, 'the change feed has expired, reading all contacts');
      else if (event.kind === 'recovered') terminal.print(`${count(event.writes, 'interrupted write')} settled`);
      else if (event.kind === 'planned') {
        printListed();
        for (const side of SIDES) line(side, `${count(event.contacts[side], 'contact')} to write`);
      } else if (event.kind === 'written') printWritten(event);
    },
    stop: printEnd,
  };
};
