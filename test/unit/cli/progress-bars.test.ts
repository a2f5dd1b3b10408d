import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { startBars } from '../../../src/cli/terminal/progress.ts';
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

test('warnings stay on the terminal until a bar exists that they could disturb', () => {
  const { terminal, diverted } = openTerminal(24);
  const { show, stop } = startBars(terminal, SIDE_WORDS);
  expect(diverted).toHaveLength(0);
  show(HALF_READ);
  expect(diverted).toHaveLength(1);
  stop();
  expect(diverted).toHaveLength(0);
});

test('a warning is printed above the bars, which are drawn again below it', () => {
  const { terminal, diverted, shown } = openTerminal(24);
  const { show, stop } = startBars(terminal, SIDE_WORDS);
  show(HALF_READ);
  expect(shown()).toMatch(/^Google: reading .* 50% 1\/2 /u);
  diverted[0]?.('a warning\n');
  expect(shown()).toMatch(/^a warning\nGoogle: reading .* 50% 1\/2 /u);
  stop();
});

test('the last state of each bar stays on the terminal, whether or not it reports its size', () => {
  for (const rows of [24, 0]) {
    const { terminal, shown } = openTerminal(rows);
    const { show, stop } = startBars(terminal, SIDE_WORDS);
    show({ kind: 'planned', writes: { left: 0, right: 4 } });
    show({ kind: 'written', side: 'right', done: 1, total: 4, leftMs: 60_000 });
    show({ kind: 'written', side: 'right', done: 3, total: 4, leftMs: 20_000 });
    stop();
    expect(shown()).toMatch(/0% 0\/4.*\n.* 75% 3\/4 .*20 s left\n$/su);
  }
});
