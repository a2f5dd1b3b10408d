import { describe, expect, test } from 'vitest';
import { EMPTY_CONTACT } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import type { ReadAnswer } from '../../../../src/core/contact/requests.ts';
import { EMPTY_SNAPSHOT, snapshotOf } from '../../../../src/core/contact/snapshot.ts';
import { showsCutText, withKnownTexts } from '../../../../src/core/state/cut-texts.ts';
import { mustBeRead, nextHalf } from '../../../../src/core/state/half-transitions.ts';
import { compareListing, observeListing, observeMissing } from '../../../../src/core/state/observe.ts';
import { type Cursor, NO_CURSOR, type Rejection } from '../../../../src/core/state/rows.ts';
import {
  dueContacts,
  forgetUnread,
  isWaiting,
  rememberUnread,
  unreadContact,
  unansweredWrite,
} from '../../../../src/core/state/unread.ts';
import { operationOf, rowOf } from '../../../support/store/rows.ts';
import { ADA, adaRecord, changesOf, HEARD_AT_MS, MODIFIED_AT_MS, pairedHalf, setOf } from '../../engine/support.ts';
import { record, values } from '../reconcile/support.ts';

type Confirmation = Parameters<typeof observeMissing>[3];

/** Ada as changed by the user of her side. */
const edited = (id: string): ContactRecord =>
  record(id, { ...ADA, title: 'Countess' }, { modifiedAtMs: MODIFIED_AT_MS + 1 });

