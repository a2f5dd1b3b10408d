import { expect, test } from 'vitest';
import { otherSide } from '../../src/core/contact/side.ts';
import { PLAIN_HABITS } from '../support/memory/book.ts';
import type { Edit } from './history.ts';
import { runHistory } from './run-history.ts';
import { history, run } from './scenario.ts';
import { liveRows } from './world.ts';

// Histories that once went wrong, cut down to what matters: merges that a person asked for.

test('[R12] an address that goes one way stays with the survivor whose counterpart is gone (seed 5705)', async () => {
  const people = (['left', 'right'] as const).map((side) => ({ kind: 'create', side, rich: true }) as const);
  const merge = run({
    before: [{ kind: 'delete', side: 'right', who: 0 }],
    merges: { side: 'left', who: 0, into: 1 },
  });
  const phases = [[run({ before: people })], [merge]];
  await expect(runHistory(history(phases, { directions: { emailAddresses: 'to-right' } }))).resolves.toBeDefined();
});

test('[R10, R12] an address that a merge had replaced comes back, whatever its user added since (seed 501199)', async () => {
  const person: Edit = { kind: 'create', side: 'left', rich: false };
  const merge: Edit = { kind: 'merge', side: 'right', who: 1, into: 0 };
  const add: Edit = { kind: 'add', side: 'left', who: 0, field: 'emailAddresses' };
  const killed = { op: 'merge', side: null, fault: 'kill', after: [] } as const;
  const phases = [
    [run({ before: [person, person] })],
    [run({ before: [merge], gapMs: 7 * 3_600_000, aims: [killed] }), run({ before: [add] })],
  ];
  const habits = { ...PLAIN_HABITS, merge: { replaces: true, archives: false } };
  const given = {
    players: { left: 'service', right: 'service' },
    hardness: { direction: 'both', listingLagMs: 0, feedLagMs: 0, habits },
  } as const;
  const { world } = await runHistory(history(phases, given));
  expect(world.books.left.rows.filter(({ state }) => state === 'live')[0]?.contact.emailAddresses).toHaveLength(3);
});

test.each([
  ['title', { replaces: false, archives: false }],
  ['title', { replaces: true, archives: true }],
  ['emailAddresses', { replaces: true, archives: false }],
  ['emailAddresses', { replaces: true, archives: true }],
] as const)(
  '[R9, R12] what the merge of a side put over its own %s is taken back where the process died (%o, seed 804360)',
  async (field, merge) => {
    const person: Edit = { kind: 'create', side: 'right', rich: true };
    const killed = { op: 'merge', side: 'right', fault: 'kill', after: [] } as const;
    const phases = [
      [run({ before: [person, person] })],
      [run({ merges: { side: 'left', who: 0, into: 1 } }), run({ gapMs: 300_000, aims: [killed] })],
    ];
    const directions = { [field]: 'to-left' } as const;
    const hardness = { direction: 'both', listingLagMs: 0, feedLagMs: 0, habits: { ...PLAIN_HABITS, merge } } as const;
    const { world } = await runHistory(history(phases, { directions, hardness }));
    const [survivor, ...others] = world.books.right.rows.filter(({ state }) => state === 'live');
    expect(others).toEqual([]);
    expect(survivor?.contact[field]).toEqual(survivor?.shown[0]?.record.contact[field]);
  },
);

test('what was shown on a contact that is merged into another one is shown there no sooner than it is computed again (seed 840725)', async () => {
  const merge = run({
    before: [{ kind: 'merge', side: 'right', who: 1, into: 0 }],
    faults: [{ call: 1, fault: 'limited' }],
  });
  const people = (['right', 'left'] as const).map((side): Edit => ({ kind: 'create', side, rich: false }));
  const phases = [[run({ before: people }), merge, run({ before: [{ kind: 'new-id', who: 0 }] })]];
  const another = (who: number) => ({ who, what: 'another', isStamped: true }) as const;
  const scribble = { who: 0, what: 'scribble', isStamped: true } as const;
  const given = { players: { left: 'service', right: 'google' }, shows: true } as const;
  const computing = [[another(0)], [], [scribble, another(1)]];
  await expect(runHistory(history(phases, { ...given, computing }))).resolves.toBeDefined();
});

