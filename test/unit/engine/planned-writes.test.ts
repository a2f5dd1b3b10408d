import { expect, test } from 'vitest';
import type { Task } from '../../../src/core/apply/task.ts';
import { EMPTY_CONTACT } from '../../../src/core/contact/contact.ts';
import { writesTo } from '../../../src/core/reconcile/decision.ts';
import { moveSteps, plannedWrites } from '../../../src/engine/execute/planned-writes.ts';
import type { Executable } from '../../../src/engine/execute/execution.ts';
import type { RemoteCapabilities } from '../../../src/providers/remote.ts';

const COMMON = {
  readBatch: 1,
  mayForbidSharedEmails: false,
  namesDeletions: true,
  cursorsExpire: true,
  confirmsAbsenceAfter: null,
  lagMs: 0,
};
const single = { writeBatch: 24, writesOneByOne: true, createsWithGroups: false } as const;
const ONE_BY_ONE: RemoteCapabilities = { ...COMMON, ...single, moveBatch: { size: 100, of: 'written' } };
const batch = { writeBatch: 200, createsWithGroups: true } as const;
const IN_BATCHES: RemoteCapabilities = { ...COMMON, ...batch, moveBatch: { size: 1000, of: 'all' } };

const record = (id: string) => ({ id, contact: EMPTY_CONTACT, groupIds: [] });
const CREATE = { kind: 'create', side: 'right', pair: null } as const;
const creation = (index: number, joins: readonly string[]): Task =>
  ({ ...CREATE, source: record(`c${index}`), writes: writesTo('right', { joins }) }) as unknown as Task;
const move = (index: number, joins: readonly string[], leaves: readonly string[]): Task => {
  const half = { record: record(`c${index}`), base: null };
  const decision = {
    kind: 'merge',
    pair: { id: index, left: half, right: half },
    writes: writesTo('right', { joins, leaves }),
  };
  return { ...decision, localFields: { left: [], right: [] }, conflicts: [] } as unknown as Task;
};
const planned = (capabilities: RemoteCapabilities, tasks: readonly Task[]) => {
  const plan = { groups: { actions: [] }, decisions: [] } as unknown as Executable;
  return plannedWrites(plan, tasks, { left: capabilities, right: capabilities }).right;
};
const many = (count: number, make: (index: number) => Task) => Array.from({ length: count }, (_, index) => make(index));

test('5,000 new contacts in a group are 10,000 writes, but 5,050 requests if they are created one by one', () => {
  const tasks = many(5_000, (index) => creation(index, ['friends']));
  expect(planned(ONE_BY_ONE, tasks)).toMatchObject({ writes: 10_000, requests: 5_050 });
  expect(planned(IN_BATCHES, tasks)).toMatchObject({ writes: 5_000, requests: 25 });
});

test('contacts in many small groups join them one by one, if that needs fewer requests', () => {
  const tasks = many(10, (index) => creation(index, [`group ${index}`, `other ${index}`]));
  expect(planned(ONE_BY_ONE, tasks).requests).toBe(20);
});

test('contacts that the run does not write move one by one, if only written ones may move together', () => {
  const tasks = many(300, (index) => move(index, ['friends'], []));
  expect(planned(ONE_BY_ONE, tasks)).toMatchObject({ writes: 300, requests: 300 });
  expect(planned(IN_BATCHES, tasks)).toMatchObject({ writes: 300, requests: 1 });
});

test('memberships are written in steps, small ones for contacts that take a request each', () => {
  const apart = many(400, (index) => move(index, [], ['friends']));
  expect(moveSteps(apart, () => false, 'right', ONE_BY_ONE).map((tasks) => tasks.length)).toEqual(Array(8).fill(50));
  // Of 60 groups, each contact is in three: a separate step for a few contacts would need nearly as many groups as one for all.
  const crossing = many(2_000, (index) => {
    const numbers = [Math.floor((index * 60) / 2_000), index % 60, (index * 7) % 60];
    const joins = numbers.map((number) => `group ${number}`);
    return move(index, joins, []);
  });
  expect(moveSteps(crossing, () => false, 'right', IN_BATCHES)).toHaveLength(1);
  const written = many(2_000, (index) => creation(index, [`group ${index % 60}`, `group ${(index + 7) % 60}`]));
  expect(moveSteps(written, () => true, 'right', ONE_BY_ONE)).toHaveLength(1);
});
