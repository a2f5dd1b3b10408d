import { expect, test } from 'vitest';
import { PLAIN_HABITS } from '../support/memory/book.ts';
import type { Edit, History } from './history.ts';
import { runHistory } from './run-history.ts';
import { history, run } from './scenario.ts';

// Histories that once went wrong, cut down to what matters: contacts that are set apart and taken up again.

const GROUPS: readonly Edit[] = [
  { kind: 'group', side: 'left', both: true },
  { kind: 'group', side: 'left', both: true },
];
const twin: Edit = { kind: 'twin', differs: false };

const play = (phases: History['phases'], given: Partial<Omit<History, 'phases'>> = {}) =>
  runHistory(
    history(phases, {
      hardness: { direction: 'both', listingLagMs: 0, feedLagMs: 0, habits: PLAIN_HABITS },
      ...given,
    }),
  );

test('[R8, R18] contacts that are paired for the first time, to sleep at once, are not set apart (seed 917)', async () => {
  const inGroup2 = [0, 1].map((who): Edit => ({ kind: 'join', side: 'right', who, group: 1 }));
  const contacts = { left: ['*', '!Group 2'], right: ['Group 1'] };
  await expect(play([[run({ before: [...GROUPS, twin, twin, ...inGroup2], contacts })]])).resolves.toBeDefined();
});

test('[R5] an address that another contact holds waits for those that go ahead of it (seed 4891)', async () => {
  const before: readonly Edit[] = [
    { kind: 'add', side: 'right', who: 0, field: 'emailAddresses' },
    { kind: 'merge', side: 'right', who: 0, into: 1 },
  ];
  const lost = { op: 'update', side: 'left', fault: 'lost-before', after: [] } as const;
  const people: readonly Edit[] = [true, false].map((rich) => ({ kind: 'create', side: 'right', rich }));
  const players = { left: 'service', right: 'service' } as const;
  await expect(play([[run({ before: people })], [run({ before, aims: [lost] })]], { players })).resolves.toBeDefined();
});

test('[R7, R18] of a pair that fell asleep a deletion is found that nothing told of for certain (seed 1518)', async () => {
  const contacts = { left: ['!*'], right: ['!*'] };
  const gone = { call: 4, edit: { kind: 'delete', side: 'left', who: 0 } } as const;
  const phases = [[run({ before: [{ kind: 'twin', differs: true }] }), run({ contacts, meanwhile: [gone] })]];
  const { world } = await play(phases, { conflicts: 'right' });
  expect(world.parts.statuses.values().toArray()).toEqual(['kept']);
});

test('[R6, R18] what goes while a run wakes its pair may go after that: an edit brings it back (seed 832282)', async () => {
  const gone = { call: 7, edit: { kind: 'delete', side: 'left', who: 0 } } as const;
  const wake = run({ contacts: { left: ['*'], right: ['*'] }, meanwhile: [gone] });
  const edit = run({ before: [{ kind: 'set', side: 'right', who: 0, field: 'firstName' }] });
  const person = run({ before: [{ kind: 'create', side: 'left', rich: false }] });
  const sleep = run({ contacts: { left: ['!*'], right: ['!*'] } });
  await expect(
    play([
      [person, sleep],
      [wake, edit],
    ]),
  ).resolves.toBeDefined();
});

test('[R13, R18] a pairing that is stored ahead of its writes is the one that their answers belong to (seed 4004554)', async () => {
  const contacts = { left: ['Group*', '!Group 2'], right: ['*', '!Group 2'] };
  const before: readonly Edit[] = [
    ...GROUPS,
    { kind: 'twin', differs: true },
    { kind: 'join', side: 'left', who: 0, group: 1 },
  ];
  const { world } = await play([[run({ before, contacts })]], { conflicts: 'right' });
  expect(world.parts.statuses.values().toArray()).toEqual(['asleep', 'asleep']);
  const journal = await world.store.journal(world.link, { fromId: 0, limit: 100 });
  expect(journal.map(({ state }) => state)).toEqual(['done', 'done']);
});