test('[R12] a label that its target took away stays away from the one of two whom it was taken from (seed 1015358)', async () => {
  const people: readonly Edit[] = [
    { kind: 'group', side: 'left', both: true },
    { kind: 'create', side: 'left', rich: false },
    { kind: 'join', side: 'left', who: 0, group: 0 },
  ];
  const united: readonly Edit[] = [
    { kind: 'leave', side: 'right', who: 0, group: 0 },
    { kind: 'twin', differs: false },
    { kind: 'join', side: 'left', who: 1, group: 0 },
    { kind: 'merge', side: 'right', who: 1, into: 0 },
  ];
  const phases = [[run({ before: people })], [run({ before: united })]];
  const { world } = await runHistory(history(phases, { directions: { buckets: 'to-right' } }));
  const live = world.books.right.rows.filter(({ state }) => state === 'live');
  expect(live.map(({ groupIds }) => groupIds.size)).toEqual([0, 1]);
});

test('[R4, R5] what a lost write was to bring to a contact that was merged into another one meets its text in a conflict (seed 9421337)', async () => {
  const people: readonly Edit[] = [
    { kind: 'create', side: 'right', rich: false },
    { kind: 'create', side: 'left', rich: true },
  ];
  const edits: readonly Edit[] = [
    { kind: 'set', side: 'left', who: 0, field: 'firstName' },
    { kind: 'clear', side: 'left', who: 0, field: 'title' },
  ];
  const merge: Edit = { kind: 'merge', side: 'right', who: 1, into: 0 };
  const lost = { op: 'update', side: 'right', fault: 'lost-before', after: [merge] } as const;
  const contacts = { left: ['*'], right: ['!*'] };
  const phases = [[run({ before: people, contacts }), run({ before: edits, aims: [lost] })]];
  const { conflicts } = await runHistory(history(phases));
  expect(conflicts.map(({ field }) => field)).toEqual(['firstName']);
});

test.each(['left', 'right'] as const)(
  '[R4, R12] a question stays the same one when a person has another contact merged into its contact at the %s side',
  async (side) => {
    const people: readonly Edit[] = [
      { kind: 'twin', differs: true },
      { kind: 'create', side, rich: true },
    ];
    const phases = [[run({ before: people })], [run({ merges: { side, who: 0, into: 0 } })]];
    const { conflicts } = await runHistory(history(phases, { conflicts: 'ask' }));
    const titles = conflicts.filter(({ field }) => field === 'title');
    expect(titles.map(({ winner, resolvedAtMs }) => [winner, resolvedAtMs === null])).toEqual([
      [null, true],
      [otherSide(side), false],
    ]);
  },
);

test('[R12] a merge survivor that is edited and deleted a moment later takes its counterpart along (seed 90003160)', async () => {
  const person: Edit = { kind: 'create', side: 'left', rich: false };
  const merged: readonly Edit[] = [
    { kind: 'merge', side: 'left', who: 1, into: 0 },
    { kind: 'create', side: 'right', rich: false },
    { kind: 'set', side: 'left', who: 0, field: 'firstName' },
  ];
  for (const call of [5, 6, 7, 8]) {
    const cutOff = run({ before: merged, full: true, faults: [{ call, fault: 'limited' }] });
    const died = { crash: { step: 1, when: 'before' } } as const;
    const steps = [
      cutOff,
      run({ before: [{ kind: 'delete', side: 'left', who: 0 }], ...died }),
      run({ full: true, ...died }),
    ];
    const { world } = await runHistory(history([[run({ before: [person, person] })], steps]));
    expect(liveRows(world.books.right)).toHaveLength(1);
  }
});
