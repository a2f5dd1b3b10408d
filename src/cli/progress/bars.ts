import { MultiBar, type Options, type Params, type SingleBar } from 'cli-progress';
import { SIDES, type Sides, type SideWords } from '../../contact/side.ts';
import type { Terminal } from '../terminal.ts';
import { formatEstimate } from '../../view/words.ts';
import type { Progress } from './progress.ts';

const BAR_WIDTH = 28;

export type BarState = {
  readonly label: string;
  readonly done: number;
  readonly total: number;
  /** How long the step has taken so far. */
  readonly elapsedMs: number;
  /** How long it still takes; null: as long for each as until now. */
  readonly leftMs: number | null;
};

/** One bar as a line: what, how far, how many of how many, how fast, how long still. */
export const formatBar = ({ label, done, total, elapsedMs, leftMs }: BarState): string => {
  const filled = total === 0 ? BAR_WIDTH : Math.round(BAR_WIDTH * Math.min(1, done / total));
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
  const line = `${label.padEnd(16)} ${bar} ${done}/${total}`;
  if (done === 0) return leftMs === null ? line : `${line}  ${formatEstimate(leftMs)} left`;
  const perSecond = (done * 1000) / Math.max(1, elapsedMs);
  const rate = `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`;
  if (done >= total) return `${line}  ${rate}`;
  return `${line}  ${rate}  ${formatEstimate(leftMs ?? ((total - done) * 1000) / perSecond)} left`;
};

type Payload = { readonly label: string; readonly startedAtMs: number; readonly leftMs: number | null };

const formatLine = (
  _options: Options,
  { value, total, stopTime }: Params,
  { label, startedAtMs, leftMs }: Payload,
): string => formatBar({ label, done: value, total, elapsedMs: (stopTime ?? Date.now()) - startedAtMs, leftMs });

/** Progress for people: a bar for reading and one for writing on each side. */
export const startBars = (terminal: Terminal, sides: Sides<SideWords>): Progress => {
  const bars = new MultiBar({ stream: terminal.stdout, format: formatLine, hideCursor: true, gracefulExit: false });
  const byLabel = new Map<string, SingleBar>();
  let stepStartedAtMs = Date.now();
  const show = (label: string, done: number, total: number, leftMs: number | null = null): void => {
    // Until there is a bar nothing draws what is diverted.
    if (byLabel.size === 0) terminal.divert((lines) => bars.log(lines));
    const bar = byLabel.get(label) ?? bars.create(total, 0, { label, startedAtMs: stepStartedAtMs, leftMs });
    byLabel.set(label, bar);
    bar.setTotal(total);
    bar.update(done, { leftMs });
    // A finished bar keeps the rate that it had.
    if (done >= total && bar.isActive) bar.stop();
  };
  return {
    tell: (event) => {
      if (event.kind === 'listed') {
        show(`${sides[event.side].title}: reading`, event.contacts, Math.max(event.total ?? 0, event.contacts));
      } else if (event.kind === 'planned') {
        stepStartedAtMs = Date.now();
        for (const side of SIDES) {
          if (event.writes[side] > 0) show(`${sides[side].title}: writing`, 0, event.writes[side]);
        }
      } else if (event.kind === 'written') {
        show(`${sides[event.side].title}: writing`, event.done, event.total, event.leftMs);
      }
    },
    stop: () => {
      if (byLabel.size > 0) {
        // Prints what was diverted since the last drawing.
        bars.update();
        bars.stop();
      }
      terminal.divert(null);
    },
  };
};
