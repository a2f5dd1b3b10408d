import { describe, expect, test } from 'vitest';
import { SCENE_NAMES, SCENES, type SceneName } from '../../contract/remote-contract.ts';
import { sampled } from '../extent.ts';
import type { Harness } from './harness.ts';
import { idleRules, ruleFor, titleOf, type Variant, type VariantRule } from './variant-sets.ts';

/** Variants that a scene, or every scene, is not played under, and why. */
export type Exclusion = VariantRule<'all' | 'some'> & { readonly scenes?: readonly SceneName[] };

const isPlayed = (exclusions: readonly Exclusion[], variant: Variant, scene: SceneName): boolean =>
  exclusions.every(
    (exclusion) =>
      ruleFor([exclusion], variant) === null || (exclusion.kind === 'some' && !exclusion.scenes?.includes(scene)),
  );

/** `npm test` plays one scene of so many under each variant, another one under the next. */
const SAMPLE_EACH = 6;

type Failure = { readonly scene: SceneName; readonly error: unknown };

/** Each scene of a variant failed or passed by itself; a test fails with all that failed. */
const reportFailures = (failures: readonly Failure[]): void => {
  if (failures.length === 0) return;
  const lines = failures.map(
    ({ scene, error }) => `${scene}: ${error instanceof Error ? error.message : String(error)}`,
  );
  throw new AggregateError(
    failures.map(({ error }) => error),
    lines.join('\n'),
  );
};

/** Plays the contract of the port on one provider: with the defaults, and under each variant by itself. */
export const describeRemote = (
  title: string,
  open: (variants: readonly Variant[]) => Promise<Harness>,
  variants: readonly Variant[],
  exclusions: readonly Exclusion[],
): void => {
  const play = async (scene: SceneName, chosen: readonly Variant[]): Promise<void> => {
    await using harness = await open(chosen);
    await SCENES[scene](harness);
  };

  describe(`${title}, with every gap filled in the likeliest way`, () => {
    test.each(SCENE_NAMES)('%s', async (scene) => {
      await play(scene, []);
    });
  });

  describe(`${title} keeps every promise of the port`, () => {
    for (const [index, variant] of variants.entries()) {
      const all = SCENE_NAMES.filter((scene) => isPlayed(exclusions, variant, scene));
      const played = sampled(all, SAMPLE_EACH, index);
      if (played.length === 0) continue;
      test(`under ${titleOf(variant)}`, async () => {
        const failures: Failure[] = [];
        for (const scene of played) {
          await play(scene, [variant]).catch((error: unknown) => failures.push({ scene, error }));
        }
        reportFailures(failures);
      });
    }
  });

  test(`${title}: what is left out speaks of variants that exist`, () => {
    expect(idleRules(exclusions, variants)).toEqual([]);
  });
};
