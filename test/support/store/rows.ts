import { randomUUID } from 'node:crypto';
import { EMPTY_CONTACT } from '../../../src/core/contact/contact.ts';
import type { Half } from '../../../src/core/contact/half.ts';
import type { ContactRecord } from '../../../src/core/contact/record.ts';
import type { Operation, OperationKind } from '../../../src/core/reconcile/operation.ts';
import {
  type HalfPut,
  type JournalRow,
  type LinkState,
  type NotificationState,
  NO_CURSOR,
  type Rejection,
  type RunStart,
  type StoreChange,
} from '../../../src/core/state/rows.ts';
import { changeLink } from '../../../src/engine/change-link.ts';
import type { Counts, Store } from '../../../src/store/store.ts';
import { systemClock } from '../../../src/util/clock.ts';

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
    formerPair: null,
    mergedInto: null,
    absences: 0,
    lastListedAtMs: null,
    writtenAtMs: null,
    editWrittenAtMs: null,
    editedAtMs: record.modifiedAtMs,
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
  kind: 'put',
  table: 'halves',
  row: putOf(id, change, digest),
});

type Status = 'linked' | 'kept' | 'dormant';

/** A new pair of these halves. Until it is stored, its id is the number in the first contact's id, below zero. */
export const pairOf = (status: Status, ...halves: readonly HalfPut[]): readonly StoreChange[] => {
  const id = -Number(halves[0]?.half.id.replaceAll(/\D/gu, ''));
  return [
    { kind: 'put', table: 'pairs', row: { id, status } },
    ...halves.map(({ half, ...row }): StoreChange => {
      return { kind: 'put', table: 'halves', row: { ...row, half: { ...half, pair: id } } };
    }),
  ];
};

export const newPair = (leftId: string, rightId: string, status: Status = 'linked'): readonly StoreChange[] =>
  pairOf(status, putOf(leftId), putOf(rightId, { side: 'right' }));

export type OperationOf<Kind extends OperationKind> = Extract<Operation, { kind: Kind }>;

const ADDRESS = { side: 'left', pairId: null, leftId: 'l1', rightId: 'r1', cause: 'sync' } as const;
const EXISTING = { ...ADDRESS, before: recordOf('l1') };
const NO_MARKS = { empties: [], isEdit: true };

const OPERATIONS: { readonly [Kind in OperationKind]: OperationOf<Kind> } = {
  create: { ...ADDRESS, kind: 'create', desired: EMPTY_CONTACT, join: [], image: null },
  update: {
    ...EXISTING,
    ...NO_MARKS,
    kind: 'update',
    fields: ['title'],
    desired: EMPTY_CONTACT,
    source: recordOf('r1'),
  },
  membership: { ...EXISTING, ...NO_MARKS, kind: 'membership', join: [], leave: [] },
  delete: { ...EXISTING, kind: 'delete', survivor: null },
  'group-delete': {
    ...ADDRESS,
    leftId: null,
    rightId: null,
    kind: 'group-delete',
    group: { id: 'g1', name: 'Choir', members: ['l1', 'l2'] },
  },
};

/** An operation of a kind on the left side, with all its values. */
export const operationOf = <Kind extends OperationKind>(
  kind: Kind,
  change: Partial<OperationOf<Kind>> = {},
): OperationOf<Kind> => ({ ...OPERATIONS[kind], ...change });

type Outcome = Pick<JournalRow, 'id' | 'run' | 'intendedAtMs' | 'state' | 'after' | 'error' | 'settledAtMs'>;

/** A journal entry of an operation, without an outcome unless one is given. */
export const rowOf = <Row extends Operation>(operation: Row, change: Partial<Outcome> = {}): Row & Outcome => ({
  ...operation,
  id: 1,
  run: 'run',
  intendedAtMs: 1,
  state: 'intended',
  after: null,
  error: null,
  settledAtMs: null,
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

/** The counts of a store: the given ones, others are 0. Tuples have the left side first. */
export const countsOf = (given: {
  readonly pairs?: number;
  readonly present?: Both;
  readonly unselected?: Both;
}): Counts => {
  const { pairs = 0, present = [0, 0], unselected = [0, 0] } = given;
  const sides = ([left, right]: Both) => ({ left, right });
  return { pairs, present: sides(present), unselected: sides(unselected) };
};

/** The state of a link without notifications. */
export const NO_NOTIFICATION: NotificationState = { trouble: null, failingSinceMs: null };

/** A link that no run has worked on. */
export const newState = (name: string): LinkState => ({
  name,
  state: 'active',
  reason: null,
  accounts: { left: null, right: null },
  accountsKey: null,
  credentials: { left: null, right: null },
  acceptedDeletes: null,
  selection: null,
  notificationState: NO_NOTIFICATION,
  pausedByHandAtMs: null,
  fields: { name: '', joining: null },
  directions: null,
  lastChangeAtMs: null,
  cursors: { left: NO_CURSOR, right: NO_CURSOR },
  groupPairs: [],
  rejections: [],
  verdicts: [],
});

type Patch = Partial<Pick<LinkState, 'state' | 'reason' | 'accounts' | 'credentials' | 'acceptedDeletes'>>;

/** Changes the row of a link, like a run of another process. */
export const patchLink = (store: Store, link: string, patch: Patch): Promise<void> =>
  changeLink({ store, clock: systemClock, newId: randomUUID }, link, () => [{ kind: 'link', patch }]);

type LinkChange = Extract<StoreChange, { kind: 'link' }>['patch'];
type EndedRun = Partial<RunStart & Extract<StoreChange, { kind: 'patch-run' }>['set']>;

/** Stores a run of another process that has ended, and what it changed of its link. */
export const storeRun = async (store: Store, link: string, run: EndedRun, patch: LinkChange = {}): Promise<void> => {
  const { id = randomUUID(), kind = 'full', undoes = null, startedAtMs = 1, ...ending } = run;
  const end = { outcome: 'completed', reason: null, summary: {}, endedAtMs: startedAtMs, ...ending } as const;
  const token = (await store.acquireLease(link, 'another', 0, 1)) ?? 0;
  await store.commit(link, token, [
    { kind: 'run-started', run: { id, kind, undoes, startedAtMs } },
    { kind: 'patch-run', id, set: end },
    { kind: 'link', patch },
  ]);
  await store.releaseLease(link, 'another');
};
