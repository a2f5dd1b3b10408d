import { expect, test } from 'vitest';
import { isPlayable, playThrough, titleOfCombination } from '../../support/contract/play-through.ts';
import { combineVariants } from '../../support/contract/scenario.ts';
import { reportExtent, extentOf } from '../../support/extent.ts';

/** The seed of the combinations: 1, or `VARIANT_SEED`, which may be `random`. */
const drawSeed = (): number => {
  const given = process.env['VARIANT_SEED'] ?? '1';
  return given === 'random' ? Math.floor(Math.random() * 1_000_000) : Number(given);
};

const COUNT = Number(process.env['VARIANT_COMBINATIONS'] ?? extentOf({ all: 50, sample: 6 }));

test('two address books become equal and stay quiet under random combinations of variants', async () => {
  const seed = drawSeed();
  const failures: string[] = [];
  for (const [index, combination] of combineVariants(seed, COUNT, isPlayable).entries()) {
    await playThrough(combination).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      failures.push(`${index + 1}, ${titleOfCombination(combination)}: ${reason}`);
    });
  }
  reportExtent(`${COUNT} random combinations of variants, VARIANT_SEED=${seed}`);
  expect(failures, `VARIANT_SEED=${seed}`).toEqual([]);
});
