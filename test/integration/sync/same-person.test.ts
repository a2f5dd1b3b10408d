import { describe, expect, test } from 'vitest';
import { refusalsIn } from '../../../src/core/state/unsyncable.ts';
import type { RunEvent } from '../../../src/engine/run-event.ts';
import { EMPTY_PERSON, type Person } from '../../../src/sandbox/people/person.ts';
import { readSides } from '../../support/compare-sides.ts';
import { type LinkedSandbox, startLinkedSandbox } from '../../support/linked-sandbox.ts';

const person = (givenName: string, familyName: string, more: Partial<Person> = {}): Person => ({
  ...EMPTY_PERSON,
  givenName,
  familyName,
  ...more,
});

const HOME = { emails: [{ value: 'home@example.org', label: 'home' }] };

/** Runs the link once. Returns the events of the run. */
const syncEvents = async (linked: LinkedSandbox): Promise<readonly RunEvent[]> => {
  const events: RunEvent[] = [];
  await linked.synced({ onEvent: (event) => events.push(event) });
  return events;
};

const namesOf = (linked: LinkedSandbox) => {
  const { google, service } = readSides(linked.sandbox);
  return { google: google.map(({ name }) => name).toSorted(), service: service.map(({ name }) => name).toSorted() };
};

const bothHold = (...names: readonly string[]) => ({ google: names, service: names });

describe('R13: two contacts with one email address', () => {
  test('two contacts with different names stay two and are reported, and a merge on one side joins them', async () => {
    await using linked = await startLinkedSandbox(
      { google: [person('José', 'Soto', HOME)], service: [person('İpek', 'Müller', HOME)] },
      { SWEEP_INTERVAL: '1s' },
    );
    const events = await syncEvents(linked);
    expect(namesOf(linked)).toEqual(bothHold('José Soto', 'İpek Müller'));
    const found = events.filter((event) => event.kind === 'ambiguous');
    expect(found).toMatchObject([{ left: [expect.any(String)], right: [expect.any(String)], why: 'names differ' }]);

    const { google } = linked.sandbox;
    const idOf = (name: string) =>
      google.account.people().find((each) => each.names?.[0]?.givenName === name)?.resourceName;
    google.account.mergePeople(idOf('José') ?? '', [idOf('İpek') ?? '']);
    linked.clock.advance(20 * 60_000);
    await syncEvents(linked);
    linked.clock.advance(20 * 60_000);
    await syncEvents(linked);
    expect(namesOf(linked)).toEqual(bothHold('José Soto'));
  });
});

describe('R9: a Google account that was linked with another service account before', () => {
  test('contacts that this link created have the account of the service in their origin', async () => {
    await using linked = await startLinkedSandbox({ google: [], service: [person('Ada', 'King', HOME)] });
    await syncEvents(linked);
    const [made] = linked.sandbox.google.account.people();
    const [source] = linked.sandbox.service.account.contacts();
    expect(made?.clientData).toMatchObject([
      { key: 'contact-sync.origin', value: expect.stringMatching(new RegExp(`^\\S{16} ${source?.id ?? ''}$`, 'u')) },
    ]);
  });
});

const SHARED = [{ value: 'Family@example.org', label: 'home' }];
/** A run waits between its searches for a contact whose creation got no answer. */
const HURRY = 20;
const DAY_MS = 24 * 60 * 60_000;

const relative = (givenName: string): Person => ({ ...EMPTY_PERSON, givenName, familyName: 'Tester', emails: SHARED });

const NAMES = ['Ada', 'Ben', 'Cid', 'Dot', 'Eve', 'Fay'];

/** A link of people who share an address. */
const start = (createKnownEmail: string, names: readonly string[]): Promise<LinkedSandbox> => {
  const variants = { service: { createKnownEmail: createKnownEmail as 'existing' } };
  return startLinkedSandbox({ google: names.map(relative), service: [], variants }, {}, { hurry: HURRY });
};

const syncDaily = async (linked: LinkedSandbox): Promise<void> => {
  await linked.synced();
  linked.clock.advance(DAY_MS);
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

const everyoneHolds = (names: readonly string[]) => names.map((name) => [name, ['Family@example.org']]);

test.each(['duplicate', 'existing', 'existing-updated'])(
  'R5, R10: the contact that has an address is unchanged on both sides where the create of another one with it is answered with %s',
  async (variant) => {
    await using linked = await start(variant, ['Ada']);
    await syncDaily(linked);
    const { account } = linked.sandbox.service;
    const id = account.contacts()[0]?.id ?? '';
    account.updateContact(id, { tags: ['friend'] });
    await syncDaily(linked);
    const before = account.contact(id);
    const emailAddresses = SHARED.map(({ value, label }) => ({ value, type: label }));
    linked.sandbox.google.account.createPerson({
      names: [{ givenName: 'Ben', familyName: 'Tester' }],
      emailAddresses,
    });
    await syncDaily(linked);
    expect(account.contact(id)).toEqual(before);
    expect(atService(linked)).toEqual(everyoneHolds(['Ada', 'Ben']));
    expect(atGoogle(linked)).toEqual(everyoneHolds(['Ada', 'Ben']));
    const { left, right } = await linked.synced();
    const nothing = { created: 0, updated: 0, deleted: 0 };
    expect([left, right]).toMatchObject([nothing, nothing]);
  },
);

test.each(['422', '409'])(
  'R15: where a known address is refused with %s, all contacts are created, one with the address, and its write waits',
  async (variant) => {
    await using linked = await start(variant, NAMES);
    await syncDaily(linked);
    await syncDaily(linked);
    expect(atService(linked).map(([name]) => name)).toEqual(NAMES);
    expect(atService(linked).flatMap(([, held]) => held)).toEqual(['Family@example.org']);
    expect(atGoogle(linked)).toEqual(everyoneHolds(NAMES));
    const { rejections } = await linked.app.store.link('default');
    expect(refusalsIn(rejections)).toHaveLength(NAMES.length - 1);
  },
);
