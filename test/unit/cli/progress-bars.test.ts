import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { startBars } from '../../../src/cli/progress/bars.ts';
import { SIDE_WORDS } from '../../support/side-words.ts';
import { createTestTerminal } from './terminal.ts';

test('warnings stay on the terminal until there is a bar that they could disturb', () => {
  let isDiverted = false;
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80 }) as unknown as NodeJS.WriteStream;
  const divert = (to: unknown): void => {
    isDiverted = to !== null;
  };
  const { tell, stop } = startBars({ ...createTestTerminal(), stdout, divert }, SIDE_WORDS);
  expect(isDiverted).toBe(false);
  tell({ kind: 'listed', side: 'left', whole: true, contacts: 1, total: 2 });
  expect(isDiverted).toBe(true);
  stop();
  expect(isDiverted).toBe(false);
});
