import { describe, expect, test } from 'vitest';
import { contactOf } from '../../../../src/contact/normalise.ts';
import type { JournalRow, JournalState, WriteIntent, OperationKind } from '../../../../src/store/store.ts';
import {
  JOURNAL_TRANSITIONS,
  openWriteOf,
  type JournalEvent,
  type OpenWrite,
} from '../../../../src/sync/state/journal.ts';
import { SIDE_PAIRS } from '../../reconcile/support.ts';
import { adaRecord } from '../support.ts';

const EVENTS: Readonly<Record<JournalEvent, JournalState>> = {
  answered: 'done',
  refused: 'failed',
  unanswered: 'intended',
  found: 'done',
  'not-found': 'abandoned',
};

describe('[R9] the table of a journal entry', () => {
  test.each(Object.entries(EVENTS))('an intended write that is %s is %s', (event, expected) => {
    expect(JOURNAL_TRANSITIONS.intended[event as JournalEvent]).toBe(expected);
  });

  test.each(['done', 'failed', 'abandoned'] as const)('an entry that is %s stays so, whatever comes', (state) => {
    const after = Object.keys(EVENTS).map((event) => JOURNAL_TRANSITIONS[state][event as JournalEvent]);
    expect(after).toEqual(Object.keys(EVENTS).map(() => state));
  });
});

const DESIRED = contactOf({ firstName: 'Augusta' });
const [BEFORE, SOURCE] = [adaRecord('before'), adaRecord('source')];
const INTENT: WriteIntent = {
  fields: [],
  desired: null,
  join: [],
  leave: [],
  source: null,
  undoes: false,
  empties: [],
  given: [],
  group: null,
};

const row = (kind: OperationKind, intent: Partial<WriteIntent>, given: Partial<JournalRow> = {}): JournalRow => ({
  id: 1,
  run: 'r1',
  destroys: false,
  side: 'left',
  kind,
  pairId: 1,
  leftId: 'l1',
  rightId: 'r1',
  intent: { ...INTENT, ...intent },
  before: null,
  intendedAtMs: 1,
  state: 'intended',
  after: null,
  error: null,
  settledAtMs: null,
  ...given,
});

const NO_IDS = { leftId: null, rightId: null };
const ON_RIGHT = { side: 'right' } as const;
const DRAFTED = { desired: DESIRED };
const RESTORING = { desired: DESIRED, source: SOURCE, undoes: true };
const UPDATING = { desired: DESIRED, source: SOURCE };
const STOOD = { before: BEFORE };

describe('[R9] a write of unknown outcome', () => {
  type Expected = OpenWrite extends infer Write ? (Write extends OpenWrite ? Omit<Write, 'row'> : never) : never;

  test.each<[string, JournalRow, Expected]>([
    [
      'a create on the left follows from the contact on the right',
      row('create', DRAFTED, { leftId: null }),
      { kind: 'create', desired: DESIRED, sourceId: 'r1' },
    ],
    [
      'a create on the right follows from the contact on the left',
      row('create', DRAFTED, { ...ON_RIGHT, rightId: null }),
      { kind: 'create', desired: DESIRED, sourceId: 'l1' },
    ],
    [
      'a create of an undo restores the last image',
      row('create', RESTORING),
      { kind: 'restore', desired: DESIRED, image: SOURCE },
    ],
    [
      'an update on the left goes to the left contact',
      row('update', UPDATING, STOOD),
      { kind: 'update', id: 'l1', before: BEFORE, desired: DESIRED, source: SOURCE },
    ],
    [
      'an update on the right goes to the right contact',
      row('update', UPDATING, { ...STOOD, ...ON_RIGHT }),
      { kind: 'update', id: 'r1', before: BEFORE, desired: DESIRED, source: SOURCE },
    ],
    [
      'an update of an undo follows from nothing',
      row('update', { ...DRAFTED, undoes: true }, STOOD),
      { kind: 'update', id: 'l1', before: BEFORE, desired: DESIRED, source: null },
    ],
    ['a change of membership', row('membership', {}, STOOD), { kind: 'membership', id: 'l1', before: BEFORE }],
    ['a delete on the left', row('delete', {}), { kind: 'delete', id: 'l1', merge: null }],
    ['a delete on the right', row('delete', {}, ON_RIGHT), { kind: 'delete', id: 'r1', merge: null }],
    [
      'a delete by merging, with both contacts as they stood',
      row('delete', { source: SOURCE }, STOOD),
      { kind: 'delete', id: 'l1', merge: { mergedAway: BEFORE, survivor: SOURCE } },
    ],
  ])('is complete: %s', (_, open, expected) => {
    expect(openWriteOf(open)).toEqual({ ...expected, row: open });
  });

  test.each<[string, JournalRow, string]>([
    ['a create without a contact', row('create', {}), 'the contact to be created'],
    [
      'a create of an undo without a contact',
      row('create', { ...RESTORING, desired: null }),
      'the contact to be created',
    ],
    ['a create of an undo without an image', row('create', { ...DRAFTED, undoes: true }), 'the image to be restored'],
    [
      'a create on the left without its source',
      row('create', DRAFTED, { rightId: null }),
      'the contact that it follows from',
    ],
    [
      'a create on the right without its source',
      row('create', DRAFTED, { ...ON_RIGHT, leftId: null }),
      'the contact that it follows from',
    ],
    ['an update without an id', row('update', UPDATING, { ...STOOD, ...NO_IDS }), 'the id of the contact'],
    ['an update with the other id alone', row('update', UPDATING, { ...STOOD, leftId: null }), 'the id of the contact'],
    ['a change of membership without an id', row('membership', {}, { ...STOOD, ...NO_IDS }), 'the id of the contact'],
    ['a delete without an id', row('delete', {}, NO_IDS), 'the id of the contact'],
    ['an update without its earlier contact', row('update', UPDATING), 'the contact before the write'],
    ['a change of membership without its earlier contact', row('membership', {}), 'the contact before the write'],
    ['an update without what was to be', row('update', { source: SOURCE }, STOOD), 'the contact as it was to be'],
    ['an update without its source', row('update', DRAFTED, STOOD), 'what it follows from'],
  ])('is incomplete: %s', (_, open, lacks) => {
    expect(openWriteOf(open)).toEqual({ kind: 'incomplete', row: open, lacks });
  });

  test.each(SIDE_PAIRS)('at %s is never taken for one at %s', (side) => {
    const ids = { left: 'l1', right: 'r1' };
    for (const kind of ['update', 'membership', 'delete'] as const) {
      expect(openWriteOf(row(kind, UPDATING, { ...STOOD, side }))).toMatchObject({ kind, id: ids[side] });
    }
  });
});
