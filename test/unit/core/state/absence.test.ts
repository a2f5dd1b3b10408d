import { expect, test } from 'vitest';
import type { Half } from '../../../../src/core/contact/half.ts';
import { EMPTY_SNAPSHOT, snapshotOf } from '../../../../src/core/contact/snapshot.ts';
import { observeMissing } from '../../../../src/core/state/observe.ts';
import { WorkingSet } from '../../../../src/core/state/working-set.ts';
import { halfOf, recordOf } from '../../../support/store/rows.ts';

const NOW_MS = 10_000_000;
const SIDE = { confirmsAbsenceAfter: 2, settlesWithinMs: 0 };

/** The half after a read that still finds the contact, which two listings in a row did not show. */
const afterSecondAbsence = (writtenAtMs: number | null, modifiedAtMs: number | null = 1_000): Half | null => {
  const record = recordOf('l1', { modifiedAtMs });
  const half = halfOf('l1', { pair: 1, state: 'missing', absences: 1, writtenAtMs, record, heardAtMs: NOW_MS });
  const set = new WorkingSet();
  set.load([half], [{ id: 1, status: 'linked' }]);
  observeMissing(set, half, { kind: 'found', record: half.record }, SIDE, NOW_MS);
  return set.half('left', 'l1');
};

test('[R7] a contact that was written recently is not missed by a listing that lags', () => {
  expect(afterSecondAbsence(NOW_MS - 599_999)).toMatchObject({ state: 'settled', absences: 1 });
});

test('[R7] a contact that was written long ago, or never, counts as deleted after the second listing', () => {
  expect(afterSecondAbsence(NOW_MS - 600_000)).toMatchObject({ state: 'gone' });
  expect(afterSecondAbsence(null)).toMatchObject({ state: 'gone' });
});

test('[R7] a contact that was created or changed at its side recently is not missed by a listing that lags', () => {
  expect(afterSecondAbsence(null, NOW_MS - 899_999)).toMatchObject({ state: 'settled', absences: 1 });
});

test('[R7] a contact that was changed at its side long ago, or at an unusable time, counts as deleted after the second listing', () => {
  expect(afterSecondAbsence(null, NOW_MS - 900_000)).toMatchObject({ state: 'gone' });
  expect(afterSecondAbsence(null, null)).toMatchObject({ state: 'gone' });
  expect(afterSecondAbsence(null, NOW_MS + 300_001)).toMatchObject({ state: 'gone' });
});

test.each([
  ['the other half counts as edited', 'an edit', NOW_MS - 3_500_000, EMPTY_SNAPSHOT, 'changed'],
  ['the deletion is carried out', 'no edit', null, snapshotOf(recordOf('r1')), 'settled'],
  ['the deletion is carried out', 'an edit only before', NOW_MS - 4_000_001, snapshotOf(recordOf('r1')), 'settled'],
])(
  '[R6, R7] %s if this link wrote %s since a listing last contained the contact',
  (_outcome, _edit, editWrittenAtMs, base, state) => {
    const times = { writtenAtMs: NOW_MS - 3_000_000, editWrittenAtMs, lastListedAtMs: NOW_MS - 4_000_000 };
    const half = halfOf('l1', { pair: 1, state: 'missing', absences: 1, record: recordOf('l1'), ...times });
    const other = halfOf('r1', { side: 'right', pair: 1, state: 'settled', base: snapshotOf(recordOf('r1')) });
    const set = new WorkingSet();
    set.load([half, other], [{ id: 1, status: 'linked' }]);
    observeMissing(set, half, { kind: 'found', record: half.record }, SIDE, NOW_MS);
    expect(set.pair(1)).toMatchObject({ left: { state: 'gone' }, right: { base, state } });
  },
);
