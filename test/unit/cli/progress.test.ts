import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { startLines } from '../../../src/cli/terminal/progress.ts';
import { startBars } from '../../../src/cli/terminal/progress-bars.ts';
import { SIDE_WORDS } from '../../support/side-words.ts';
import { createTestTerminal } from './terminal.ts';

/** A terminal of that size; `shown` is everything that was written to it, without control sequences. */
const openTerminal = (rows: number) => {
  const stream = new PassThrough();
  const stdout = Object.assign(stream, {
    isTTY: true,
    columns: rows === 0 ? 0 : 80,
    rows,
  }) as unknown as NodeJS.WriteStream;
  const diverted: ((lines: string) => void)[] = [];
  const terminal = {
    ...createTestTerminal(),
    stdout,
    divert: (to: ((lines: string) => void) | null): void => void diverted.splice(0, 1, ...(to === null ? [] : [to])),
  };
  const shown = (): string => stripVTControlCharacters(String(stream.read() ?? ''));
  return { terminal, diverted, shown };
};

const HALF_READ = { kind: 'listed', side: 'left', whole: true, contacts: 1, total: 2 } as const;

test('a warning is printed above the bars, which are drawn again below it, but not before there is a bar', () => {
  const { terminal, diverted, shown } = openTerminal(24);
  const { show, stop } = startBars(terminal, SIDE_WORDS);
  expect(diverted).toHaveLength(0);
  show(HALF_READ);
  expect(shown()).toMatch(/^Google: reading .* 50% 1\/2\n/u);
  diverted[0]?.('a warning\n');
  expect(shown()).toMatch(/^a warning\nGoogle: reading .* 50% 1\/2\n/u);
  stop();
  expect(diverted).toHaveLength(0);
});

test('the last state of each bar stays on the terminal, whether or not it reports its size', () => {
  for (const rows of [24, 0]) {
    const { terminal, shown } = openTerminal(rows);
    const { show, stop } = startBars(terminal, SIDE_WORDS);
    show({ kind: 'planned', contacts: { left: 0, right: 4 } });
    show({ kind: 'written', side: 'right', done: 1, total: 4, remainingMs: 60_000 });
    show({ kind: 'written', side: 'right', done: 3, total: 4, remainingMs: 20_000 });
    stop();
    expect(shown()).toMatch(/0% 0\/4.*\n.* 75% 3\/4 .* left\n$/su);
  }
});

test('there is a line for each step and one a minute, in one order for every order of the events, and none for contacts', () => {
  const terminal = createTestTerminal();
  let nowMs = 0;
  const { show, stop } = startLines(terminal, SIDE_WORDS, () => nowMs);
  show({ kind: 'listed', side: 'right', whole: false, contacts: 1, total: null });
  for (let page = 1; page <= 4; page += 1) {
    show({ kind: 'listed', side: 'left', whole: true, contacts: page * 300, total: 1200 });
  }
  show({ kind: 'planned', contacts: { left: 16, right: 1200 } });
  show({ kind: 'written', side: 'left', done: 0, total: 16, remainingMs: null });
  show({ kind: 'written', side: 'right', done: 0, total: 1200, remainingMs: null });
  show({ kind: 'written', side: 'left', done: 16, total: 16, remainingMs: 0 });
  for (let done = 1; done <= 1200; done += 1) {
    nowMs += 120;
    show({ kind: 'written', side: 'right', done, total: 1200, remainingMs: (1200 - done) * 120 });
  }
  stop();
  expect(terminal.printed).toEqual([
    'Google: 1,200 contacts read',
    'Service: 1 contact read',
    'Google: 16 contacts to write',
    'Service: 1,200 contacts to write',
    'Service: 500 of 1,200, about 1 min left',
    'Service: 1,000 of 1,200, about 24 s left',
    'Google: 16 contacts written',
    'Service: 1,200 contacts written',
  ]);
});

test('the number of contacts read is shown also without a plan', () => {
  const terminal = createTestTerminal();
  const { show, stop } = startLines(terminal, SIDE_WORDS);
  show({ kind: 'relisting', side: 'left', reason: 'expired' });
  show({ kind: 'listed', side: 'left', whole: true, contacts: 7, total: null });
  stop();
  expect(terminal.printed).toEqual([
    'Google: the change feed has expired, reading all contacts',
    'Google: 7 contacts read',
  ]);
});
