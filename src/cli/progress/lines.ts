import { SIDES, type Side, type Sides, type SideWords } from '../../contact/side.ts';
import type { RunEvent } from '../../sync/run-event.ts';
import type { Terminal } from '../terminal.ts';
import { count } from '../words.ts';
import type { Progress } from './progress.ts';

/** So many writes make a step worth a line. */
const WRITES_PER_LINE = 500;

/** Progress for files and pipes: one line for each step, none for single contacts. */
export const startLines = (terminal: Terminal, sides: Sides<SideWords>): Progress => {
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
  const tellWritten = ({ side, done, total }: Extract<RunEvent, { kind: 'written' }>): void => {
    const isStep = Math.floor(done / WRITES_PER_LINE) > Math.floor((written.get(side) ?? 0) / WRITES_PER_LINE);
    if (isStep && done < total) line(side, `${done} of ${count(total, 'write')} done`);
    written.set(side, done);
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
