import { expect, test } from 'vitest';
import { otherSide, type Side, SIDES } from '../../src/core/contact/side.ts';
import type { RunKind } from '../../src/core/state/rows.ts';
import type { LinkContext } from '../../src/engine/session.ts';
import { restoreDeletions } from '../../src/engine/restore-deletions.ts';
import { applyEdit } from './hard-edits.ts';
import { extentOf } from '../support/extent.ts';
import type { ProcessPlan } from '../support/memory/process.ts';
import { DEFAULT_PLAYERS, type Edit, type Players } from './history.ts';
import { addSharedGroup, createRich, GOOGLE_CARDDAV, hardness, join, merge, remove } from './scenario.ts';
import { openWorld, type Process } from './single-world.ts';
import { liveRows, type World } from './world.ts';

type Crash = ProcessPlan['crash'];
type Direction = LinkContext['policy']['direction'];
type Run = {
  readonly halt?: string | null;
  readonly crash?: Crash;
  readonly kind?: RunKind;
  /** Accepts the halt for a restore only. */
  readonly restores?: boolean;
};

/** Longer than a lease, and than a side may hide a write. */
const BETWEEN_RUNS_MS = 10 * 60_000;

/** The distance of two steps at which a process dies. */
const STRIDE = extentOf({ all: 1, sample: 4 });

/** Six contacts, two of them in a group. */
const BOOK: readonly Edit[] = [
  addSharedGroup('left'),
  ...SIDES.flatMap((side) => [1, 2, 3].map(() => createRich(side))),
  ...SIDES.flatMap((side) => [join(side, { who: 0, group: 0 })]),
];

const peopleOn = (world: World, side: Side) =>
  liveRows(world.books[side])
    .map(({ contact, groupIds }) => JSON.stringify({ contact, groups: groupIds.size }))
    .toSorted();

/** A world in sync, in which a user then deletes most contacts of one side, so that the next run halts. */
const startHalted = async (
  players: Players,
  side: Side,
  count: number,
  { edits = [], direction = 'both' }: { readonly edits?: readonly Edit[]; readonly direction?: Direction } = {},
) => {
  const { play, within, world } = openWorld({ players, hardness: hardness(), deleteCount: 1, keepsAll: false });
  const process: Process = { afterMs: BETWEEN_RUNS_MS, change: ({ policy }) => ({ policy: { ...policy, direction } }) };
  /** The service reports deletions in full listings only. */
  const sync = async ({ halt = null, crash = null, kind = 'incremental', restores = true }: Run = {}) => {
    const accepting = halt === null ? {} : { accepts: { kind: 'halt', message: halt, loses: !restores } as const };
    return (await play({ kind, ...accepting }, { ...process, plan: { crash } })).value;
  };
  for (const edit of BOOK) applyEdit(world, edit);
  await sync();
  for (const edit of edits) applyEdit(world, edit);
  await sync();
  const before = { left: peopleOn(world, 'left'), right: peopleOn(world, 'right') };
  for (let index = 0; index < count; index += 1) applyEdit(world, remove(side));
  const halted = await sync({ kind: 'full' });
  expect(halted?.summary.outcome).toBe('halted');
  const restore = async () =>
    (await within((context) => restoreDeletions(context, world.link, { direction }), process)).value;
  return { world, before, restore, sync, reason: halted?.summary.reason ?? '' };
};

test.each([
  ['left', DEFAULT_PLAYERS, 4],
  ['right', DEFAULT_PLAYERS, 4],
  ['left', DEFAULT_PLAYERS, 6],
  ['right', GOOGLE_CARDDAV, 6],
] as const)(
  'R6, R9: contacts deleted at the %s side are created again with all values and groups, once, after a crash at any step (%o, %i of 6)',
  async (side, players, count) => {
    for (let step = 1, isDone = false; !isDone; step += STRIDE) {
      for (const when of ['before', 'after'] as const) {
        const { before, restore, sync, world } = await startHalted(players, side, count);
        const halt = (await restore())?.reason ?? null;
        isDone = (await sync({ halt, crash: { step, when } })) !== null;
        // The answer is stored: an ordinary run continues. A side that is still empty needs it again.
        for (let index = 0; index < 3; index += 1) {
          const result = await sync({ halt });
          if (result?.summary.outcome === 'halted') await restore();
        }
        for (const each of SIDES) expect(peopleOn(world, each)).toEqual(before[each]);
        const writes = world.counts.writes;
        await sync({ kind: 'full' });
        expect(world.counts.writes).toBe(writes);
      }
    }
  },
);

test('R6, R11: a group that was deleted with its members is restored with them', async () => {
  const { before, restore, sync, world } = await startHalted(DEFAULT_PLAYERS, 'left', 4, {
    edits: [0, 1, 2, 3].map((who) => join('left', { who, group: 0 })),
  });
  applyEdit(world, { kind: 'delete-group', side: 'left', group: 0 });
  expect((await sync())?.summary.outcome).toBe('halted');
  await restore();
  for (let index = 0; index < 2; index += 1) expect((await sync())?.summary.outcome).toBe('completed');
  for (const side of SIDES) expect(peopleOn(world, side)).toEqual(before[side]);
});

test('R6, R12: a contact that was merged into another one before the halt is not created again', async () => {
  const { before, restore, sync, world } = await startHalted(DEFAULT_PLAYERS, 'left', 3);
  applyEdit(world, merge('left', { who: 0, into: 1 }));
  expect((await sync())?.summary.outcome).toBe('halted');
  await restore();
  for (let index = 0; index < 3; index += 1) expect((await sync())?.summary.outcome).toBe('completed');
  for (const side of SIDES) expect(peopleOn(world, side)).toHaveLength(before[side].length - 1);
});

test('R8: deletions are restored only if the last run halted because of them', async () => {
  const { restore, sync, world } = await startHalted(DEFAULT_PLAYERS, 'left', 4);
  await restore();
  await sync();
  await expect(restore()).rejects.toThrow('Nothing was restored');
  expect(peopleOn(world, otherSide('left'))).toHaveLength(6);
});

test.each([2, 3])(
  'R6, R8: %i of 3 contacts deleted at the source of a one-way link cannot be restored, and nothing is deleted',
  async (count) => {
    const { before, reason, restore, sync, world } = await startHalted(DEFAULT_PLAYERS, 'left', count, {
      direction: 'to-right',
    });
    expect(reason).toContain('--accept-deletes');
    expect(reason).not.toContain('--restore-deletes');
    await expect(restore()).rejects.toThrow('Nothing was restored');
    // Nor does a run that accepts the halt of a restore delete anything.
    expect((await sync({ halt: reason }))?.summary.outcome).toBe('halted');
    expect(peopleOn(world, 'right')).toEqual(before.right);
    expect((await sync({ halt: reason, restores: false }))?.summary.outcome).toBe('completed');
    expect(peopleOn(world, 'right')).toHaveLength(6 - count);
  },
);
