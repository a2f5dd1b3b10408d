import { describe, it } from 'vitest';
import type { Side } from '../../src/core/contact/side.ts';
import type { Aimed, WriteOp } from '../support/memory/process.ts';
import type { Edit } from './history.ts';
import { runHistory } from './run-history.ts';
import { history, run } from './scenario.ts';

const FAULTS = ['limited', 'lost-before', 'lost-after', 'kill'] as const satisfies readonly Aimed[];

type CutOff = {
  /** Edits of which a run of its own is made. */
  readonly setUp: readonly Edit[];
  readonly before: readonly Edit[];
  readonly op: WriteOp;
  readonly to: Side;
  readonly fault: Aimed;
  /** The edit after the cut-off run. */
  readonly edit: Edit;
};

/** Plays a run whose first write to a side fails, an edit, and the runs after it until nothing changes. */
const playCutOff = async ({ setUp, before, op, to, fault, edit }: CutOff): Promise<void> => {
  const aims = [{ op, side: to, fault, after: [] }];
  await runHistory(history([[run({ before: setUp }), run({ before, aims }), run({ before: [edit] })]]));
};

const other = (side: Side): Side => (side === 'left' ? 'right' : 'left');

const CASES = (['left', 'right'] as const).flatMap((to) => FAULTS.map((fault) => ({ to, fault })));

describe('a first match whose write is cut off', () => {
  it.each(CASES)(
    'R5: propagates a later removal of an address that both sides held ($fault at $to)',
    ({ to, fault }) => {
      const from = other(to);
      return playCutOff({
        setUp: [],
        before: [
          { kind: 'twin', differs: false },
          { kind: 'add', side: from, who: 0, field: 'emailAddresses' },
        ],
        op: 'update',
        to,
        fault,
        edit: { kind: 'drop', side: from, who: 0, field: 'emailAddresses', at: 0 },
      });
    },
  );

  it.each(CASES)(
    'R11: propagates a later leaving of a group that both contacts were in ($fault at $to)',
    ({ to, fault }) => {
      const from = other(to);
      return playCutOff({
        setUp: [
          { kind: 'group', side: 'left', both: true },
          { kind: 'group', side: 'left', both: true },
        ],
        before: [
          { kind: 'twin', differs: false },
          { kind: 'join', side: 'left', who: 0, group: 0 },
          { kind: 'join', side: 'right', who: 0, group: 0 },
          { kind: 'join', side: from, who: 0, group: 1 },
        ],
        op: 'changeMembership',
        to,
        fault,
        edit: { kind: 'leave', side: from, who: 0, group: 0 },
      });
    },
  );
});
