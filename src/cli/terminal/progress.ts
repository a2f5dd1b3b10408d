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
  const printWritten = ({ side, done, total, leftMs }: Extract<RunEvent, { kind: 'written' }>): void => {
    written.set(side, done);
    // Writes that take less than a minute have no line in between.
    const previousAtMs = lastLineAtMs.get(side) ?? nowMs();
    lastLineAtMs.set(side, previousAtMs);
    if (done === total || nowMs() - previousAtMs < LINE_EVERY_MS) return;
    lastLineAtMs.set(side, nowMs());
    const left = leftMs === null ? '' : `, about ${formatEstimate(leftMs)} left`;
    line(side, `${grouped(done)} of ${grouped(total)}${left}`);
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
const REDRAW_EVERY_MS = 100;

type BarState = {
  readonly label: string;
  readonly done: number;
  readonly total: number;
  /** The duration of the step so far. */
  readonly elapsedMs: number;
};

/** One bar as a line: label, bar, percent, counts, rate and remaining time. */
export const formatBar = ({ label, done, total, elapsedMs }: BarState): string => {
  if (total === 0) return `${label.padEnd(16)} 0 contacts`;
  const share = Math.min(1, done / total);
  const filled = Math.round(BAR_WIDTH * share);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  const line = `${label.padEnd(16)} ${bar} ${percent} ${done}/${total}`;
  if (done === 0) return line;
  const perSecond = (done * 1000) / Math.max(1, elapsedMs);
  const rate = `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`;
  if (done >= total) return `${line}  ${rate}`;
  return `${line}  ${rate}  ${formatEstimate(((total - done) * 1000) / perSecond)} left`;
};

type Bar = Omit<BarState, 'label' | 'elapsedMs'> & {
  readonly startedAtMs: number;
  /** A finished bar keeps its rate. */
  readonly endedAtMs: number | null;
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

/** The bars of one run, redrawn in place until `stop`. */
const createBars = (terminal: Terminal) => {
  // Hiding the cursor would add signal handlers that end the process before the interrupted run has stopped.
  const draw = createLogUpdate(drawingStream(terminal.stdout), { showCursor: true });
  const bars = new Map<string, Bar>();
  let timer: NodeJS.Timeout | null = null;
  const redraw = (): void => {
    const nowMs = Date.now();
    const lines = [...bars].map(([label, { startedAtMs, endedAtMs, ...bar }]) =>
      formatBar({ label, ...bar, elapsedMs: (endedAtMs ?? nowMs) - startedAtMs }),
    );
    draw(lines.join('\n'));
  };
  /** Prints lines for stderr above the bars. */
  const printAbove = (lines: string): void => {
    draw.persist(lines);
    redraw();
  };
  return {
    show: (label: string, bar: Omit<Bar, 'endedAtMs'>): void => {
      if (timer === null) {
        timer = setInterval(redraw, REDRAW_EVERY_MS);
        terminal.divert(printAbove);
      }
      const known = bars.get(label);
      const { startedAtMs } = known ?? bar;
      const endedAtMs = bar.done < bar.total ? null : (known?.endedAtMs ?? Date.now());
      bars.set(label, { ...bar, startedAtMs, endedAtMs });
      if (known === undefined) redraw();
    },
    stop: (): void => {
      terminal.divert(null);
      if (timer === null) return;
      clearInterval(timer);
      redraw();
      draw.done();
    },
  };
};

/** Progress for people: a bar for reading and one for writing on each side. */
export const startBars = (terminal: Terminal, sides: Sides<SideWords>): Progress => {
  const bars = createBars(terminal);
  let startedAtMs = Date.now();
  const show = (label: string, done: number, total: number): void => bars.show(label, { startedAtMs, done, total });
  return {
    show: (event) => {
      if (event.kind === 'listed') {
        show(`${sides[event.side].title}: reading`, event.contacts, Math.max(event.total ?? 0, event.contacts));
      } else if (event.kind === 'planned') {
        startedAtMs = Date.now();
        for (const side of SIDES) {
          if (event.contacts[side] > 0) show(`${sides[side].title}: writing`, 0, event.contacts[side]);
        }
      } else if (event.kind === 'written') {
        show(`${sides[event.side].title}: writing`, event.done, event.total);
      }
    },
    stop: bars.stop,
  };
};
