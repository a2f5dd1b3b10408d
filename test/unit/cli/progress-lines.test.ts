import { expect, test } from 'vitest';
import { startLines } from '../../../src/cli/progress/lines.ts';
import { SIDE_WORDS } from '../../support/side-words.ts';
import { createTestTerminal } from './terminal.ts';

test('a line for each step, in one order whatever the order of the events, and none for contacts', () => {
  const terminal = createTestTerminal();
  const { tell, stop } = startLines(terminal, SIDE_WORDS);
  tell({ kind: 'listed', side: 'right', whole: false, contacts: 1, total: null });
  for (let page = 1; page <= 4; page += 1) {
    tell({ kind: 'listed', side: 'left', whole: true, contacts: page * 300, total: 1200 });
  }
  tell({ kind: 'planned', writes: { left: 0, right: 1200 } });
  for (let done = 1; done <= 1200; done += 1) tell({ kind: 'written', side: 'right', done, total: 1200 });
  stop();
  expect(terminal.printed).toEqual([
    'Google: 1,200 contacts read',
    'Service: 1 change read',
    'Google: 0 writes to do',
    'Service: 1,200 writes to do',
    'Service: 500 of 1,200 writes done',
    'Service: 1000 of 1,200 writes done',
    'Service: 1,200 writes done',
  ]);
});

test('what was read is shown also where no plan came of it', () => {
  const terminal = createTestTerminal();
  const { tell, stop } = startLines(terminal, SIDE_WORDS);
  tell({ kind: 'relisting', side: 'left', reason: 'expired' });
  tell({ kind: 'listed', side: 'left', whole: true, contacts: 7, total: null });
  stop();
  expect(terminal.printed).toEqual([
    'Google: the change feed has expired, reading all contacts',
    'Google: 7 contacts read',
  ]);
});
