import { expect, test } from 'vitest';
import { EMPTY_CONTACT } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import { mustBeRead, newHalf, nextHalf } from '../../../../src/core/state/half.ts';
import { showsCutText, withKnownTexts } from '../../../../src/core/state/cut-texts.ts';

const recordWith = (notes: string): ContactRecord => ({
  id: 'a',
  version: '1',
  modifiedAtMs: null,
  contact: { ...EMPTY_CONTACT, firstName: 'Ann', notes },
  groupIds: [],
  raw: '{}',
  originId: null,
  digest: 'd',
});

const WHOLE = 'a word or two '.repeat(200);

test.each([255, 256, 500, 1_000, 1_024, 2_047])('R17: a text that ends after %d characters may be cut', (length) => {
  const shown = recordWith(WHOLE.slice(0, length));
  expect(showsCutText(shown, recordWith(WHOLE))).toBe(true);
  const { digest: _, ...whole } = recordWith(WHOLE);
  expect(withKnownTexts(shown, recordWith(WHOLE))).toEqual(whole);
});

test.each([
  ['another length', WHOLE.slice(0, 261)],
  ['a short text', WHOLE.slice(0, 10)],
  ['another text', `b${WHOLE.slice(0, 254)}`],
  ['the whole text', WHOLE],
  ['no text', ''],
])('R17: %s cannot be a cut text', (_, notes) => {
  const shown = recordWith(notes);
  expect(showsCutText(shown, recordWith(WHOLE))).toBe(false);
  expect(withKnownTexts(shown, recordWith(WHOLE))).toBe(shown);
});

test('R17: a listing that shows a text cut changes nothing, and a read that shows it so does', () => {
  const base = { contact: recordWith(WHOLE).contact, groupIds: [] };
  const half: Half = { ...newHalf('left', recordWith(WHOLE), 1), pair: 1, base, state: 'settled' };
  const record = { ...recordWith(WHOLE.slice(0, 255)), version: '2' };
  expect(mustBeRead(half, record, 2)).toBe(true);
  expect(nextHalf('left', half, { kind: 'shown', record, atMs: 2 })).toMatchObject({
    state: 'settled',
    record: { version: '2', contact: base.contact },
  });
  expect(nextHalf('left', half, { kind: 'found', record, atMs: 2 })).toMatchObject({ state: 'changed', record });
});
