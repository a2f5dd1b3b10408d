import { expect, test } from 'vitest';
import type { ServiceVariants } from '../../../src/sandbox/service/variants.ts';
import { atGoogle, idsOf, NOTHING_WRITTEN, startWith, syncWith } from './support.ts';
import { person } from '../../support/linked-people.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

const HOUR_MS = 3_600_000;

const EXTRAS = {
  FIELDS: 'default,lastContacted,relationshipStatus,reminderInterval,assignedUser',
  // Each run lists the service completely.
  SWEEP_INTERVAL: '1s',
};

const UNLISTED = { ...EXTRAS, SWEEP_INTERVAL: '7d' };

const started = async (variants: Partial<ServiceVariants> = {}) => {
  const linked = await startWith(['Ada', 'Ben'], EXTRAS, variants);
  await syncWith(linked, EXTRAS);
  const { account } = linked.sandbox.service;
  const ada = idsOf(linked, 'Ada');
  const contacted = (atMs: number) => account.compute(ada.service, { lastContactedAtMs: atMs });
  return { linked, account, ada, contacted };
};

const VARIANTS: readonly Partial<ServiceVariants>[] = [
  {},
  { activityBump: 'bumped' },
  { assignedTo: 'user' },
  { timestampFormat: 'iso-ms' },
  { nullFields: 'absent' },
  { emptyScalar: 'null' },
];

test.each(VARIANTS)('R2, R10: values computed by the service are custom fields at Google: %o', async (variants) => {
  const { linked, account, ada, contacted } = await started(variants);
  await using _ = linked;
  linked.sandbox.google.account.updatePerson(ada.google, {
    userDefined: [
      { key: 'Shoe size', value: '38' },
      { key: 'Relationship ', value: 'mine' },
    ],
  });
  const bucket = account.createBucket({ name: 'Clients', reminderInterval: 30 });
  account.addToBuckets(ada.service, [bucket.id, account.createBucket({ name: 'All', reminderInterval: 90 }).id]);
  contacted(Date.parse('2026-01-31T23:59:59Z'));
  account.compute(ada.service, { relationshipStatus: 'fading', assignedToId: account.user.id });
  const { left, right } = (await syncWith(linked, EXTRAS)).summary;
  expect([left.updated, right.updated]).toEqual([1, 0]);
  const assigned = variants.assignedTo === 'user' ? 'Sandy Box' : account.user.id;
  expect(atGoogle(linked, 'Ada').userDefined).toMatchObject([
    { key: 'Shoe size', value: '38' },
    { key: 'Relationship ', value: 'fading' },
    { key: 'Assigned to', value: assigned },
    { key: 'Last contacted', value: '2026-01-31' },
    { key: 'Reminder interval', value: '30' },
  ]);
  expect(atGoogle(linked, 'Ben')).not.toHaveProperty('userDefined');
  expect((await syncWith(linked, EXTRAS)).summary).toMatchObject(NOTHING_WRITTEN);
  account.compute(ada.service, { relationshipStatus: 'none', assignedToId: null, lastContactedAtMs: null });
  account.setBuckets(ada.service, []);
  linked.clock.advance(HOUR_MS);
  await syncWith(linked, EXTRAS);
  expect(atGoogle(linked, 'Ada').userDefined).toMatchObject([{ key: 'Shoe size', value: '38' }]);
});

test('R2: extras are written when they have changed, in a run that lists a side', async () => {
  const { linked, ada, contacted } = await started({ activityBump: 'bumped' });
  await using _ = linked;
  const syncs = async (variables: Readonly<Record<string, string>> = EXTRAS) =>
    (await syncWith(linked, variables)).summary;
  const shownOf = () => atGoogle(linked, 'Ada').userDefined?.map(({ key, value }) => `${key}: ${value}`);
  const WRITTEN = { left: { updated: 1 }, right: { updated: 0 }, conflicts: 0 };
  contacted(Date.parse('2026-01-01T12:00:00Z'));
  expect(await syncs()).toMatchObject(WRITTEN);
  contacted(Date.parse('2026-01-01T13:00:00Z'));
  expect(await syncs()).toMatchObject(NOTHING_WRITTEN);
  contacted(Date.parse('2026-01-02T12:00:00Z'));
  linked.clock.advance(HOUR_MS);
  expect(await syncs(UNLISTED)).toMatchObject(NOTHING_WRITTEN);
  expect(shownOf()).toEqual(['Last contacted: 2026-01-01']);
  expect(await syncs()).toMatchObject(WRITTEN);
  expect(shownOf()).toEqual(['Last contacted: 2026-01-02']);
  const userDefined = [{ key: 'Last contacted', value: 'never' }];
  linked.sandbox.google.account.updatePerson(ada.google, { userDefined });
  linked.clock.advance(HOUR_MS);
  expect(await syncs()).toMatchObject({ ...NOTHING_WRITTEN, conflicts: 0 });
  contacted(Date.parse('2026-01-05T12:00:00Z'));
  expect(await syncs()).toMatchObject(WRITTEN);
  expect(shownOf()).toEqual(['Last contacted: 2026-01-05']);
});

const COUNT = 1_000;
const people = Array.from({ length: COUNT }, (_, index) => person(`Given${index}`));

test('the extras of 1,000 contacts cost five requests at Google, in a run that lists a side', async () => {
  const unlisted = { FIELDS: 'default,lastContacted,relationshipStatus', SWEEP_INTERVAL: '7d' };
  const listed = { ...unlisted, SWEEP_INTERVAL: '1s' };
  const variants = { service: { activityBump: 'bumped' } } as const;
  await using linked = await startLinkedSandbox({ variants, google: people, service: people }, {});
  const { account } = linked.sandbox.service;
  const compute = (lastContactedAtMs: number, relationshipStatus: string): void => {
    for (const { id } of account.contacts()) {
      account.compute(id, { lastContactedAtMs, relationshipStatus });
      linked.clock.advance(1_000);
    }
    linked.clock.advance(HOUR_MS);
  };
  const run = async (variables: Readonly<Record<string, string>>) => {
    const { left, right } = (await syncWith(linked, variables)).summary;
    linked.clock.advance(HOUR_MS);
    expect(right.updated).toBe(0);
    // Each run here is a process of its own, which asks Google for a token.
    return { google: left.requests - 1, service: right.requests, shown: left.updated };
  };
  const IDLE = { google: 2, service: 2, shown: 0 };
  const firstMs = Date.parse('2026-01-01T12:00:00Z');
  compute(firstMs, 'strong');
  await run({});
  // Chosen for the first time: both sides are listed completely, 1,000 and 50 contacts a page.
  expect(await run(unlisted)).toEqual({ google: 3 + 5, service: 2 + 20, shown: COUNT });
  expect(await run(unlisted)).toEqual(IDLE);
  compute(firstMs + 24 * HOUR_MS, 'fading');
  // Changed values are read and not written yet.
  expect(await run(unlisted)).toEqual({ google: 2, service: 3 + 20, shown: 0 });
  expect(await run(unlisted)).toEqual(IDLE);
  // A run that writes reads the accounts of both sides once.
  expect(await run(listed)).toEqual({ google: 3 + 5, service: 2 + 20, shown: COUNT });
  expect(await run(unlisted)).toEqual(IDLE);
});
