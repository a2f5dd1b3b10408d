import type { ReadAnswer } from '../../../../src/core/contact/requests.ts';
import { NO_CURSOR, type Cursor } from '../../../../src/core/state/rows.ts';
import { describe, expect, test } from 'vitest';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import { compareListing, observeAnswer, observeListing, observeMissing } from '../../../../src/core/state/observe.ts';
import { adaRecord, HEARD_AT_MS, linkedPair, pairedHalf, setOf } from '../../engine/support.ts';
import { edited, stateOf } from './support.ts';

const NOW = 10;

describe('[R7] a read of a contact', () => {
  const answered = (answer: ReadAnswer | undefined, halves: readonly Half[] = linkedPair(1, 'x', 's')) => {
    const set = setOf(halves);
    observeAnswer(set, 'left', 'x', answer, NOW);
    return set;
  };

  test('that finds it stores it', () => {
    expect(answered({ kind: 'found', record: edited('x') }).half('left', 'x')).toMatchObject({
      state: 'changed',
      record: edited('x'),
    });
  });

  test('that does not find it is evidence of its deletion', () => {
    expect(stateOf(answered({ kind: 'gone' }), 'x')).toBe('gone');
  });

  test('[R12] that returns another contact stores that contact in its place', () => {
    const set = answered({ kind: 'moved', record: edited('y') });
    expect(stateOf(set, 'x')).toBe('gone');
    expect(set.pair(1)?.left).toMatchObject({ id: 'y', record: edited('y'), state: 'changed' });
  });

  test('[R12] that returns the contact of another pair marks it as merged away', () => {
    const set = answered({ kind: 'moved', record: edited('y') }, [
      ...linkedPair(1, 'x', 's'),
      ...linkedPair(2, 'y', 't'),
    ]);
    expect(set.half('left', 'x')).toMatchObject({ state: 'gone', mergedInto: 'y' });
    expect(set.half('left', 'y')).toMatchObject({ state: 'changed', record: edited('y') });
  });

  test.each([undefined, { kind: 'unreadable', reason: 'no shape' }, { kind: 'withheld', reason: 'refused' }] as const)(
    'that is inconclusive (%j) changes nothing',
    (answer) => {
      expect(answered(answer).changes()).toEqual([]);
    },
  );
});

