import { describe, expect, test } from 'vitest';
import { EMPTY_PERSON, type Person } from '../../../src/sandbox/people/person.ts';
import type { RunEvent } from '../../../src/engine/run-event.ts';
import { readSides } from '../../support/compare-sides.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const person = (givenName: string, familyName: string, more: Partial<Person> = {}): Person => ({
  ...EMPTY_PERSON,
  givenName,
  familyName,
  ...more,
});

const HOME = { emails: [{ value: 'home@example.org', label: 'home' }] };
const PHONE = { phones: [{ value: '+49 30 901820', label: 'home' }] };

/** Runs the link once. Returns the events of the run. */
const syncEvents = async ({ synced }: LinkedSandbox): Promise<readonly RunEvent[]> => {
  const events: RunEvent[] = [];
  await synced({ onEvent: (event) => events.push(event) });
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

  test('two contacts whose first names are a name and its nickname are one person', async () => {
    await using linked = await startLinkedSandbox({
      google: [person('Robert', "O'Neil", { ...HOME, ...PHONE })],
      service: [person('Bob', "O'Neil", { ...HOME, ...PHONE })],
    });
    const events = await syncEvents(linked);
    expect(events.filter((event) => event.kind === 'ambiguous')).toEqual([]);
    const { google, service } = namesOf(linked);
    expect(google).toHaveLength(1);
    expect(service).toEqual(google);
  });
});

test('R13: similar contacts on both sides are paired with their exact counterparts, and nothing is written', async () => {
  const card = person('Ada', 'King', HOME);
  const place = { street: 'Main 1', city: 'Bonn', region: '', postalCode: '', country: 'DE', label: 'home' };
  const other = { ...card, addresses: [place], groups: ['Choir'] };
  const bare = person('Bea', 'Ray');
  const cards = [card, other, bare, { ...bare, websites: [{ value: 'https://x.org', label: 'home' }] }, card];
  await using linked = await startLinkedSandbox({ google: cards, service: cards.toReversed() });
  const { summary } = await linked.sync();
  const none = { created: 0, updated: 0, deleted: 0 };
  expect(summary).toMatchObject({ outcome: 'completed', paired: cards.length, left: none, right: none });
});

describe('R9: a Google account that was linked with another service account before', () => {
  test.each<[string, (id: string) => { key: string; value: string }]>([
    ['by the first edition', (id) => ({ key: 'contact-sync.service-id', value: id })],
    ['by this one', (id) => ({ key: 'contact-sync.origin', value: `another-account ${id}` })],
  ])('%s: equal ids of another account pair no unrelated contacts', async (_, origin) => {
    const strangers = ['Cid', 'Dot'].map((name) => person(name, 'Ray', PHONE));
    await using linked = await startLinkedSandbox({ google: [], service: strangers });
    const { google, service } = linked.sandbox;
    for (const [index, { id }] of service.account.contacts().entries()) {
      google.account.createPerson({
        names: [{ givenName: ['Ada', 'Bea'][index] ?? '', familyName: 'King' }],
        clientData: [origin(id)],
      });
    }
    await syncEvents(linked);
    expect(namesOf(linked)).toEqual(bothHold('Ada King', 'Bea King', 'Cid Ray', 'Dot Ray'));
  });

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
