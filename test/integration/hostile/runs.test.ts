import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RemoteError } from '../../../src/providers/errors.ts';
import { generatePeople } from '../../../src/sandbox/people/generate.ts';
import { HaltError } from '../../../src/engine/context.ts';
import { readSides } from '../../support/compare-sides.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';
import { nonsense, type Breakage } from './breakage.ts';
import { startSpoilingProxy, type SpoilingProxy } from './spoiling-proxy.ts';
import { extentOf } from '../../support/extent.ts';

const SEED = 20261121;

type Place = 'google' | 'service';
type Stage = { readonly linked: LinkedSandbox; readonly proxies: Readonly<Record<Place, SpoilingProxy>> };

const withStage = async (use: (stage: Stage) => Promise<void>): Promise<void> => {
  await using google = await startSpoilingProxy();
  await using service = await startSpoilingProxy();
  const people = generatePeople({ count: 10, seed: 5 }).map((person) => ({ ...person, groups: ['Choir'] }));
  await using linked = await startLinkedSandbox(
    { google: people, service: [] },
    { GOOGLE_ROOT_URL: `${google.url}/`, SERVICE_BASE_URL: service.url, SWEEP_INTERVAL: '1s' },
  );
  google.target = linked.sandbox.google.url;
  service.target = linked.sandbox.service.url;
  await use({ linked, proxies: { google, service } });
};

const writes = ({ proxies }: Stage): number => proxies.google.writes.length + proxies.service.writes.length;

type Trial = {
  readonly side: Place;
  readonly nth: number;
  readonly kind: 'incremental' | 'full';
  readonly breakage: Breakage;
};

const trial: fc.Arbitrary<Trial> = fc.record({
  side: fc.constantFrom('google', 'service'),
  nth: fc.oneof(fc.constant(0), fc.nat({ max: 4 })),
  kind: fc.constantFrom('incremental', 'full'),
  breakage: nonsense,
});

const expectHandled = (error: unknown): void => {
  const isHandled = error === null || error instanceof RemoteError || error instanceof HaltError;
  expect(isHandled, error instanceof Error ? error.stack : String(error)).toBe(true);
};

/** A run that meets a broken answer, and a sound one after it: neither has anything to write. */
const runQuietly = async (stage: Stage, { side, nth, kind, breakage }: Trial): Promise<void> => {
  const { linked, proxies } = stage;
  const before = writes(stage);
  proxies[side].spoil({ nth, all: false, breakage });
  const { error } = await linked.sync({ afterMs: 60_000, kind });
  proxies[side].spoil(null);
  expectHandled(error);
  const sound = await linked.sync({ afterMs: 60_000 });
  expect(sound.error).toBeNull();
  expect(writes(stage)).toBe(before);
};

test('R7, R15: a run that gets invalid answers changes no side', async () => {
  await withStage(async (stage) => {
    const { error } = await stage.linked.sync();
    expect(error).toBeNull();
    const sides = readSides(stage.linked.sandbox);
    await fc.assert(
      fc.asyncProperty(trial, (one) => runQuietly(stage, one)),
      { seed: SEED, numRuns: extentOf({ all: 60, sample: 12 }) },
    );
    expect(readSides(stage.linked.sandbox)).toEqual(sides);
  });
});

test('a first sync with invalid answers makes both sides equal after the answers are valid again', async () => {
  await fc.assert(
    fc.asyncProperty(trial, async ({ side, nth, breakage }) => {
      await withStage(async ({ linked, proxies }) => {
        const people = readSides(linked.sandbox).google;
        proxies[side].spoil({ nth: nth * 3, all: false, breakage });
        const { error } = await linked.sync();
        proxies[side].spoil(null);
        expectHandled(error);
        await linked.synced({ afterMs: 24 * 3_600_000, kind: 'full' });
        const sides = readSides(linked.sandbox);
        expect(sides.google).toEqual(people);
        expect(sides.service).toEqual(people);
      });
    }),
    { seed: SEED, numRuns: extentOf({ all: 12, sample: 3 }) },
  );
});
