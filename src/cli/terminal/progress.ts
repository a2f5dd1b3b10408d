import { Writable } from 'node:stream';
import { createLogUpdate } from 'log-update';
import { SIDES, type Sides, type SideWords, type Side } from '../../core/contact/side.ts';
import { count, formatEstimate, grouped } from '../../core/view/words.ts';
import type { RunEvent } from '../../engine/run-event.ts';
import type { Terminal } from './terminal.ts';

/** Shows the progress of a run. */
type Progress = {
  readonly show: (event: RunEvent) => void;
  /** Ends the display. Later lines are printed below it. */
  readonly stop: () => void;
};

export const NO_PROGRESS: Progress = { show: () => undefined, stop: () => undefined };

/** Shows bars if the terminal can redraw lines, otherwise one line for each step. Each side has its title. */
export const startProgress = (terminal: Terminal, sides: Sides<SideWords>): Progress =>
  terminal.redraws ? startBars(terminal, sides) : startLines(terminal, sides);

const LINE_EVERY_MS = 60_000;

/** Progress for files and pipes: a line for each step, and one a minute for each side while it is written. */
export const startLines = (
  terminal: Terminal,
  sides: Sides<SideWords>,
  nowMs: () => number = () => Date.now(),
): Progress => {
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

/** With the longest usual texts around it, a bar still fits into 80 columns. */
const BAR_WIDTH = 24;
/** A run may report many events a second. */
const REDRAW_AFTER_MS = 100;

type Bar = { readonly done: number; readonly total: number; readonly remainingMs: number | null };

/** One bar as a line: label, bar, percent, counts and remaining time. */
export const formatBar = (label: string, { done, total, remainingMs }: Bar): string => {
  if (total === 0) return `${label.padEnd(16)} 0 contacts`;
  const share = Math.min(1, done / total);
  const filled = Math.round(BAR_WIDTH * share);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  const rest = remainingMs === null || done >= total ? '' : `  about ${formatEstimate(remainingMs)} left`;
  return `${label.padEnd(16)} ${bar} ${percent} ${done}/${total}${rest}`;
};

/** The stream to draw on. A terminal that reports no size (0 lines) is drawn on as one of 80 by 24. */
const drawingStream = (stdout: NodeJS.WriteStream): NodeJS.WritableStream => {
  if (stdout.rows !== 0) return stdout;
  const write = (chunk: Buffer, _encoding: string, done: () => void): void => {
    stdout.write(chunk);
    done();
  };
  return Object.assign(new Writable({ write }), { isTTY: true });
};

/** Progress for people: a bar for reading and one for writing on each side, redrawn in place until `stop`. */
export const startBars = (terminal: Terminal, sides: Sides<SideWords>): Progress => {
  // Hiding the cursor would add signal handlers that end the process before the interrupted run has stopped.
  const draw = createLogUpdate(drawingStream(terminal.stdout), { showCursor: true });
  const bars = new Map<string, Bar>();
  let drawnAtMs = 0;
  const redraw = (): void => {
    drawnAtMs = Date.now();
    draw([...bars].map(([label, bar]) => formatBar(label, bar)).join('\n'));
  };
  /** Prints lines for stderr above the bars. */
  const printAbove = (lines: string): void => {
    draw.persist(lines);
    redraw();
  };
  const show = (side: Side, step: 'reading' | 'writing', bar: Bar): void => {
    if (bars.size === 0) terminal.divert(printAbove);
    const label = `${sides[side].title}: ${step}`;
    const isNew = !bars.has(label);
    bars.set(label, bar);
    if (isNew || Date.now() - drawnAtMs >= REDRAW_AFTER_MS) redraw();
  };
  return {
    show: (event) => {
      if (event.kind === 'listed') {
        const total = Math.max(event.total ?? 0, event.contacts);
        show(event.side, 'reading', { done: event.contacts, total, remainingMs: null });
      } else if (event.kind === 'planned') {
        for (const side of SIDES) {
          const total = event.contacts[side];
          if (total > 0) show(side, 'writing', { done: 0, total, remainingMs: null });
        }
      } else if (event.kind === 'written') show(event.side, 'writing', event);
    },
    stop: () => {
      terminal.divert(null);
      if (bars.size === 0) return;
      redraw();
      draw.done();
    },
  };
};
