import { expect, test } from 'vitest';
import { formatHistory } from '../../../src/cli/contacts/explain.ts';
import type { ContactHistory } from '../../../src/engine/history/explain.ts';
import type { FieldComparison } from '../../../src/core/view/views.ts';
import { SIDE_WORDS } from '../../support/side-words.ts';
import { createTestTerminal } from './terminal.ts';

const compared = (given: Partial<FieldComparison>): FieldComparison => ({
  field: 'phoneNumbers',
  left: [],
  right: [],
  from: null,
  sinceMs: null,
  why: null,
  ...given,
});

const PRESENT = { id: 'c1', state: 'present', unsynced: [] } as const;

const linesOf = (given: Partial<FieldComparison>, right: ContactHistory['right'] = PRESENT): readonly string[] => {
  const history = {
    name: 'Ada',
    status: 'linked',
    left: PRESENT,
    right,
    comparisons: [compared(given)],
    entries: [],
    conflicts: [],
    rejected: [],
    notSynced: [],
  } as const;
  const text = formatHistory({ link: { name: 'home', sides: SIDE_WORDS }, history }, createTestTerminal());
  return text.split('\n').slice(3, -1);
};

test.each<[what: string, given: Partial<FieldComparison>, lines: readonly string[]]>([
  [
    'a single value in one line with its source',
    { field: 'title', left: ['Cook'], right: ['Cook'], from: 'left' },
    ['  title: Cook - from Google'],
  ],
  [
    'a list with one value a line',
    { field: 'addresses', left: ['1 Main St, Rome', '2 Oak St, Oslo'], right: ['1 Main St, Rome', '2 Oak St, Oslo'] },
    ['  addresses: identical when first matched', '    1 Main St, Rome', '    2 Oak St, Oslo'],
  ],
  [
    'values in another order for each side',
    { left: ['+49 1', '+46 2'], right: ['+46 2', '+49 1'], from: 'right' },
    [
      '  phone numbers: the same values in another order; from the service',
      '    Google: +49 1',
      '    Google: +46 2',
      '    Service: +46 2',
      '    Service: +49 1',
    ],
  ],
  [
    'values in another spelling for each side',
    { left: ['+49 1'], right: ['+491'], from: 'right' },
    [
      '  phone numbers: the same values in another spelling; from the service',
      '    Google: +49 1',
      '    Service: +491',
    ],
  ],
  [
    'a field that one side does not have as empty there',
    { field: 'title', left: ['Cook'], right: [] },
    ['  title: not the same on both sides', '    Google: Cook', '    Service: (empty)'],
  ],
])('explain shows %s', (_what, given, lines) => {
  expect(linesOf(given)).toEqual(lines);
});

test('explain does not compare a contact of one side with a contact that does not exist', () => {
  const none = { id: null, state: 'none', unsynced: [] } as const;
  const undo = { kind: 'undo', of: '3f2a91c0-aaaa-bbbb-cccc-0123456789ab' } as const;
  const lone = (given: Partial<FieldComparison>) => linesOf(given, none);
  expect(lone({ field: 'title', left: ['Cook'] })).toEqual(['  title: Cook']);
  expect(lone({ left: ['+49 1', '+46 2'] })).toEqual(['  phone numbers:', '    +49 1', '    +46 2']);
  expect(lone({ field: 'title', left: ['Cook'], from: 'left', why: undo })).toEqual([
    '  title: Cook - from Google (undo of run 3f2a91c0)',
  ]);
});
