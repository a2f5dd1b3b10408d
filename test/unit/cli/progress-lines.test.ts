import { expect, test } from 'vitest';
import { startLines } from '../../../src/cli/terminal/progress.ts';
import { SIDE_WORDS } from '../../support/side-words.ts';
import { createTestTerminal } from './terminal.ts';

test('there is a line for each step and one a minute, in one order for every order of the events, and none for contacts', () => {
  const terminal = createTestTerminal();
  let nowMs = 0;
  const { show, stop } = startLines(terminal, SIDE_WORDS, () => nowMs);
  show({ kind: 'listed', side: 'right', whole: false, contacts: 1, total: null });
  for (let page = 1; page <= 4; page += 1) {
    show({ kind: 'listed', side: 'left', whole: true, contacts: page * 300, total: 1200 });
  }
  show({ kind: 'planned', writes: { left: 16, right: 1200 } });
  show({ kind: 'written', side: 'left', done: 0, total: 16, leftMs: 2_000 });
  show({ kind: 'written', side: 'right', done: 0, total: 1200, leftMs: 144_000 });
  show({ kind: 'written', side: 'left', done: 16, total: 16, leftMs: 0 });
  for (let done = 1; done <= 1200; done += 1) {
    nowMs += 120;
    show({ kind: 'written', side: 'right', done, total: 1200, leftMs: (1200 - done) * 120 });
  }
  stop();
  expect(terminal.printed).toEqual([
    'Google: 1,200 contacts read',
    'Service: 1 change read',
    'Google: 16 writes to do',
    'Service: 1,200 writes to do',
    'Service: 0 of 1,200 writes done, about 2 min left',
    'Service: 500 of 1,200 writes done, about 1 min left',
    'Service: 1,000 of 1,200 writes done, about 24 s left',
    'Google: 16 writes done',
    'Service: 1,200 writes done',
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
