import { describe, expect, test } from 'vitest';
import { EMPTY_CONTACT } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import type { ReadAnswer } from '../../../../src/core/contact/requests.ts';
import { showsCutText, withKnownTexts } from '../../../../src/core/state/cut-texts.ts';
import { mustBeRead, newHalf, nextHalf } from '../../../../src/core/state/half.ts';
import { compareListing, observeListing, observeMissing } from '../../../../src/core/state/observe.ts';
import { type Cursor, type JournalRow, NO_CURSOR, type Rejection } from '../../../../src/core/state/rows.ts';
import {
  dueContacts,
  forgetUnread,
  isWaiting,
  rememberUnread,
  unreadableReason,
  unreadContact,
  unsettledWrite,
} from '../../../../src/core/state/unread.ts';
import { operationOf, rowOf } from '../../../support/store/rows.ts';
import { ADA, adaRecord, changesOf, HEARD_AT_MS, MODIFIED_AT_MS, pairedHalf, setOf } from '../../engine/support.ts';
import { record } from '../reconcile/support.ts';

/** Ada as changed by the user of her side. */
const edited = (id: string): ContactRecord =>
  record(id, { ...ADA, title: 'Countess' }, { modifiedAtMs: MODIFIED_AT_MS + 1 });

describe('[R7] a read of a contact that a listing missed', () => {
  const READ_AT_MS = 10_000_000;
  const SLOW = { confirmsAbsenceAfter: null, settlesWithinMs: 600 };
  /** A side that shows its writes at once, and whose listings are trusted after two absences. */
  const TWICE = { confirmsAbsenceAfter: 2, settlesWithinMs: 0 };
  const FOUND: ReadAnswer = { kind: 'found', record: adaRecord('x') };
  const WITHHELD: ReadAnswer = { kind: 'withheld', reason: 'refused' };

  const written = (agoMs: number): Partial<Half> => ({ writtenAtMs: READ_AT_MS - agoMs });
  const modified = (agoMs: number): Partial<Half> => ({ record: adaRecord('x', { modifiedAtMs: READ_AT_MS - agoMs }) });
  const doubted = (agoMs: number): Partial<Half> => ({ state: 'doubted', heardAtMs: READ_AT_MS - agoMs });
  const foundEdited = (agoMs: number): ReadAnswer => ({
    kind: 'found',
    record: { ...edited('x'), modifiedAtMs: READ_AT_MS - agoMs },
  });

  const confirmed = (given: Partial<Half>, answer: ReadAnswer, confirmation: Parameters<typeof observeMissing>[3]) => {
    const half = pairedHalf('left', 'x', 1, { state: 'missing', ...given });
    const set = setOf([half, pairedHalf('right', 's', 1)]);
    observeMissing(set, half, answer, confirmation, READ_AT_MS);
    return set.pair(1)?.left;
  };

  test.each<{ rule: string; given?: Partial<Half>; on?: typeof TWICE; expected: Partial<Half> }>([
    { rule: 'is deleted', expected: { state: 'gone', heardAtMs: READ_AT_MS } },
    {
      rule: 'is settling after a recent write',
      given: written(599),
      expected: { state: 'settling', heardAtMs: READ_AT_MS },
    },
    { rule: 'is deleted after an earlier write', given: written(600), expected: { state: 'gone' } },
    {
      rule: 'is settling after a recent change at its side',
      given: modified(899_999),
      expected: { state: 'settling' },
    },
    { rule: 'is deleted after an earlier change at its side', given: modified(900_000), expected: { state: 'gone' } },
    { rule: 'is settling still', given: { state: 'settling', ...written(1) }, expected: { state: 'settling' } },
    {
      rule: 'is deleted once it has settled',
      given: { state: 'settling', writtenAtMs: 0 },
      expected: { state: 'gone' },
    },
    {
      rule: 'is deleted after a write by a clock a year ahead',
      given: written(-31_536_000_000),
      expected: { state: 'gone' },
    },
    { rule: 'is deleted at once after a change', given: modified(1), on: TWICE, expected: { state: 'gone' } },
    { rule: 'is deleted at once after a write', given: written(0), on: TWICE, expected: { state: 'gone' } },
    {
      rule: 'is deleted at once although the clock was set back',
      given: written(-1),
      on: TWICE,
      expected: { state: 'gone' },
    },
  ])('that does not find it: $rule', ({ given = {}, on = SLOW, expected }) => {
    expect(confirmed(given, { kind: 'gone' }, on)).toMatchObject(expected);
  });

  test.each<{ rule: string; given?: Partial<Half>; answer?: ReadAnswer; on?: typeof TWICE; expected: Partial<Half> }>([
    { rule: 'exists', expected: { state: 'settled' } },
    { rule: 'exists after any number of absences', given: { absences: 9 }, expected: { state: 'settled' } },
    { rule: 'stays unconfirmed shortly after its deletion', given: doubted(599), expected: { state: 'doubted' } },
    { rule: 'exists longer after its deletion', given: doubted(600), expected: { state: 'settled' } },
    { rule: 'exists shortly after its deletion', given: doubted(1), on: TWICE, expected: { state: 'settled' } },
    {
      rule: 'exists if it changed since',
      given: doubted(599),
      answer: foundEdited(598),
      expected: { state: 'changed' },
    },
    {
      rule: 'stays unconfirmed if its stamp is ahead of the clock',
      given: doubted(599),
      answer: foundEdited(-1),
      expected: { state: 'doubted' },
    },
    {
      rule: 'stays unconfirmed if its stamp was known before the deletion',
      given: { ...doubted(599), ...modified(598) },
      answer: foundEdited(598),
      expected: { state: 'doubted' },
    },
    { rule: 'exists after the first of two absences', on: TWICE, expected: { state: 'settled', absences: 1 } },
    { rule: 'is deleted after two absences in a row', given: { absences: 1 }, on: TWICE, expected: { state: 'gone' } },
    {
      rule: 'is planned if it was edited',
      answer: { kind: 'found', record: edited('x') },
      on: TWICE,
      expected: { state: 'changed', record: edited('x'), absences: 1 },
    },
  ])('that finds it: $rule', ({ given = {}, answer = FOUND, on = SLOW, expected }) => {
    expect(confirmed(given, answer, on)).toMatchObject(expected);
  });

  test.each<{ rule: string; given?: Partial<Half>; answer?: ReadAnswer; expected: Partial<Half> }>([
    { rule: 'is deleted if the read is refused', expected: { state: 'gone' } },
    { rule: 'is settling if the read is refused after a write', given: written(1), expected: { state: 'settling' } },
    { rule: 'stays unconfirmed if the read is refused', given: { state: 'doubted' }, expected: { state: 'doubted' } },
    {
      rule: 'exists under its new id',
      answer: { kind: 'moved', record: edited('y') },
      expected: { id: 'y', state: 'changed' },
    },
    {
      rule: 'is left to the next listing if the response is unreadable',
      answer: { kind: 'unreadable', reason: 'no shape' },
      expected: { state: 'settled', absences: 0 },
    },
  ])('$rule', ({ given = {}, answer = WITHHELD, expected }) => {
    expect(confirmed(given, answer, answer === WITHHELD ? SLOW : TWICE)).toMatchObject(expected);
  });

  test('needs two listings in a row: after a listing that shows it the count restarts', () => {
    const set = setOf([pairedHalf('left', 'x', 1, { state: 'missing' }), pairedHalf('right', 's', 1)]);
    const cursor: Cursor = { ...NO_CURSOR, listingStartedAtMs: HEARD_AT_MS + 1 };
    const list = (shown: readonly string[]) => {
      const index = set.halves().filter(({ side }) => side === 'left');
      observeListing(set, 'left', compareListing(index, shown), new Set(), cursor, READ_AT_MS);
      const half = set.half('left', 'x');
      if (half?.state === 'missing') observeMissing(set, half, FOUND, TWICE, READ_AT_MS);
      return set.half('left', 'x')?.state;
    };
    expect([list([]), list(['x']), list([]), list([])]).toEqual(['settled', 'settled', 'settled', 'gone']);
  });
});

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

