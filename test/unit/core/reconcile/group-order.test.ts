import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GroupRecord } from '../../../../src/core/contact/record.ts';
import { otherSide, type Side } from '../../../../src/core/contact/side.ts';
import { temporaryName } from '../../../../src/core/reconcile/group-order.ts';
import { planGroups, type GroupAction, type GroupPair } from '../../../../src/core/reconcile/groups.ts';
import { check } from './properties-support.ts';
import { policyWith } from './support.ts';

/** The groups of a side by id. A side refuses a name that another of its groups has. */
type Book = Map<string, string>;
type World = { readonly left: Book; readonly right: Book; pairs: readonly GroupPair[]; made: number };

const recordsOf = (book: Book): readonly GroupRecord[] => [...book].map(([id, name]) => ({ id, name, version: '' }));

const isTaken = (book: Book, id: string, name: string): boolean =>
  [...book].some(([other, held]) => other !== id && held === name);

const replacePair = (world: World, key: string, change: (pair: GroupPair) => GroupPair, made: GroupPair): void => {
  const known = world.pairs.find((pair) => pair.key === key);
  world.pairs = [...world.pairs.filter((pair) => pair.key !== key), change(known ?? made)];
};

type Step = () => void;

const rename = (book: Book, id: string, name: string): void => {
  if (isTaken(book, id, name)) throw new Error(`The name ${name} is taken`);
  book.set(id, name);
};

/** The steps of a run for the actions, in their order. */
const stepsOf = (world: World, actions: readonly GroupAction[], planned: readonly GroupPair[]): readonly Step[] => {
  const aside = actions.flatMap((action): Step[] => {
    if (action.kind === 'create-group' || action.via === undefined) return [];
    const { group, side, via } = action;
    return [() => rename(world[side], group.id, via)];
  });
  const own = actions.map((action): Step => {
    const { key, side, name } = action;
    const pair = planned.find((each) => each.key === key);
    if (action.kind === 'delete-group') {
      return () => {
        world[side].delete(action.group.id);
        world.pairs = world.pairs.filter((each) => each.key !== key);
      };
    }
    if (pair === undefined) throw new Error(`No pair has the key ${key}`);
    if (action.kind === 'rename-group') {
      return () => {
        rename(world[side], action.group.id, name);
        const renamed = (each: GroupPair): GroupPair => ({
          ...each,
          [side]: { id: action.group.id, name },
          [otherSide(side)]: { id: each[otherSide(side)]?.id ?? '', name },
        });
        replacePair(world, key, renamed, pair);
      };
    }
    return () => {
      world.made += 1;
      const id = `${side}-made-${world.made}`;
      rename(world[side], id, name);
      replacePair(world, key, (each) => ({ ...each, [side]: { id, name } }), pair);
    };
  });
  return [...aside, ...own];
};

/** Runs until no action is left or this number of steps was taken. */
const runGroups = (world: World, mostSteps: number): void => {
  const plan = planGroups(
    { left: recordsOf(world.left), right: recordsOf(world.right), pairs: world.pairs },
    policyWith(),
  );
  const steps = stepsOf(world, plan.actions, plan.pairs);
  for (const step of steps.slice(0, mostSteps)) step();
  if (mostSteps < steps.length) return;
  const written = new Set(plan.actions.map(({ key }) => key));
  for (const pair of plan.pairs) if (!written.has(pair.key)) replacePair(world, pair.key, () => pair, pair);
  const kept = new Set(plan.pairs.map(({ key }) => key));
  world.pairs = world.pairs.filter(({ key }) => kept.has(key) || !plan.ended.includes(key));
};

const NAMES = ['A', 'B', 'C', 'D', 'E'];

/** Two sides with the same groups, linked. */
const linkedWorld = (size: number): World => {
  const names = NAMES.slice(0, size);
  const bookOf = (side: Side): Book => new Map(names.map((name) => [`${side}-${name}`, name]));
  const pairs = names.map((name): GroupPair => ({
    key: `left:left-${name}`,
    left: { id: `left-${name}`, name },
    right: { id: `right-${name}`, name },
    status: 'linked',
    settled: true,
  }));
  return { left: bookOf('left'), right: bookOf('right'), pairs, made: 0 };
};

