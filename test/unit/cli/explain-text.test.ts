import { expect, test } from 'vitest';
import { formatHistory } from '../../../src/cli/contacts/explain.ts';
import type { Standing } from '../../../src/core/view/views.ts';
import { SIDE_WORDS } from '../../support/side-words.ts';
import { createTestTerminal } from './terminal.ts';

const standing = (given: Partial<Standing>): Standing => ({
  field: 'phoneNumbers',
  left: [],
  right: [],
  from: null,
  sinceMs: null,
  why: null,
  ...given,
});

const linesOf = (given: Partial<Standing>): readonly string[] => {
  const half = { id: 'c1', state: 'present', unsynced: [] } as const;
  const history = {
    name: 'Ada',
    status: 'linked',
    left: half,
    right: half,
    standings: [standing(given)],
    entries: [],
    conflicts: [],
    rejected: [],
    notSynced: [],
  } as const;
  const text = formatHistory({ link: { name: 'home', sides: SIDE_WORDS }, history }, createTestTerminal());
  return text.split('\n').slice(3, -1);
};

test('a single value is shown in one line with its source', () => {
  expect(linesOf({ field: 'title', left: ['Cook'], right: ['Cook'], from: 'left' })).toEqual([
    '  title: Cook - from Google',
  ]);
});

test('a list is shown with one value a line', () => {
  const both = ['1 Main St, Rome', '2 Oak St, Oslo'];
  expect(linesOf({ field: 'addresses', left: both, right: both })).toEqual([
    '  addresses: identical when first matched',
    '    1 Main St, Rome',
    '    2 Oak St, Oslo',
  ]);
});

test.each([
  ['+49 1', '+46 2', '+46 2', '+49 1', 'the same values in another order; from the service'],
  ['+49 1', '+46 2', '+491', '+462', 'the same values in another spelling; from the service'],
  ['+49 1', '+46 2', '+49 1', '+47 3', 'not the same on both sides; from the service'],
])(
  'values that differ are shown for each side, with the kind of difference: %s, %s and %s, %s',
  (a, b, c, d, source) => {
    expect(linesOf({ left: [a, b], right: [c, d], from: 'right' })).toEqual([
      `  phone numbers: ${source}`,
      `    Google: ${a}`,
      `    Google: ${b}`,
      `    Service: ${c}`,
      `    Service: ${d}`,
    ]);
  },
);

test('a field that one side does not have is empty there', () => {
  expect(linesOf({ field: 'title', left: ['Cook'], right: [] })).toEqual([
    '  title: not the same on both sides',
    '    Google: Cook',
    '    Service: (empty)',
  ]);
});
