import { expect, test } from 'vitest';
import { newUnsyncableReason } from '../../../../src/core/state/unsyncable.ts';
import { halfOf, recordOf } from '../../../support/store/rows.ts';

const withReason = (reason: string) => recordOf('c1', { unsyncable: [{ field: 'notes', reason }] });

test('R15: a value that is not synced is reported when it is first read or has another reason, not in each run', () => {
  const known = halfOf('c1', { record: withReason('it is too long') });
  expect(newUnsyncableReason(null, withReason('it is too long'))).toContain('it is too long');
  expect(newUnsyncableReason(known, withReason('it is too long'))).toBeNull();
  expect(newUnsyncableReason(known, withReason('it has no end'))).toContain('it has no end');
  expect(newUnsyncableReason({ ...known, state: 'gone' }, withReason('it is too long'))).not.toBeNull();
});
