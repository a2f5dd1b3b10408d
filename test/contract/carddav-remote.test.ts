import { afterAll, beforeAll, describe, test } from 'vitest';
import { hasRadicale, startRadicale, type Radicale } from '../support/carddav/radicale.ts';
import { openCarddavHarness, type GroupKeeping } from '../support/contract/carddav-harness.ts';
import { SCENE_NAMES, SCENES, type SceneName } from './remote-contract.ts';

/** A category is its name: after a rename it is another group. */
const WITHOUT_CATEGORIES: readonly SceneName[] = [
  'groups are made, listed, renamed, read and deleted, and their contacts stay',
];

// With CI=true nothing is skipped.
describe.skipIf(!hasRadicale() && process.env['CI'] !== 'true')('CardDAV on Radicale', () => {
  let radicale: Radicale;
  beforeAll(async () => {
    radicale = await startRadicale();
  });
  afterAll(() => radicale[Symbol.asyncDispose]());

  const play = async (scene: SceneName, keeping: GroupKeeping): Promise<void> => {
    await using harness = await openCarddavHarness(radicale.openBook(), keeping);
    await SCENES[scene](harness);
  };

  describe('with groups that are cards', () => {
    test.each(SCENE_NAMES)('%s', (scene) => play(scene, 'cards'));
  });

  describe('with groups that are categories', () => {
    test.each(SCENE_NAMES.filter((name) => !WITHOUT_CATEGORIES.includes(name)))('%s', (scene) =>
      play(scene, 'categories'),
    );
  });
});
