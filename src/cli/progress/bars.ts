import { Writable } from 'node:stream';
import { createLogUpdate } from 'log-update';
import { SIDES, type Sides, type SideWords } from '../../core/contact/side.ts';
import type { Terminal } from '../terminal.ts';
import { formatEstimate } from '../../core/view/words.ts';
import type { Progress } from './progress.ts';

/** With the longest usual texts around it, a bar still fits into 80 columns. */
const BAR_WIDTH = 24;
const REDRAW_EVERY_MS = 100;

export type BarState = {
  readonly label: string;
  readonly done: number;
  readonly total: number;
  /** How long the step has taken so far. */
  readonly elapsedMs: number;
  /** The remaining time; null: computed from the rate so far. */
  readonly leftMs: number | null;
};

/** One bar as a line: label, bar, percent, counts, rate and remaining time. */
export const formatBar = ({ label, done, total, elapsedMs, leftMs }: BarState): string => {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.round(BAR_WIDTH * share);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  const line = `${label.padEnd(16)} ${bar} ${percent} ${done}/${total}`;
  if (done === 0) return leftMs === null ? line : `${line}  ${formatEstimate(leftMs)} left`;
  const perSecond = (done * 1000) / Math.max(1, elapsedMs);
  const rate = `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`;
  if (done >= total) return `${line}  ${rate}`;
  return `${line}  ${rate}  ${formatEstimate(leftMs ?? ((total - done) * 1000) / perSecond)} left`;
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
  const show = (label: string, done: number, total: number, leftMs: number | null): void =>
    bars.show(label, { startedAtMs, done, total, leftMs });
  return {
    tell: (event) => {
      if (event.kind === 'listed') {
        show(`${sides[event.side].title}: reading`, event.contacts, Math.max(event.total ?? 0, event.contacts), null);
      } else if (event.kind === 'planned') {
        startedAtMs = Date.now();
        for (const side of SIDES) {
          if (event.writes[side] > 0) show(`${sides[side].title}: writing`, 0, event.writes[side], null);
        }
      } else if (event.kind === 'written') {
        show(`${sides[event.side].title}: writing`, event.done, event.total, event.leftMs);
      }
    },
    stop: bars.stop,
  };
};
