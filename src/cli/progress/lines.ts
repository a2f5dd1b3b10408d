import { SIDES, type Side, type Sides, type SideWords } from '../../core/contact/side.ts';
import type { RunEvent } from '../../engine/run-event.ts';
import type { Terminal } from '../terminal.ts';
import { count, formatEstimate, grouped } from '../../core/view/words.ts';
import type { Progress } from './progress.ts';

const LINE_EVERY_MS = 60_000;

/** Progress for files and pipes: a line for each step, and one a minute for each side while it is written. */
export const startLines = (
  terminal: Terminal,
  sides: Sides<SideWords>,
  nowMs: () => number = () => Date.now(),
): Progress => {
  const told = new Map<Side, number>();
  const listed = new Map<Side, { contacts: number; whole: boolean }>();
  const written = new Map<Side, number>();
  const line = (side: Side, text: string): void => terminal.print(`${sides[side].title}: ${text}`);
  const tellListed = (): void => {
    for (const side of SIDES) {
      const reading = listed.get(side);
      if (reading !== undefined) line(side, `${count(reading.contacts, reading.whole ? 'contact' : 'change')} read`);
    }
    listed.clear();
  };
  const tellWritten = ({ side, done, total, leftMs }: Extract<RunEvent, { kind: 'written' }>): void => {
    written.set(side, done);
    // What takes less than a minute needs no line on its way.
    const toldAtMs = told.get(side) ?? ((leftMs ?? 0) >= LINE_EVERY_MS ? -Infinity : nowMs());
    told.set(side, toldAtMs);
    if (done === total || nowMs() - toldAtMs < LINE_EVERY_MS) return;
    told.set(side, nowMs());
    const left = leftMs === null ? '' : `, about ${formatEstimate(leftMs)} left`;
    line(side, `${grouped(done)} of ${count(total, 'write')} done${left}`);
  };
  const tellEnd = (): void => {
    tellListed();
    for (const side of SIDES) {
      const done = written.get(side);
      if (done !== undefined) line(side, `${count(done, 'write')} done`);
    }
  };
  return {
    tell: (event) => {
      if (event.kind === 'listed') listed.set(event.side, event);
      else if (event.kind === 'relisting') line(event.side, 'the change feed has expired, reading all contacts');
      else if (event.kind === 'recovered') terminal.print(`${count(event.writes, 'interrupted write')} settled`);
      else if (event.kind === 'planned') {
        tellListed();
        for (const side of SIDES) line(side, `${count(event.writes[side], 'write')} to do`);
      } else if (event.kind === 'written') tellWritten(event);
    },
    stop: tellEnd,
  };
};
