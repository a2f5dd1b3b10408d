import { EMPTY_CONTACT } from '../../../src/contact/contact.ts';
import type { Half } from '../../../src/contact/half.ts';
import type { ContactRecord } from '../../../src/contact/record.ts';
import type { Counts, HalfPut, JournalEntry, Rejection, StoreChange } from '../../../src/store/store.ts';

export const recordOf = (id: string, change: Partial<ContactRecord> = {}): ContactRecord => ({
  id,
  version: '1',
  modifiedAtMs: 1_000,
  contact: { ...EMPTY_CONTACT, firstName: 'Ada', emailAddresses: [{ value: 'ada@example.com', label: null }] },
  groupIds: [],
  raw: '{"kept":"as text"}',
  originId: null,
  ...change,
});

/** A half on the left, in step with its base. */
export const halfOf = (id: string, change: Partial<Half> = {}): Half => {
  const record = change.record ?? recordOf(id);
  return {
    side: 'left',
    id,
    pair: null,
    state: 'settled',
    base: { contact: record.contact, groupIds: record.groupIds },
    mergedInto: null,
    absences: 0,
    lastListedAtMs: null,
    writtenAtMs: null,
    heardAtMs: 5,
    ...change,
    record,
  };
};

export const putOf = (id: string, change: Partial<Half> = {}, digest: string | null = null): HalfPut => ({
  half: halfOf(id, change),
  digest,
});

export const putHalf = (id: string, change: Partial<Half> = {}, digest: string | null = null): StoreChange => ({
  kind: 'put-half',
  ...putOf(id, change, digest),
});

export const newPair = (
  leftId: string,
  rightId: string,
  status: 'linked' | 'kept' | 'dormant' | 'asleep' = 'linked',
): StoreChange => ({
  kind: 'put-pair',
  id: null,
  status,
  halves: [putOf(leftId), putOf(rightId, { side: 'right' })],
});

export const entryOf = (change: Partial<JournalEntry> = {}): JournalEntry => ({
  side: 'left',
  kind: 'update',
  pairId: null,
  leftId: 'l1',
  rightId: 'r1',
  intent: {
    fields: ['title'],
    desired: EMPTY_CONTACT,
    join: [],
    leave: [],
    source: recordOf('r1'),
    undoes: false,
    empties: [],
    given: [],
    group: null,
  },
  before: recordOf('l1'),
  destroys: false,
  ...change,
});

export const rejectionOf = (change: Partial<Rejection> = {}): Rejection => ({
  side: 'right',
  key: 'l1 r1',
  leftId: 'l1',
  rightId: 'r1',
  reason: 'The email address is not valid.',
  sourceFingerprint: 'fingerprint',
  attempts: 1,
  retryAtMs: 99,
  ...change,
});

type Both = readonly [left: number, right: number];

/** What a store counts; nothing but what is given, the left side before the right. */
export const countsOf = (given: {
  readonly pairs?: number;
  readonly asleep?: number;
  readonly present?: Both;
  readonly unselected?: Both;
}): Counts => {
  const { pairs = 0, asleep = 0, present = [0, 0], unselected = [0, 0] } = given;
  const sides = ([left, right]: Both) => ({ left, right });
  return { pairs, asleep, present: sides(present), unselected: sides(unselected) };
};
