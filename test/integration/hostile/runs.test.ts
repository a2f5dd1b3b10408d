import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HaltError } from '../../../src/engine/errors.ts';
import { RemoteError } from '../../../src/providers/errors.ts';
import { samplePeople } from '../../../src/sandbox/people/sample.ts';
import { type Breakage, nonsense, type SpoilingProxy, startSpoilingProxy } from './breakage.ts';
import { readSides } from '../../support/compare-sides.ts';
import { extentOf } from '../../support/extent.ts';
import { type LinkedSandbox, startLinkedSandbox } from '../../support/linked-sandbox.ts';

const SEED = 20261121;

type Place = 'google' | 'service';
type Stage = { readonly linked: LinkedSandbox; readonly proxies: Readonly<Record<Place, SpoilingProxy>> };

const withStage = async (use: (stage: Stage) => Promise<void>): Promise<void> => {
  await using google = await startSpoilingProxy();
  await using service = await startSpoilingProxy();
  const people = samplePeople(10).map((person) => ({ ...person, groups: ['Choir'] }));
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

/** A run waits between its searches for a contact whose creation got no answer. */
const HURRY = 20;

const withService = async (use: (linked: LinkedSandbox, service: SpoilingProxy) => Promise<void>): Promise<void> => {
  await using service = await startSpoilingProxy();
  const people = samplePeople(12);
  await using linked = await startLinkedSandbox(
    { google: people, service: [] },
    { SERVICE_BASE_URL: service.url, SWEEP_INTERVAL: '1s' },
    { hurry: HURRY },
  );
  service.target = linked.sandbox.service.url;
  await use(linked, service);
};

type Contact = Record<string, unknown>;

const contactsWithout = (lose: (contact: Contact) => Contact) => (text: string) => {
  const body = (text === '' ? {} : JSON.parse(text)) as { data?: unknown };
  const spoil = (one: unknown): unknown =>
    typeof one === 'object' && one !== null && 'email_addresses' in one ? lose(one) : one;
  return JSON.stringify({ ...body, data: Array.isArray(body.data) ? body.data.map(spoil) : spoil(body.data) });
};

const without = (key: string) => (contact: Contact) =>
  Object.fromEntries(Object.entries(contact).filter(([name]) => name !== key));

test.each([
  ['email_addresses', without('email_addresses')],
  ['phone_numbers', without('phone_numbers')],
  ['addresses', without('addresses')],
  ['websites', without('websites')],
  ['null lists', (contact: Contact) => ({ ...contact, email_addresses: null, phone_numbers: null })],
  ['names', (contact: Contact) => ({ ...contact, first_name: null, last_name: null })],
  ['buckets', (contact: Contact) => ({ ...contact, extra_data: {} })],
])('R17: a missing part of an answer of the service does not count as empty: %s', async (_, lose) => {
  await withService(async (linked, service) => {
    await linked.synced();
    const before = readSides(linked.sandbox);
    service.rewrite = contactsWithout(lose);
    for (const kind of ['incremental', 'full'] as const) {
      const summary = await linked.synced({ afterMs: 60_000, kind });
      expect([summary.left.updated, summary.left.deleted, summary.right.created]).toEqual([0, 0, 0]);
    }
    service.rewrite = null;
    await linked.synced({ afterMs: 60_000, kind: 'full' });
    expect(readSides(linked.sandbox)).toEqual(before);
  });
});

test('R9, R17: no second create follows a lost answer while contacts cannot be read', async () => {
  await withService(async (linked, service) => {
    service.rewrite = contactsWithout(without('websites'));
    for (let run = 0; run < 3; run += 1) {
      await linked.sync();
      linked.clock.advance(3_600_000);
    }
    service.rewrite = null;
    await linked.sync({ kind: 'full' });
    const { google, service: people } = readSides(linked.sandbox);
    expect(people).toEqual(google);
  });
});

test('R9, R17: no second create at Google follows an answer that cannot be read', async () => {
  await using google = await startSpoilingProxy();
  await using linked = await startLinkedSandbox(
    { google: [], service: samplePeople(12) },
    { GOOGLE_ROOT_URL: `${google.url}/` },
    { hurry: HURRY },
  );
  google.target = linked.sandbox.google.url;
  google.rewrite = (text) => text.replaceAll(/"givenName":"[^"]*"/gu, '"givenName":null');
  for (let run = 0; run < 3; run += 1) await linked.sync({ afterMs: 3_600_000 });
  google.rewrite = null;
  await linked.synced({ afterMs: 24 * 3_600_000, kind: 'full' });
  const sides = readSides(linked.sandbox);
  expect(sides.google).toEqual(sides.service);
  expect(sides.google).toHaveLength(12);
});
