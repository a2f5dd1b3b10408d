import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCarddavLink, type CarddavLink } from '../support/carddav/carddav-link.ts';
import { createEditor, type Editor } from '../support/carddav/edits.ts';
import { hasRadicale, startRadicale } from '../support/carddav/radicale.ts';
import type { CarddavServer } from '../support/carddav/server.ts';
import type { GroupKeeping } from '../support/contract/carddav-harness.ts';
import { extentOf, reportExtent, sampled } from '../support/extent.ts';
import { seeded } from '../support/random.ts';

const MOST_RUNS = 6;

/** Runs until nothing is written any more. */
const settle = async (link: CarddavLink): Promise<void> => {
  for (let run = 0; run < MOST_RUNS; run += 1) {
    const result = await link.run();
    expect(result?.error).toBeNull();
    const { left, right } = result?.summary ?? expect.fail('the run was killed');
    if ([left, right].every(({ created, updated, deleted }) => created + updated + deleted === 0)) return;
  }
  expect.fail(`both sides still change after ${MOST_RUNS} runs`);
};

/** Both sides are the same, and no contact is lost or duplicated. */
const judge = (link: CarddavLink, { kept }: Editor): void => {
  const { left, right } = link.rows();
  expect(right).toEqual(left);
  const names = right.map(({ name }) => name.split(' ')[0] ?? '');
  expect(names).toHaveLength(new Set(names).size);
  expect([...kept].filter((name) => !names.includes(name))).toEqual([]);
};

describe.skipIf(!hasRadicale() && process.env['CI'] !== 'true')('Google and Radicale', () => {
  let radicale: CarddavServer;
  beforeAll(async () => {
    radicale = await startRadicale();
  });
  afterAll(() => radicale[Symbol.asyncDispose]());

  const keepings: readonly GroupKeeping[] = ['cards', 'categories'];

  test.each(keepings)(
    'random edits and killed runs lose and repeat nothing, with groups that are %s',
    async (keeping) => {
      const histories = extentOf({ all: 250, sample: 3 });
      let [edits, kills] = [0, 0];
      for (let seed = 1; seed <= histories; seed += 1) {
        await using link = await startCarddavLink('google', radicale.openBook(), keeping);
        const random = seeded(seed);
        const editor = createEditor(link, random);
        for (let round = 0; round < 4; round += 1) {
          const count = 1 + Math.floor(random() * 8);
          for (let edit = 0; edit < count; edit += 1) editor.edit();
          edits += count;
          const kill = { request: 1 + Math.floor(random() * 40), arrives: random() < 0.5 };
          if ((await link.run(random() < 0.5 ? kill : undefined)) === null) kills += 1;
        }
        try {
          await settle(link);
          judge(link, editor);
        } catch (error) {
          throw new Error(`seed ${seed}`, { cause: error });
        }
      }
      reportExtent(
        `CardDAV on Radicale, groups that are ${keeping}: ${histories} histories, ${edits} edits, ${kills} killed runs`,
      );
    },
  );

  test.each(keepings)('a run may be killed at each of its requests, with groups that are %s', async (keeping) => {
    /** Edits of every kind on both sides, after a first sync. */
    const prepare = async (link: CarddavLink): Promise<Editor> => {
      const editor = createEditor(link, seeded(5));
      for (let edit = 0; edit < 14; edit += 1) editor.edit();
      await settle(link);
      for (let edit = 0; edit < 24; edit += 1) editor.edit();
      return editor;
    };
    const countRequests = async (): Promise<number> => {
      await using link = await startCarddavLink('google', radicale.openBook(), keeping);
      await prepare(link);
      const before = link.arrived();
      await link.run();
      return link.arrived() - before;
    };
    const requests = await countRequests();
    const points = Array.from({ length: 2 * requests }, (_, index) => ({
      request: 1 + Math.floor(index / 2),
      arrives: index % 2 === 0,
    }));
    const played = sampled(points, 21);
    let killed = 0;
    for (const point of played) {
      await using link = await startCarddavLink('google', radicale.openBook(), keeping);
      const editor = await prepare(link);
      if ((await link.run(point)) === null) killed += 1;
      try {
        await settle(link);
        judge(link, editor);
      } catch (error) {
        throw new Error(`killed at request ${point.request}, which ${point.arrives ? 'arrived' : 'did not arrive'}`, {
          cause: error,
        });
      }
    }
    expect(killed).toBe(played.length);
    reportExtent(`CardDAV on Radicale, groups that are ${keeping}: killed at ${killed} of ${points.length} points`);
  });
});