describe('[R7] a read of a contact that a listing missed', () => {
  const NEVER = { confirmsAbsenceAfter: null, settlesWithinMs: 600, writtenWithoutEdit: false };
  const TWICE = { confirmsAbsenceAfter: 2, settlesWithinMs: 0, writtenWithoutEdit: false };
  const READ_AT_MS = 10_000_000;
  const found = (of: ContactRecord): ReadAnswer => ({ kind: 'found', record: of });
  const GONE: ReadAnswer = { kind: 'gone' };
  const WITHHELD: ReadAnswer = { kind: 'withheld', reason: 'refused' };

  const confirmed = (given: Partial<Half>, answer: ReadAnswer, confirmation: Parameters<typeof observeMissing>[3]) => {
    const half = pairedHalf('left', 'x', 1, { state: 'missing', ...given });
    const set = setOf([half, pairedHalf('right', 's', 1)]);
    observeMissing(set, half, answer, confirmation, READ_AT_MS);
    return set.pair(1)?.left;
  };

  test.each<[string, Partial<Half>, ReadAnswer, Parameters<typeof observeMissing>[3], Partial<Half>]>([
    ['is deleted if no read finds it', {}, GONE, NEVER, { state: 'gone', heardAtMs: READ_AT_MS }],
    [
      'is settling if it was written recently',
      { writtenAtMs: READ_AT_MS - 599 },
      GONE,
      NEVER,
      { state: 'settling', heardAtMs: READ_AT_MS },
    ],
    ['is deleted if it was written longer ago', { writtenAtMs: READ_AT_MS - 600 }, GONE, NEVER, { state: 'gone' }],
    [
      'is settling if it was created, or changed at its side, recently',
      { record: adaRecord('x', { modifiedAtMs: READ_AT_MS - 899_999 }) },
      GONE,
      NEVER,
      { state: 'settling' },
    ],
    [
      'is deleted if it was created longer ago',
      { record: adaRecord('x', { modifiedAtMs: READ_AT_MS - 900_000 }) },
      GONE,
      NEVER,
      { state: 'gone' },
    ],
    [
      'is deleted at once if it was created recently on a side that shows everything at once',
      { record: adaRecord('x', { modifiedAtMs: READ_AT_MS - 1 }) },
      GONE,
      TWICE,
      { state: 'gone' },
    ],
    [
      'stays unconfirmed if the read finds it shortly after its deletion',
      { state: 'doubted', heardAtMs: READ_AT_MS - 599 },
      found(adaRecord('x')),
      NEVER,
      { state: 'doubted' },
    ],
    [
      'exists if the read finds it changed since, shortly after its deletion',
      { state: 'doubted', heardAtMs: READ_AT_MS - 599 },
      found({ ...edited('x'), modifiedAtMs: READ_AT_MS - 598 }),
      NEVER,
      { state: 'changed' },
    ],
    [
      'stays unconfirmed if the stamp is ahead of the clock',
      { state: 'doubted', heardAtMs: READ_AT_MS - 599 },
      found({ ...edited('x'), modifiedAtMs: READ_AT_MS + 1 }),
      NEVER,
      { state: 'doubted' },
    ],
    [
      'stays unconfirmed if the stamp was known before the deletion',
      { state: 'doubted', heardAtMs: READ_AT_MS - 599, record: adaRecord('x', { modifiedAtMs: READ_AT_MS - 598 }) },
      found({ ...edited('x'), modifiedAtMs: READ_AT_MS - 598 }),
      NEVER,
      { state: 'doubted' },
    ],
    [
      'exists if the read finds it longer after its deletion',
      { state: 'doubted', heardAtMs: READ_AT_MS - 600 },
      found(adaRecord('x')),
      NEVER,
      { state: 'settled' },
    ],
    [
      'exists if the read finds it shortly after its deletion at a side that shows everything at once',
      { state: 'doubted', heardAtMs: READ_AT_MS - 1 },
      found(adaRecord('x')),
      TWICE,
      { state: 'settled' },
    ],
    ['is deleted if the read is refused', {}, WITHHELD, NEVER, { state: 'gone' }],
    [
      'is settling if the read is refused shortly after a write',
      { writtenAtMs: READ_AT_MS - 1 },
      WITHHELD,
      NEVER,
      { state: 'settling' },
    ],
    ['stays unconfirmed if the read is refused', { state: 'doubted' }, WITHHELD, NEVER, { state: 'doubted' }],
    ['is settling still', { state: 'settling', writtenAtMs: READ_AT_MS - 1 }, GONE, NEVER, { state: 'settling' }],
    [
      'is deleted once its time to settle is over',
      { state: 'settling', writtenAtMs: 0 },
      GONE,
      NEVER,
      { state: 'gone' },
    ],
    [
      'is deleted if it was written by a clock that was a year ahead',
      { writtenAtMs: READ_AT_MS + 31_536_000_000 },
      GONE,
      NEVER,
      { state: 'gone' },
    ],
    [
      'is deleted at once if a side shows its writes at once, and the clock was put back a little since',
      { writtenAtMs: READ_AT_MS + 1 },
      GONE,
      TWICE,
      { state: 'gone' },
    ],
    [
      'is deleted at once if a side shows its writes at once',
      { writtenAtMs: READ_AT_MS },
      GONE,
      TWICE,
      { state: 'gone' },
    ],
    ['exists if the read finds it', {}, found(adaRecord('x')), NEVER, { state: 'settled' }],
    [
      'exists, however often it was missing, if deleted contacts are never found',
      { absences: 9 },
      found(adaRecord('x')),
      NEVER,
      { state: 'settled' },
    ],
    [
      'exists after one absence if two are required',
      {},
      found(adaRecord('x')),
      TWICE,
      { state: 'settled', absences: 1 },
    ],
    ['is deleted after two absences in a row', { absences: 1 }, found(adaRecord('x')), TWICE, { state: 'gone' }],
    [
      'is planned if it was edited',
      {},
      found(edited('x')),
      TWICE,
      { state: 'changed', record: edited('x'), absences: 1 },
    ],
    ['exists under its new id', {}, { kind: 'moved', record: edited('y') }, TWICE, { id: 'y', state: 'changed' }],
    [
      'is left to the next listing if the response is unreadable',
      {},
      { kind: 'unreadable', reason: 'no shape' },
      TWICE,
      { state: 'settled', absences: 0 },
    ],
  ])('%s', (_, given, answer, confirmation, expected) => {
    expect(confirmed(given, answer, confirmation)).toMatchObject(expected);
  });

  test('needs two listings in a row: after a listing that shows it the count restarts', () => {
    const set = setOf([pairedHalf('left', 'x', 1, { state: 'missing' }), pairedHalf('right', 's', 1)]);
    const cursor: Cursor = { ...NO_CURSOR, listingStartedAtMs: HEARD_AT_MS + 1 };
    const list = (shown: readonly string[]) => {
      const index = set.halves().filter(({ side }) => side === 'left');
      observeListing(set, 'left', compareListing(index, shown), cursor, READ_AT_MS);
      const half = set.half('left', 'x');
      if (half?.state === 'missing') observeMissing(set, half, found(adaRecord('x')), TWICE, READ_AT_MS);
      return set.half('left', 'x')?.state;
    };
    expect([list([]), list(['x']), list([]), list([])]).toEqual(['settled', 'settled', 'settled', 'gone']);
  });
});
