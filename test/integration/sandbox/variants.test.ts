import { describe, expect, test } from 'vitest';
import { sampled } from '../../support/extent.ts';
import { readSides } from '../../support/compare-sides.ts';
import { isPlayable, playThrough, startUnder, SYNC_RULES } from '../../support/contract/play-through.ts';
import { GOOGLE_VARIANTS, idleRules, ruleFor, SERVICE_VARIANTS, titleOf } from '../../support/contract/variant-sets.ts';

/** `npm test` plays one variant of so many. */
const SAMPLE_EACH = 8;

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