const namesOf = (book: Book): readonly string[] => [...book.values()].toSorted();

/** For each group another name or null for its deletion; then the names of new groups. */
const EDIT = fc.record({
  size: fc.integer({ min: 1, max: 5 }),
  side: fc.constantFrom<Side>('left', 'right'),
  order: fc.shuffledSubarray([...NAMES, 'F', 'G'], { minLength: 7, maxLength: 7 }),
  deleted: fc.uniqueArray(fc.nat({ max: 4 }), { maxLength: 2 }),
  kept: fc.uniqueArray(fc.nat({ max: 4 }), { maxLength: 3 }),
  created: fc.nat({ max: 2 }),
  stopAfter: fc.nat({ max: 12 }),
});

type EditOf<T> = T extends fc.Arbitrary<infer Value> ? Value : never;

const edit = (world: World, { size, side, order, deleted, kept, created }: EditOf<typeof EDIT>): void => {
  const book = world[side];
  const names = NAMES.slice(0, size);
  const stays = names.filter((_, index) => kept.includes(index));
  const free = order.filter((name) => !stays.includes(name));
  for (const [index, name] of names.entries()) {
    const id = `${side}-${name}`;
    if (deleted.includes(index)) book.delete(id);
    else if (!kept.includes(index)) book.set(id, free.shift() ?? name);
  }
  const left = free.filter((name) => !book.values().some((held) => held === name));
  for (const name of left.slice(0, created)) book.set(`${side}-new-${name}`, name);
};

test('names that swap, rotate or move to other groups are equal on both sides after one run', () => {
  check(
    fc.property(EDIT, (drawn) => {
      const world = linkedWorld(drawn.size);
      edit(world, drawn);
      const expected = namesOf(world[drawn.side]);
      runGroups(world, Infinity);
      expect(namesOf(world.left)).toEqual(expected);
      expect(namesOf(world.right)).toEqual(expected);
    }),
  );
});

test('a run that was interrupted between two renames is finished by the next run', () => {
  check(
    fc.property(EDIT, (drawn) => {
      const world = linkedWorld(drawn.size);
      edit(world, drawn);
      const expected = namesOf(world[drawn.side]);
      runGroups(world, drawn.stopAfter);
      runGroups(world, Infinity);
      expect(namesOf(world.left)).toEqual(expected);
      expect(namesOf(world.right)).toEqual(expected);
    }),
  );
});

test('a group is not created under a name that stays in use because a rename is blocked', () => {
  const world = linkedWorld(2);
  world.right.set('right-A', 'X').set('right-new', 'A');
  world.left.set('left-other', 'X');
  const plan = planGroups(
    { left: recordsOf(world.left), right: recordsOf(world.right), pairs: world.pairs },
    policyWith(),
  );
  expect(plan.actions.map(({ kind, side, name }) => `${kind} ${side} ${name}`)).toEqual(['rename-group left X']);
  expect(plan.duplicates).toEqual([
    { side: 'left', name: 'X' },
    { side: 'right', name: 'A' },
  ]);
});

test('names that differ only in case swap with another name in one run', () => {
  const former = new Map([
    ['1', 'A'],
    ['2', 'a'],
    ['3', 'B'],
  ]);
  const pairs = [...former].map(([id, name]): GroupPair => {
    return { key: `left:${id}`, left: { id, name }, right: { id, name }, status: 'linked', settled: true };
  });
  const left = new Map([
    ['1', 'B'],
    ['2', 'b'],
    ['3', 'A'],
  ]);
  const world: World = { left, right: new Map(former), pairs, made: 0 };
  runGroups(world, Infinity);
  expect(world.right).toEqual(left);
});

test('a group that was left under a temporary name gets the name of its counterpart', () => {
  const world = linkedWorld(2);
  world.right.set('right-A', temporaryName('left:left-A'));
  runGroups(world, Infinity);
  expect(namesOf(world.right)).toEqual(['A', 'B']);
  expect(namesOf(world.left)).toEqual(['A', 'B']);
});
