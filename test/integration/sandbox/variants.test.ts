import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ended, runCli, startCli } from '../cli/run-cli.ts';
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

// Each command is a process of its own.
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'contact-sync-any-two-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test.each([
  ['google', 'google', 'Google (private)', 'Google (work)'],
  ['service', 'service', 'Service (private)', 'Service (work)'],
  ['service', 'google', 'Service', 'Google'],
])('the demo syncs %s on the left with %s on the right', async (left, right, leftTitle, rightTitle) => {
  const { code, stdout } = await runCli(['demo', '--left', left, '--right', right], { TMPDIR: directory }, directory);
  expect(code).toBe(0);
  expect(await readdir(directory)).toEqual([]);
  expect(stdout).toContain('No difference.');
  expect(stdout.trimEnd().endsWith('\n0 writes')).toBe(true);
  expect(stdout).toContain(`${leftTitle} -> ${rightTitle}`);
  expect(stdout).toContain(`${rightTitle} -> ${leftTitle}`);
});

const SidesDocument = z.object({
  runs: z.tuple([z.object({ outcome: z.literal('completed'), private: z.object({}), work: z.object({}) })]),
});

test('a sandbox of two accounts of one provider prints the settings of a working link, and leaves no files', async () => {
  const child = startCli(['sandbox', '--left', 'google', '--right', 'google', '--people', '12', '--json'], {
    TMPDIR: directory,
  });
  const end = ended(child);
  if (child.stdout === null) throw new Error('The sandbox has no stdout.');
  const [line] = (await once(createInterface(child.stdout), 'line')) as string[];
  const env = z.record(z.string(), z.string()).parse(JSON.parse(line ?? ''));
  const sync = await runCli(['sync', '--json'], env, directory);
  expect(sync.code).toBe(0);
  expect(SidesDocument.safeParse(JSON.parse(sync.stdout)).success).toBe(true);
  child.kill('SIGTERM');
  expect(await end).toMatchObject({ code: 0, stderr: '' });
  expect(await readdir(directory)).toEqual([]);
});

test('an option that names an account by its provider is refused where both have that provider', async () => {
  const { code, stderr } = await runCli([
    'sandbox',
    '--left',
    'service',
    '--right',
    'service',
    '--service-port',
    '9000',
  ]);
  expect(code).toBe(2);
  expect(stderr).toContain('--service-port');
});
