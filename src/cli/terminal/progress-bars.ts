import { createLogUpdate } from 'log-update';
import { SIDES, type Side, type Sides, type SideWords } from '../../core/contact/side.ts';
import { formatEstimate } from '../../core/view/words.ts';
import type { ProgressView } from './progress.ts';
import type { Terminal } from './terminal.ts';

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

/** The size of a terminal that reports none (0 lines). */
const USUAL_SIZE = { rows: { value: 24 }, columns: { value: 80 } };

/** Progress for people: a bar for reading and one for writing on each side, redrawn in place until `stop`. */
export const startBars = (terminal: Terminal, sides: Sides<SideWords>): ProgressView => {
  const { stdout } = terminal;
  const stream: NodeJS.WriteStream = stdout.rows === 0 ? Object.create(stdout, USUAL_SIZE) : stdout;
  // Hiding the cursor would add signal handlers that end the process before the interrupted run has stopped.
  const draw = createLogUpdate(stream, { showCursor: true });
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
