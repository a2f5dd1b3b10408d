import { expect, test } from 'vitest';
import { formatHistory } from '../../../src/cli/contacts/explain.ts';
import type { ContactHistory } from '../../../src/engine/history/explain.ts';
import type { FieldComparison } from '../../../src/core/view/views.ts';
import { SIDE_WORDS } from '../../support/side-words.ts';
import { createTestTerminal } from './terminal.ts';

const PRESENT = { id: 'c1', state: 'present', unsynced: [] } as const;
const NOTHING = { entries: [], conflicts: [], rejected: [], notSynced: [] } as const;

/** Returns the lines about the field of a contact with these values on both sides, in one text. */
const textOf = (given: Partial<FieldComparison>, right: ContactHistory['right'] = PRESENT): string => {
  const unknown = { left: [], right: [], from: null, sinceMs: null, why: null } as const;
  const comparisons = [{ field: 'phoneNumbers', ...unknown, ...given } as const];
  const history = { name: 'Ada', status: 'linked', left: PRESENT, right, comparisons, ...NOTHING } as const;
  const text = formatHistory({ link: { name: 'home', sides: SIDE_WORDS }, history }, createTestTerminal());
  const lines = text.split('\n').slice(3, -1);
  return lines.map((line) => line.trim()).join(' | ');
};

const COOK = { field: 'title', left: ['Cook'] } as const;
const SAME = { ...COOK, right: ['Cook'], from: 'left' } as const;
const STREETS = { field: 'addresses', left: ['1 Main St', '2 Oak St'], right: ['1 Main St', '2 Oak St'] } as const;
const ORDERED = { left: ['1', '2'], right: ['2', '1'], from: 'right' } as const;
const SPELT = { left: ['+49 1'], right: ['+491'], from: 'right' } as const;
const NONE = { id: null, state: 'none', unsynced: [] } as const;
const UNDO = { kind: 'undo', of: '3f2a91c0-aaaa-bbbb-cccc-0123456789ab' } as const;
const same = (way: string, values: string): string => `the same values in another ${way}; from the service | ${values}`;
const ORDER = same('order', 'Google: 1 | Google: 2 | Service: 2 | Service: 1');
const SPELLING = same('spelling', 'Google: +49 1 | Service: +491');

test.each<[what: string, Partial<FieldComparison>, text: string, right?: ContactHistory['right']]>([
  ['a single value in one line with its source', SAME, 'title: Cook - from Google'],
  ['a list with one value a line', STREETS, 'addresses: identical when first matched | 1 Main St | 2 Oak St'],
  ['values in another order for each side', ORDERED, `phone numbers: ${ORDER}`],
  ['values in another spelling for each side', SPELT, `phone numbers: ${SPELLING}`],
  ['a missing value as empty', COOK, 'title: not the same on both sides | Google: Cook | Service: (empty)'],
  ['no difference from a contact that does not exist', COOK, 'title: Cook', NONE],
  ['a list of a contact on one side only', { left: ['1', '2'] }, 'phone numbers: | 1 | 2', NONE],
  ['an undo as source', { ...COOK, from: 'left', why: UNDO }, 'title: Cook - from Google (undo of run 3f2a91c0)', NONE],
])('explain shows %s', (_what, given, text, right) => {
  expect(textOf(given, right)).toBe(text);
});
