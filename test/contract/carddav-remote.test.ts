import { afterAll, beforeAll, describe, test } from 'vitest';
import { hasCyrus, startCyrus } from '../support/carddav/cyrus.ts';
import { hasRadicale, startRadicale } from '../support/carddav/radicale.ts';
import type { CarddavServer } from '../support/carddav/server.ts';
import { hasXandikos, startXandikos } from '../support/carddav/xandikos.ts';
import { sampled } from '../support/extent.ts';
import { openCarddavHarness, type GroupKeeping } from '../support/contract/carddav-harness.ts';
import { SCENE_NAMES, SCENES, type SceneName } from './remote-contract.ts';

/** The id of a category is its name, so a renamed category is another group. */
const WITHOUT_CATEGORIES: readonly SceneName[] = [
  'groups are created, listed, renamed, read and deleted, and their contacts are kept',
];

/** `npm test` runs one scene of this many, if the scenes all run with another server or the other kind of groups. */
const SAMPLE_EACH = 4;

const SERVERS = [
  { name: 'Radicale', has: hasRadicale, start: startRadicale, each: 1, first: 0 },
  { name: 'Xandikos', has: hasXandikos, start: startXandikos, each: SAMPLE_EACH, first: 0 },
  { name: 'Cyrus', has: hasCyrus, start: startCyrus, each: SAMPLE_EACH, first: 1 },
];

describe.each(SERVERS)('CardDAV on $name', ({ has, start, each, first }) => {
  // With CI=true nothing is skipped.
  describe.skipIf(!has() && process.env['CI'] !== 'true')('if it is installed', () => {
    let server: CarddavServer;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server[Symbol.asyncDispose]());

    const play = async (scene: SceneName, keeping: GroupKeeping): Promise<void> => {
      await using harness = await openCarddavHarness(server.openBook(), keeping);
      await SCENES[scene](harness);
    };

    test.each(sampled(SCENE_NAMES, each, first))('with groups that are cards: %s', (scene) => play(scene, 'cards'));

    const categorised = SCENE_NAMES.filter((name) => !WITHOUT_CATEGORIES.includes(name));
    test.each(sampled(categorised, SAMPLE_EACH, first))('with groups that are categories: %s', (scene) =>
      play(scene, 'categories'),
    );
  });
});
