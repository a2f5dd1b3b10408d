import { expect, test } from 'vitest';
import type { LinkConfig } from '../../../src/app/config/link-config.ts';
import { FIRST_SYNC_WAITS } from '../../../src/engine/errors.ts';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { readSides } from '../../support/compare-sides.ts';
import { named } from '../../support/linked-people.ts';
import { type LinkedSandbox, startLinkedSandbox, startSyncedSandbox } from '../../support/linked-sandbox.ts';

const REVIEW = { FIRST_SYNC: 'review' };
const ADA = {
  ...EMPTY_PERSON,
  givenName: 'Ada',
  familyName: 'Lovelace',
  emails: [{ value: 'ada@example.org', label: 'work' }],
};
const BOB = { ...ADA, givenName: 'Bob', familyName: 'Babbage', emails: [] };
const NOTHING = { created: 0, updated: 0, deleted: 0 };

/** A run with the halt of a first sync accepted. */
const ACCEPTED = { acceptDeletes: true, acceptedHalt: FIRST_SYNC_WAITS };

test('R8: a first sync with a review halts each time until it is accepted', async () => {
  await using linked = await startLinkedSandbox({ google: [ADA, BOB], service: [ADA] }, REVIEW);
  const before = readSides(linked.sandbox);
  for (const options of [{}, {}, { acceptDeletes: true }, { kind: 'full' } as const]) {
    const { summary, error } = await linked.sync(options);
    expect(error).toMatchObject({ halt: { reason: 'first-sync', side: null } });
    expect(summary).toMatchObject({ outcome: 'halted', reason: FIRST_SYNC_WAITS, left: NOTHING, right: NOTHING });
  }
  const { changes, halt } = await linked.plan();
  expect(changes.map(({ action }) => action)).toEqual(['pair', 'create']);
  expect(halt?.reason).toBe('first-sync');
  expect(readSides(linked.sandbox)).toEqual(before);
  expect(await linked.app.store.counts(linked.link.name)).toMatchObject({ pairs: 0 });

  expect(await linked.synced(ACCEPTED)).toMatchObject({ paired: 1, right: { created: 1 } });
  expect((await linked.sync()).summary).toMatchObject({ outcome: 'completed', left: NOTHING, right: NOTHING });
});

test('the plan of a first sync counts the contacts with values that are not synced, and later plans do not', async () => {
  const king = { ...ADA, middleName: 'King' };
  await using linked = await startLinkedSandbox({ google: [king, BOB], service: [] });
  expect((await linked.plan()).unsynced).toMatchObject({ middleName: 1, namePrefix: 0 });
  await linked.synced();
  expect((await linked.plan('full')).unsynced).toBeNull();
});

test('R8: the next run continues an accepted and stopped first sync without another review', async () => {
  const crowd = Array.from({ length: 100 }, (_, index) => ({ ...BOB, givenName: `Bob${index}` }));
  await using linked = await startLinkedSandbox({ google: [ADA, ...crowd], service: [ADA] }, REVIEW);
  await linked.sync();
  const stopping = new AbortController();
  const { error } = await linked.sync({
    ...ACCEPTED,
    stop: stopping.signal,
    onEvent: ({ kind }) => {
      if (kind === 'written') stopping.abort(new Error('It is stopped here.'));
    },
  });
  expect(error).toMatchObject({ message: 'It is stopped here.' });
  expect(linked.sandbox.service.account.contacts().length).toBeLessThan(101);
  await linked.synced();
  expect(linked.sandbox.service.account.contacts()).toHaveLength(101);
});

test('R8: a first sync without writes needs no review, and later runs need none', async () => {
  await using linked = await startSyncedSandbox({ google: [], service: [] }, REVIEW);
  linked.sandbox.google.account.createPerson({ names: [{ givenName: 'Ada' }] });
  expect((await linked.sync()).error).toMatchObject({ halt: { reason: 'first-sync' } });
  await linked.sync(ACCEPTED);
  linked.sandbox.google.account.createPerson({ names: [{ givenName: 'Bob' }] });
  expect((await linked.sync()).summary).toMatchObject({ outcome: 'completed', right: { created: 1 } });
});

const PEOPLE = ['Ada', 'Ben', 'Cy'].map((name) => named(name));

const runLink = async (linked: LinkedSandbox, link: LinkConfig) => {
  const result = await linked.sync({ link, acceptDeletes: true });
  linked.clock.advance(60_000);
  return result;
};

const countsOf = ({ sandbox: { google, service } }: LinkedSandbox) => ({
  google: google.account.people().length,
  service: service.account.contacts().length,
});

const ONCE = { google: PEOPLE.length, service: PEOPLE.length };

const SECOND = {
  'another name': (link: LinkConfig): LinkConfig => ({ ...link, name: 'second' }),
  'swapped sides': ({ sides, ...link }: LinkConfig): LinkConfig => ({
    ...link,
    name: 'second',
    sides: { left: sides.right, right: sides.left },
  }),
};

test.each(['another name', 'swapped sides'] as const)(
  'R9: a second link over the same two accounts writes nothing: %s',
  async (how) => {
    await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
    const second = SECOND[how](linked.link);
    expect((await runLink(linked, linked.link)).error).toBeNull();
    for (let run = 0; run < 2; run += 1) {
      const { error, summary } = await runLink(linked, second);
      expect(error).toMatchObject({ halt: { reason: 'same-accounts' } });
      expect(summary.reason).toMatch(/links second and default connect the same two accounts.*forget second/u);
      expect(countsOf(linked)).toEqual(ONCE);
    }
    expect((await runLink(linked, linked.link)).error).toBeNull();
  },
);

test('R9: of two links over the same two accounts that start together one syncs, and no contact is created twice', async () => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
  const second: LinkConfig = { ...linked.link, name: 'second' };
  await Promise.all([runLink(linked, linked.link), runLink(linked, second)]);
  for (let run = 0; run < 2; run += 1) {
    await runLink(linked, second);
    await runLink(linked, linked.link);
    for (const side of ['google', 'service'] as const) expect(countsOf(linked)[side]).toBeLessThanOrEqual(3);
  }
  expect(countsOf(linked)).toEqual(ONCE);
});

test('R9: links that share one account sync side by side', async () => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
  await using other = await startLinkedSandbox({ google: [], service: [] });
  const shared: LinkConfig = {
    ...linked.link,
    name: 'second',
    sides: { left: linked.link.sides.left, right: other.link.sides.right },
  };
  expect((await runLink(linked, linked.link)).error).toBeNull();
  expect((await runLink(linked, shared)).error).toBeNull();
  expect(other.sandbox.service.account.contacts()).toHaveLength(PEOPLE.length);
});
