import { afterAll, describe, test } from 'vitest';
import { isPlayable, playThrough, titleOfCombination } from '../../support/contract/play-through.ts';
import { combineVariants } from '../../support/contract/scenario.ts';

/** Both can be set from outside: to repeat a run that failed, and to try many more. */
const seed = Number(process.env['VARIANT_SEED'] ?? Date.now() % 1_000_000);
const count = Number(process.env['VARIANT_COMBINATIONS'] ?? 50);

describe(`two address books come together and stay quiet under random combinations, VARIANT_SEED=${seed}`, () => {
  const combinations = combineVariants(seed, count, isPlayable);
  for (const [index, combination] of combinations.entries()) {
    test(`${index + 1}: ${titleOfCombination(combination)}`, async () => {
      await playThrough(combination);
    });
  }

  afterAll(() => {
    process.stdout.write(`${count} random combinations of variants, VARIANT_SEED=${seed}\n`);
  });
});