const PARAGRAPHS = 'a word or two\nthree\n\n'.repeat(30);

test.each([
  ['is cut and then loses its line breaks', PARAGRAPHS.slice(0, 256).replaceAll(/\s+/gu, ' ').trim()],
  ['loses its line breaks and is then cut', PARAGRAPHS.replaceAll(/\s+/gu, ' ').slice(0, 255)],
  ['is cut and ends with three dots', `${PARAGRAPHS.slice(0, 250)}...`],
  ['is cut and ends with an ellipsis', `${PARAGRAPHS.replaceAll(/\s+/gu, ' ').slice(0, 254)}…`],
])('R17: a note that %s is read again', (_, notes) => {
  const shown = recordWith(notes);
  expect(showsCutText(shown, recordWith(PARAGRAPHS))).toBe(true);
  expect(withKnownTexts(shown, recordWith(PARAGRAPHS)).contact.notes).toBe(PARAGRAPHS);
});

test('R17: a note that a listing shows without its line breaks is the known one, and is not read', () => {
  const [shown, known] = [recordWith('a b c'), recordWith('a\n\nb\nc')];
  expect(showsCutText(shown, known)).toBe(false);
  expect(withKnownTexts(shown, known).contact.notes).toBe('a\n\nb\nc');
  expect(withKnownTexts(recordWith('a b d'), known).contact.notes).toBe('a b d');
});

