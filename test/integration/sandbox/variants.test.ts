import { describe, expect, test } from 'vitest';
import { readSides } from '../../support/compare-sides.ts';
import {
  isPlayable,
  playThrough,
  startUnder,
  SYNC_RULES,
  titleOfCombination,
} from '../../support/contract/play-through.ts';
import { combineVariants } from '../../support/contract/scenario.ts';
import { GOOGLE_VARIANTS, idleRules, ruleFor, SERVICE_VARIANTS, titleOf } from '../../support/contract/variant-sets.ts';
import { extentOf, reportExtent, sampled } from '../../support/extent.ts';

/** `npm test` plays one variant of so many. */
const SAMPLE_EACH = 16;

const PAUSING = SERVICE_VARIANTS.filter((one) => ruleFor(SYNC_RULES, one)?.kind === 'paused');

describe('two address books become equal and stay quiet', () => {
  test('with the most likely variant of each undocumented behaviour', async () => {
    await playThrough({ google: [], service: [] });
  });

  for (const variant of sampled(GOOGLE_VARIANTS.filter(isPlayable), SAMPLE_EACH)) {
    test(`under ${titleOf(variant)} of Google`, async () => {
      await playThrough({ google: [variant], service: [] });
    });
  }

  for (const variant of sampled(SERVICE_VARIANTS.filter(isPlayable), SAMPLE_EACH)) {
    test(`under ${titleOf(variant)} of the service`, async () => {
      await playThrough({ google: [], service: [variant] });
    });
  }

  for (const variant of sampled(PAUSING, SAMPLE_EACH)) {
    test(`not under ${titleOf(variant)}: the link is paused and nothing is written`, async () => {
      await using linked = await startUnder({ google: [], service: [variant] });
      const before = readSides(linked.sandbox);
      const { summary } = await linked.sync();
      expect(summary.outcome).toBe('failed');
      expect((await linked.app.store.link('default')).state).toBe('paused');
      expect(readSides(linked.sandbox)).toEqual(before);
    });
  }

  test('each rule refers to an existing variant', () => {
    expect(idleRules(SYNC_RULES, [...GOOGLE_VARIANTS, ...SERVICE_VARIANTS])).toEqual([]);
  });
});

/** The seed of the combinations: 1, or `VARIANT_SEED`, which may be `random`. */
const drawSeed = (): number => {
  const given = process.env['VARIANT_SEED'] ?? '1';
  return given === 'random' ? Math.floor(Math.random() * 1_000_000) : Number(given);
};

const COUNT = Number(process.env['VARIANT_COMBINATIONS'] ?? extentOf({ all: 50, sample: 3 }));

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
