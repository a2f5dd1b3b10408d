import type { GroupPair } from '../../../../src/reconcile/groups.ts';
import type { Known } from '../../../../src/sync/recover/settle-write.ts';
import type { JournalRow, WriteIntent, OperationKind } from '../../../../src/store/store.ts';
import { openWriteOf, type OpenWrite } from '../../../../src/sync/state/journal.ts';

export const NOW = 100;
/** One group on both sides, and one that the left side does not have. */
const GROUPS: readonly GroupPair[] = [
  {
    key: 'choir',
    left: { id: 'g', name: 'Choir' },
    right: { id: 's', name: 'Choir' },
    status: 'linked',
    settled: true,
  },
  { key: 'team', left: null, right: { id: 't', name: 'Team' }, status: 'kept', settled: true },
];
export const KNOWN: Known = { groupPairs: GROUPS, atMs: NOW };
export const NOTHING = { applied: false, after: null, error: null };

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

/** A write on the right side, of pair 1, whose outcome is unknown; it must be complete. */
export const openWrite = <Kind extends OpenWrite['kind']>(
  expected: Kind,
  kind: OperationKind,
  intent: Partial<WriteIntent>,
  given: Partial<JournalRow> = {},
): Extract<OpenWrite, { kind: Kind }> => {
  const write = openWriteOf({
    id: 1,
    run: 'run',
    destroys: false,
    side: 'right',
    kind,
    pairId: 1,
    leftId: 'l',
    rightId: 'r',
    intent: { ...INTENT, ...intent },
    before: null,
    intendedAtMs: 1,
    state: 'intended',
    after: null,
    error: null,
    settledAtMs: null,
    ...given,
  });
  const isExpected = (open: OpenWrite): open is Extract<OpenWrite, { kind: Kind }> => open.kind === expected;
  if (!isExpected(write)) throw new Error(`The entry is ${write.kind}, not ${expected}.`);
  return write;
};
