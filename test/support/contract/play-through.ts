import { expect } from 'vitest';
import { readGroupNames, readSides } from '../compare-sides.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../linked-sandbox.ts';
import type { Combination } from './scenario.ts';
import { BETWEEN_RUNS_MS, dropArchived, editBothSides, SWEEP_INTERVAL, writesOf } from './scenario.ts';
import { googleSetting, ruleFor, serviceSetting, titleOf, type Variant, type VariantRule } from './variant-sets.ts';

/**
 * The result of a sync with a variant that prevents equal sides. `unequal`: nothing is lost and the last run is quiet, but some
 * values or contacts exist on one side only. `retries`: the same after one more run, which tries refused writes again.
 * `sweeps-twice`: equal after one more run. `paused`: the link stops and reports why.
 */
export const SYNC_RULES: readonly VariantRule<'unequal' | 'retries' | 'sweeps-twice' | 'paused'>[] = [
  {
    name: 'autoFill',
    value: 'company',
    kind: 'unequal',
    reason: 'what a side makes of a new contact by itself is its own base, not an edit (R2)',
  },
  {
    name: 'arrayPatch',
    kind: 'unequal',
    reason: 'an entry that Google removed cannot be taken out of an array to which the service only adds',
  },
  { name: 'emptyArray', kind: 'unequal', reason: 'the last entry of an array cannot be taken out at the service' },
  { name: 'scalarEmpty', value: 'ignored', kind: 'unequal', reason: 'a text cannot be cleared at the service' },
  { name: 'scalarNull', kind: 'unequal', reason: 'a company cannot be cleared at the service' },
  {
    name: 'longText',
    kind: 'unequal',
    reason: 'the service keeps 255 letters of a text, or refuses the contact (R15)',
  },
  { name: 'createRequires', kind: 'unequal', reason: 'contacts that the service refuses stay at Google only (R15)' },
  ...['422', '409'].map((value) => ({
    name: 'createKnownEmail',
    value,
    kind: 'retries' as const,
    reason: 'of people who share an email address only one holds it at the service (R2)',
  })),
  {
    name: 'deleteStyle',
    value: 'archived',
    kind: 'sweeps-twice',
    reason: 'an archived contact can still be read, so two sweeps must miss it before it counts as deleted (R7)',
  },
  { name: 'mergeLosers', value: 'archived', kind: 'sweeps-twice', reason: 'as for a deleted contact that is archived' },
  { name: 'accountState', kind: 'paused', reason: 'a disabled account answers 402 to everything (R16)' },
];

/** The two emulators under those variants, and the program between them. */
export const startUnder = ({ google, service }: Combination): Promise<LinkedSandbox> => {
  const variants = { google: googleSetting(google), service: serviceSetting(service) };
  return startLinkedSandbox({ count: 40, seed: 11, variants }, { SWEEP_INTERVAL });
};

/** A run that ends well, and the time until the next. */
const run = async (linked: LinkedSandbox): ReturnType<LinkedSandbox['sync']> => {
  const result = await linked.sync();
  expect(result.error).toBeNull();
  expect(result.summary.outcome).toBe('completed');
  linked.clock.advance(BETWEEN_RUNS_MS);
  return result;
};

/** First sync of two overlapping books, edits on both sides, second sync, and a third that has nothing to do. */
export const playThrough = async (combination: Combination): Promise<void> => {
  const all = [...combination.google, ...combination.service];
  const kinds = new Set(all.map((variant) => ruleFor(SYNC_RULES, variant)?.kind));
  await using linked = await startUnder(combination);
  const { sandbox, clock } = linked;
  clock.advance(BETWEEN_RUNS_MS);
  await run(linked);
  const marks = editBothSides(
    sandbox,
    all.some(({ name }) => name === 'arrayPatch'),
  );
  clock.advance(BETWEEN_RUNS_MS);
  await run(linked);
  if (kinds.has('retries') || kinds.has('sweeps-twice')) await run(linked);
  expect(writesOf(await run(linked))).toBe(0);
  dropArchived(sandbox);
  const sides = readSides(sandbox);
  const texts = { google: JSON.stringify(sides.google), service: JSON.stringify(sides.service) };
  for (const [side, text] of Object.entries(texts)) {
    const mayLack = kinds.has('retries') && side === 'service';
    const lost = marks.kept.filter((value) => !text.includes(value) && !(mayLack && value.includes('@')));
    const back = marks.gone.filter((value) => text.includes(value));
    expect({ side, lost, back }).toEqual({ side, lost: [], back: [] });
  }
  expect(marks.keptAtGoogle.filter((value) => !texts.google.includes(value))).toEqual([]);
  if (!kinds.has('unequal') && !kinds.has('retries')) expect(sides.google).toEqual(sides.service);
  const names = readGroupNames(sandbox);
  expect(names.google).toEqual(names.service);
  expect(sandbox.google.overlappingMutations).toBe(0);
};

/** Whether the scenario can be played under a variant, alone or with others. */
export const isPlayable = (variant: Variant): boolean => ruleFor(SYNC_RULES, variant)?.kind !== 'paused';

/** The combination by the names of its variants. */
export const titleOfCombination = ({ google, service }: Combination): string =>
  [...google, ...service].map(titleOf).join(' ') || 'every default';