test('R17: a website that a listing shows cut is read again and stays', () => {
  const of = (...values: readonly string[]): ContactRecord => {
    const websites = values.map((value) => ({ value, label: null }));
    return { ...recordWith(''), contact: { ...EMPTY_CONTACT, websites } };
  };
  const whole = `https://x.org/${'a'.repeat(300)}`;
  const known = of('https://y.org', whole);
  const shown = of('https://y.org', whole.slice(0, 255));
  expect(showsCutText(shown, known)).toBe(true);
  expect(withKnownTexts(shown, known).contact).toEqual(known.contact);
  expect(showsCutText(of('https://y.org', whole, whole.slice(0, 255)), known)).toBe(false);
});

test('R17: a listing that shows a text cut changes nothing, and a read that shows it so does', () => {
  const base = { contact: recordWith(WHOLE).contact, groupIds: [] };
  const half: Half = { ...newHalf('left', recordWith(WHOLE), 1), pair: 1, base, state: 'settled' };
  const cut = { ...recordWith(WHOLE.slice(0, 255)), version: '2' };
  expect(mustBeRead(half, cut, 2)).toBe(true);
  expect(nextHalf('left', half, { kind: 'shown', record: cut, atMs: 2 })).toMatchObject({
    state: 'settled',
    record: { version: '2', contact: base.contact },
  });
  expect(nextHalf('left', half, { kind: 'found', record: cut, atMs: 2 })).toMatchObject({
    state: 'changed',
    record: cut,
  });
});

const MINUTE_MS = 60_000;

const DAY_MS = 24 * 60 * MINUTE_MS;

const ODD = unreadContact('left', 'odd');

const ROW: JournalRow = rowOf(operationOf('delete', { side: 'right', before: adaRecord('r') }), { id: 7 });

/** The rejections after failed reads at these times. */
const readAt = (times: readonly number[], unread = ODD, known: readonly Rejection[] = []): readonly Rejection[] => {
  return times.reduce((rejections, atMs) => {
    const set = setOf([]);
    rememberUnread(set, unread, `in vain at ${atMs}`, rejections, atMs);
    const [put] = changesOf(set, 'put').flatMap(({ table, row }) => (table === 'rejections' ? [row] : []));
    const isOther = (each: Rejection): boolean => each.key !== unread.key || each.side !== unread.side;
    return put === undefined ? rejections : [...rejections.filter(isOther), put];
  }, known);
};

describe('[R15] a contact that could not be read', () => {
  test('is read again after five minutes, then after twice as long each time, at most after a day', () => {
    expect(readAt([0])).toEqual([
      {
        side: 'left',
        key: 'unread odd',
        leftId: 'odd',
        rightId: null,
        reason: 'in vain at 0',
        sourceFingerprint: '',
        attempts: 1,
        retryAtMs: 5 * MINUTE_MS,
      },
    ]);
    expect(readAt([0, 0])[0]).toMatchObject({ attempts: 2, retryAtMs: 10 * MINUTE_MS });
    expect(readAt(Array.from({ length: 20 }, () => 0))[0]).toMatchObject({ retryAtMs: DAY_MS });
  });

  test('waits until then', () => {
    const rejections = readAt([0]);
    expect(isWaiting(rejections, ODD, 5 * MINUTE_MS - 1)).toBe(true);
    expect(isWaiting(rejections, ODD, 5 * MINUTE_MS)).toBe(false);
    expect(isWaiting(rejections, unreadContact('right', 'odd'), 0)).toBe(false);
    expect(isWaiting([], ODD, 0)).toBe(false);
  });

  test('is dropped once it was read, and no other is', () => {
    const set = setOf([]);
    forgetUnread(set, unreadContact('left', 'other'), readAt([0]));
    expect(set.changes()).toEqual([]);
    forgetUnread(set, ODD, readAt([0]));
    expect(set.changes()).toEqual([{ kind: 'drop', table: 'rejections', where: { side: 'left', key: 'unread odd' } }]);
  });

  test('of a write is identified by its entry and by both contacts', () => {
    expect(unsettledWrite(ROW)).toEqual({ side: 'right', key: 'unsettled 7', leftId: 'l1', rightId: 'r1' });
  });
});

test('[R5] contacts that are due are read, those that have waited longest first; writes are not', () => {
  const late = readAt([2], unreadContact('left', 'late'));
  const early = readAt([1], unreadContact('left', 'early'), late);
  const rejections = readAt(
    [0],
    unsettledWrite({ ...ROW, side: 'left' }),
    readAt([0], unreadContact('right', 'r'), early),
  );
  expect(dueContacts(rejections, 'left', 5 * MINUTE_MS + 1)).toEqual(['early']);
  expect(dueContacts(rejections, 'left', DAY_MS)).toEqual(['early', 'late']);
});

test('an inconclusive response has a reason', () => {
  expect(unreadableReason(undefined)).toBe('the side did not answer for the contact');
  expect(unreadableReason({ kind: 'unreadable', reason: 'no shape' })).toBe('no shape');
  expect(unreadableReason({ kind: 'withheld', reason: 'refused' })).toBe('refused');
  expect(unreadableReason({ kind: 'gone' })).toBeNull();
  expect(unreadableReason({ kind: 'found', record: adaRecord('x') })).toBeNull();
});