describe('[R7] a read of a contact that a listing missed', () => {
  const READ_AT_MS = 10_000_000;
  const SLOW = { confirmsAbsenceAfter: null, lagMs: 600 };
  /** A side that shows its writes at once, and whose listings are trusted after two absences. */
  const TWICE = { confirmsAbsenceAfter: 2, lagMs: 0 };
  const FOUND: ReadAnswer = { kind: 'found', record: adaRecord('x') };
  const WITHHELD: ReadAnswer = { kind: 'withheld', reason: 'refused' };
  const UNREADABLE: ReadAnswer = { kind: 'unreadable', reason: 'no shape' };

  const written = (agoMs: number): Partial<Half> => ({ writtenAtMs: READ_AT_MS - agoMs });
  const modified = (agoMs: number | null): Partial<Half> => ({
    record: adaRecord('x', { modifiedAtMs: agoMs === null ? null : READ_AT_MS - agoMs }),
  });
  const missedTwice = (agoMs: number | null): Partial<Half> => ({ absences: 1, ...modified(agoMs) });
  const doubted = (agoMs: number): Partial<Half> => ({ state: 'doubted', heardAtMs: READ_AT_MS - agoMs });
  const foundEdited = (agoMs: number): ReadAnswer => ({
    kind: 'found',
    record: { ...edited('x'), modifiedAtMs: READ_AT_MS - agoMs },
  });

  const [EXISTS, GONE] = [{ state: 'settled' }, { state: 'gone' }] as const;
  const [UNSEEN, DOUBTED] = [{ state: 'unseen' }, { state: 'doubted' }] as const;
  const TWICE_MISSED = { absences: 1 };
  const KNOWN_STAMP = { ...doubted(599), ...modified(598) };
  const WRITTEN_BEFORE = { ...TWICE_MISSED, ...written(600_000) };
  const STAYS = { ...EXISTS, absences: 1 };
  const PLANNED = { state: 'changed', record: edited('x'), absences: 1 } as const;
  const MISSED_NOW = { heardAtMs: READ_AT_MS };
  const NO: ReadAnswer = { kind: 'gone' };
  const MOVED: ReadAnswer = { kind: 'moved', record: edited('y') };

  test.each<[string, Partial<Half>, ReadAnswer, Confirmation, Partial<Half>]>([
    ['does not find it: is deleted', {}, NO, SLOW, { ...GONE, ...MISSED_NOW }],
    ['does not find it: is unseen after a recent write', written(599), NO, SLOW, { ...UNSEEN, ...MISSED_NOW }],
    ['does not find it: is deleted after an earlier write', written(600), NO, SLOW, GONE],
    ['does not find it: is unseen after a recent change at its side', modified(899_999), NO, SLOW, UNSEEN],
    ['does not find it: is deleted after an earlier change at its side', modified(900_000), NO, SLOW, GONE],
    ['does not find it: is unseen still', { ...UNSEEN, ...written(1) }, NO, SLOW, UNSEEN],
    ['does not find it: is deleted once it has settled', { ...UNSEEN, writtenAtMs: 0 }, NO, SLOW, GONE],
    ['does not find it: is deleted after a write by a clock a year ahead', written(-31_536_000_000), NO, SLOW, GONE],
    ['does not find it: is deleted at once after a change', modified(1), NO, TWICE, GONE],
    ['does not find it: is deleted at once after a write', written(0), NO, TWICE, GONE],
    ['finds it: exists', {}, FOUND, SLOW, EXISTS],
    ['finds it: exists after any number of absences', { absences: 9 }, FOUND, SLOW, EXISTS],
    ['finds it: stays unconfirmed shortly after its deletion', doubted(599), FOUND, SLOW, DOUBTED],
    ['finds it: exists longer after its deletion', doubted(600), FOUND, SLOW, EXISTS],
    ['finds it: exists shortly after its deletion', doubted(1), FOUND, TWICE, EXISTS],
    ['finds it: exists if it changed since', doubted(599), foundEdited(598), SLOW, { state: 'changed' }],
    ['finds it: stays unconfirmed if its stamp is ahead of us', doubted(599), foundEdited(-1), SLOW, DOUBTED],
    ['finds it: stays so if its stamp was known', KNOWN_STAMP, foundEdited(598), SLOW, DOUBTED],
    ['finds it: exists after the first of two absences', {}, FOUND, TWICE, STAYS],
    ['finds it: is deleted after two absences in a row', TWICE_MISSED, FOUND, TWICE, GONE],
    ['finds it: exists after two and a recent write', { ...TWICE_MISSED, ...written(599_999) }, FOUND, TWICE, STAYS],
    ['finds it: is deleted after two and an earlier write', WRITTEN_BEFORE, FOUND, TWICE, GONE],
    ['finds it: exists after two and a recent change', missedTwice(899_999), FOUND, TWICE, STAYS],
    ['finds it: is deleted after two and an earlier change', missedTwice(900_000), FOUND, TWICE, GONE],
    ['finds it: is deleted after two if its side reports no time', missedTwice(null), FOUND, TWICE, GONE],
    ['finds it: is deleted after two if its time is unusable', missedTwice(-300_001), FOUND, TWICE, GONE],
    ['finds it: is planned if it was edited', {}, { kind: 'found', record: edited('x') }, TWICE, PLANNED],
    ['is refused: is deleted', {}, WITHHELD, SLOW, GONE],
    ['is refused: is unseen after a write', written(1), WITHHELD, SLOW, UNSEEN],
    ['is refused: stays unconfirmed', DOUBTED, WITHHELD, SLOW, DOUBTED],
    ['finds another id: exists under its new id', {}, MOVED, TWICE, { id: 'y', state: 'changed' }],
    ['is unreadable: is left to the next listing', {}, UNREADABLE, TWICE, { ...EXISTS, absences: 0 }],
  ])('that %s', (_, given, answer, on, expected) => {
    const half = pairedHalf('left', 'x', 1, { state: 'missing', ...given });
    const set = setOf([half, pairedHalf('right', 's', 1)]);
    observeMissing(set, half, answer, on, READ_AT_MS);
    expect(set.pair(1)?.left).toMatchObject(expected);
  });

  test.each([
    ['the other half counts as edited', 'an edit', 3_500_000, EMPTY_SNAPSHOT, 'changed'],
    ['the deletion is carried out', 'no edit', null, snapshotOf(adaRecord('s')), 'settled'],
    ['the deletion is carried out', 'an edit only before', 4_000_001, snapshotOf(adaRecord('s')), 'settled'],
  ])('[R6] %s if this link wrote %s since a listing last contained the contact', (_, __, editedAgoMs, base, state) => {
    const editWrittenAtMs = editedAgoMs === null ? null : READ_AT_MS - editedAgoMs;
    const times = { ...written(3_000_000), editWrittenAtMs, lastListedAtMs: READ_AT_MS - 4_000_000 };
    const half = pairedHalf('left', 'x', 1, { state: 'missing', ...TWICE_MISSED, ...times });
    const set = setOf([half, pairedHalf('right', 's', 1)]);
    observeMissing(set, half, FOUND, TWICE, READ_AT_MS);
    expect(set.pair(1)).toMatchObject({ left: { state: 'gone' }, right: { base, state } });
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
  ...record('a', {}, { digest: 'd' }),
  contact: { ...EMPTY_CONTACT, firstName: 'Ann', notes },
});

const WHOLE = 'a word or two '.repeat(200);
const PARAGRAPHS = 'a word or two\nthree\n\n'.repeat(30);
const FLAT = PARAGRAPHS.replaceAll(/\s+/gu, ' ');

test.each([
  ...[255, 256, 500, 1_000, 1_024, 2_047].map(
    (length) => [`ends after ${length}`, WHOLE.slice(0, length), WHOLE] as const,
  ),
  ['is cut and then loses its line breaks', PARAGRAPHS.slice(0, 256).replaceAll(/\s+/gu, ' ').trim(), PARAGRAPHS],
  ['loses its line breaks and is then cut', FLAT.slice(0, 255), PARAGRAPHS],
  ['is cut and ends with three dots', `${PARAGRAPHS.slice(0, 250)}...`, PARAGRAPHS],
  ['is cut and ends with an ellipsis', `${FLAT.slice(0, 254)}…`, PARAGRAPHS],
] as const)('R17: a note that %s is read again, and stays the known one', (_, notes, known) => {
  expect(showsCutText(recordWith(notes), recordWith(known))).toBe(true);
  const { digest: __, ...whole } = recordWith(known);
  expect(withKnownTexts(recordWith(notes), recordWith(known), false)).toEqual(whole);
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
  expect(withKnownTexts(shown, recordWith(WHOLE), false)).toBe(shown);
});

test('R17: a note that a side shows without its line breaks is the known one, and is not read', () => {
  const [shown, known] = [recordWith('a b c'), recordWith('a\n\nb\nc')];
  expect(showsCutText(shown, known)).toBe(false);
  expect(withKnownTexts(shown, known, true).contact.notes).toBe('a\n\nb\nc');
  expect(withKnownTexts(recordWith('a b d'), known, true).contact.notes).toBe('a b d');
});

test('R17: a website that a listing shows cut is read again and stays', () => {
  const of = (...list: readonly string[]) => record('a', { websites: values(...list) });
  const whole = `https://x.org/${'a'.repeat(300)}`;
  const known = of('https://y.org', whole);
  const shown = of('https://y.org', whole.slice(0, 255));
  expect(showsCutText(shown, known)).toBe(true);
  expect(withKnownTexts(shown, known, false).contact).toEqual(known.contact);
  expect(showsCutText(of('https://y.org', whole, whole.slice(0, 255)), known)).toBe(false);
});

test('R17: a listing that shows a text cut changes nothing, and a read that shows it so does', () => {
  const half = pairedHalf('left', 'a', 1, { record: recordWith(WHOLE) });
  const cut = { ...recordWith(WHOLE.slice(0, 255)), version: '2' };
  expect(mustBeRead(half, cut, 2)).toBe(true);
  const seen = (kind: 'shown' | 'found') => nextHalf('left', half, { kind, record: cut, atMs: 2 });
  const { contact } = recordWith(WHOLE);
  expect(seen('shown')).toMatchObject({ state: 'settled', record: { version: '2', contact } });
  expect(seen('found')).toMatchObject({ state: 'changed', record: cut });
});

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ODD = unreadContact('left', 'odd');

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

test('R15: an unreadable contact is read again after five minutes, then after twice as long, at most after a day', () => {
  const first = { ...ODD, reason: 'in vain at 0', sourceFingerprint: '', attempts: 1, retryAtMs: 5 * MINUTE_MS };
  expect(readAt([0])).toEqual([first]);
  expect(readAt([0, 0])[0]).toMatchObject({ attempts: 2, retryAtMs: 10 * MINUTE_MS });
  expect(readAt(Array.from({ length: 20 }, () => 0))[0]).toMatchObject({ retryAtMs: DAY_MS });
  const waits = [5 * MINUTE_MS - 1, 5 * MINUTE_MS].map((atMs) => isWaiting(readAt([0]), ODD, atMs));
  expect(waits).toEqual([true, false]);
  expect([isWaiting(readAt([0]), unreadContact('right', 'odd'), 0), isWaiting([], ODD, 0)]).toEqual([false, false]);
});

test('R15: an unreadable contact is forgotten once it was read, and no other is', () => {
  const set = setOf([]);
  forgetUnread(set, unreadContact('left', 'other'), readAt([0]));
  expect(set.changes()).toEqual([]);
  forgetUnread(set, ODD, readAt([0]));
  expect(set.changes()).toEqual([{ kind: 'drop', table: 'rejections', where: { side: 'left', key: 'unread odd' } }]);
});

test('R5: contacts that are due are read, those that have waited longest first; writes are not', () => {
  const late = readAt([2], unreadContact('left', 'late'));
  const early = readAt([1], unreadContact('left', 'early'), late);
  const write = unansweredWrite(rowOf(operationOf('delete', { before: adaRecord('r') }), { id: 7 }));
  const rejections = readAt([0], write, readAt([0], unreadContact('right', 'r'), early));
  expect(dueContacts(rejections, 'left', 5 * MINUTE_MS + 1)).toEqual(['early']);
  expect(dueContacts(rejections, 'left', DAY_MS)).toEqual(['early', 'late']);
});
