import { describe, expect, test } from 'vitest';
import { EMPTY_PERSON, type Person } from '../../../src/sandbox/people/person.ts';
import type { Fault } from '../../../src/sandbox/service/faults.ts';
import type { RunEvent } from '../../../src/engine/run-event.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const SHARED = [{ value: 'Family@example.org', label: 'home' }];
/** A run waits between its searches for a contact whose creation got no answer. */
const HURRY = 20;
const DAY_MS = 24 * 60 * 60_000;

const person = (givenName: string): Person => ({ ...EMPTY_PERSON, givenName, familyName: 'Tester', emails: SHARED });

const NAMES = ['Ada', 'Ben', 'Cid', 'Dot', 'Eve', 'Fay'];

/** A link of people who share an address. */
const start = (createKnownEmail: string, names: readonly string[] = NAMES): Promise<LinkedSandbox> => {
  const variants = { service: { createKnownEmail: createKnownEmail as 'existing' } };
  return startLinkedSandbox({ google: names.map(person), service: [], variants }, {}, { hurry: HURRY });
};

/** Runs the link once and lets a day pass. Returns the events of the run. */
const syncEvents = async ({ synced, clock }: LinkedSandbox): Promise<readonly RunEvent[]> => {
  const events: RunEvent[] = [];
  await synced({ onEvent: (event) => events.push(event) });
  clock.advance(DAY_MS);
  return events;
};

const isQuiet = async (linked: LinkedSandbox): Promise<boolean> => {
  const { summary } = await linked.sync();
  linked.clock.advance(DAY_MS);
  return [summary.left, summary.right].every(({ created, updated, deleted }) => created + updated + deleted === 0);
};

/** The first name and the addresses of every contact, by name. */
const atService = ({ sandbox }: LinkedSandbox) =>
  sandbox.service.account
    .contacts()
    .map(({ first_name, email_addresses }) => [first_name, email_addresses.map(({ address }) => address)] as const)
    .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1));

const atGoogle = ({ sandbox }: LinkedSandbox) =>
  sandbox.google.account
    .people()
    .map(({ names, emailAddresses = [] }) => [names?.[0]?.givenName, emailAddresses.map(({ value }) => value)] as const)
    .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1));

const addToGoogle = ({ sandbox }: LinkedSandbox, givenName: string): void => {
  const emailAddresses = SHARED.map(({ value, label }) => ({ value, type: label }));
  sandbox.google.account.createPerson({ names: [{ givenName, familyName: 'Tester' }], emailAddresses });
};

const everyoneHolds = (names: readonly string[]) => names.map((name) => [name, ['Family@example.org']]);

describe.each(['duplicate', 'existing', 'existing-updated'])(
  'where a create with a known email address is answered with %s',
  (variant) => {
    test('R5: people who share an email address are created separately, with the address', async () => {
      await using linked = await start(variant);
      const events = await syncEvents(linked);
      expect(events.filter(({ kind }) => kind === 'skipped' || kind === 'not-taken')).toEqual([]);
      expect(atService(linked)).toEqual(everyoneHolds(NAMES));
      expect(atGoogle(linked)).toEqual(everyoneHolds(NAMES));
      expect(await isQuiet(linked)).toBe(true);
    });

    test('R5, R10: the contact that has the address is unchanged on both sides when another one is created', async () => {
      await using linked = await start(variant, ['Ada']);
      await syncEvents(linked);
      const { account } = linked.sandbox.service;
      const id = account.contacts()[0]?.id ?? '';
      account.updateContact(id, { tags: ['friend'] });
      await syncEvents(linked);
      const before = account.contact(id);
      addToGoogle(linked, 'Ben');
      await syncEvents(linked);
      expect(account.contact(id)).toEqual(before);
      expect(atService(linked)).toEqual(everyoneHolds(['Ada', 'Ben']));
      expect(atGoogle(linked)).toEqual(everyoneHolds(['Ada', 'Ben']));
      expect(await isQuiet(linked)).toBe(true);
    });
  },
);

