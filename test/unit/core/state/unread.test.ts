import type { JournalRow, Rejection } from '../../../../src/core/state/rows.ts';
import { describe, expect, test } from 'vitest';
import {
  dueContacts,
  isWaiting,
  forgetUnread,
  rememberUnread,
  unreadableReason,
  unreadContact,
  unsettledWrite,
} from '../../../../src/core/state/unread.ts';
import { rowOf } from '../../../support/store/rows.ts';
import { openOperation } from '../apply/support.ts';
import { adaRecord, changesOf, setOf } from '../../engine/support.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ODD = unreadContact('left', 'odd');
const ROW: JournalRow = rowOf(openOperation('delete', { before: adaRecord('r') }), { id: 7 });

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
    expect(unsettledWrite(ROW)).toEqual({ side: 'right', key: 'unsettled 7', leftId: 'l', rightId: 'r' });
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