describe.each(['422', '409'])('where a known address is refused with %s', (variant) => {
  test('R2: all contacts are created, one with the address; the address is kept at Google and reported once', async () => {
    await using linked = await start(variant);
    const runs = [];
    for (let count = 0; count < 5; count += 1) runs.push(await syncEvents(linked));
    expect(atService(linked).map(([name]) => name)).toEqual(NAMES);
    expect(atService(linked).flatMap(([, held]) => held)).toEqual(['Family@example.org']);
    expect(atGoogle(linked)).toEqual(everyoneHolds(NAMES));
    const reported = runs.flat().filter((event) => event.kind === 'not-taken');
    expect(reported).toHaveLength(NAMES.length - 1);
    for (const event of reported) expect(event).toMatchObject({ side: 'right', fields: ['emailAddresses'] });
    // Once it counts as not taken, it is neither sent nor reported again.
    expect(
      runs
        .slice(3)
        .flat()
        .filter(({ kind }) => kind === 'skipped' || kind === 'not-taken'),
    ).toEqual([]);
    expect((await linked.app.store.link('default')).rejections).toEqual([]);
    expect(await isQuiet(linked)).toBe(true);
  });

  test('R15: other changes of such a contact are synced', async () => {
    await using linked = await start(variant, ['Ada', 'Ben']);
    await syncEvents(linked);
    const { google, service } = linked.sandbox;
    for (const { resourceName = '' } of google.account.people())
      google.account.updatePerson(resourceName ?? '', { organizations: [{ title: 'Dr', name: 'Works' }] });
    await syncEvents(linked);
    for (const contact of service.account.contacts()) expect(contact).toMatchObject({ title: 'Dr', company: 'Works' });
  });
});

test('R15: an address that was refused once is written later', async () => {
  await using linked = await start('duplicate', ['Ada', 'Ben']);
  linked.sandbox.service.addFault({ method: 'PATCH', path: '/v2/contacts/', action: { kind: 'status', status: 422 } });
  await syncEvents(linked);
  expect(atService(linked).flatMap(([, held]) => held)).toHaveLength(1);
  await syncEvents(linked);
  expect(atService(linked)).toEqual(everyoneHolds(['Ada', 'Ben']));
});

test('R9: an address whose write was applied without an answer exists once, and no write follows', async () => {
  await using linked = await start('existing-updated', ['Ada', 'Ben']);
  linked.sandbox.service.addFault({ method: 'PATCH', path: '/v2/contacts/', action: { kind: 'reset-after' } });
  await syncEvents(linked);
  expect(atService(linked)).toEqual(everyoneHolds(['Ada', 'Ben']));
  expect(await isQuiet(linked)).toBe(true);
});

const sentBy = ({ sandbox }: LinkedSandbox, method: string): number =>
  sandbox.service.requests.filter((each) => each.method === method && each.path.startsWith('/v2/contacts')).length;

test('R5: after one create has tested the address, the others are created completely with one request each', async () => {
  await using linked = await start('duplicate');
  await syncEvents(linked);
  expect(atService(linked)).toEqual(everyoneHolds(NAMES));
  expect([sentBy(linked, 'POST'), sentBy(linked, 'PATCH')]).toEqual([NAMES.length, 1]);
});

test('R5: where the first create is refused, each address is written separately', async () => {
  await using linked = await start('existing-updated');
  await syncEvents(linked);
  expect(atService(linked)).toEqual(everyoneHolds(NAMES));
  expect([sentBy(linked, 'POST'), sentBy(linked, 'PATCH')]).toEqual([NAMES.length + 1, NAMES.length - 1]);
});

test.each(
  ['duplicate', 'existing', 'existing-updated'].flatMap((variant) => [
    [variant, 'reset-after'],
    [variant, 'reset-before'],
  ]),
)('R9: a lost answer to the first create causes no duplicate (%s, %s)', async (variant, kind) => {
  await using linked = await start(variant);
  const action = { kind } as Fault['action'];
  linked.sandbox.service.addFault({ method: 'POST', path: '^/v2/contacts$', skip: 1, action });
  await syncEvents(linked);
  await syncEvents(linked);
  expect(atService(linked)).toEqual(everyoneHolds(NAMES));
  expect(atGoogle(linked)).toEqual(everyoneHolds(NAMES));
  expect(await isQuiet(linked)).toBe(true);
});
