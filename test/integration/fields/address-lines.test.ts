import { expect, test } from 'vitest';
import { type FakeLink, startFakeLink } from '../../support/carddav/fake-link.ts';
import { googleId, serviceId } from '../../support/linked-people.ts';
import { type LinkedSandbox, startLinkedSandbox } from '../../support/linked-sandbox.ts';

const MINUTE_MS = 60_000;

const FLAT = { streetAddress: '5 Elm St', extendedAddress: 'Apt 4', poBox: 'Box 9', city: 'Rye', type: 'home' };

const NO_WRITES = { created: 0, updated: 0, deleted: 0 };

const expectQuiet = async (program: FakeLink | LinkedSandbox): Promise<void> => {
  for (const kind of ['incremental', 'full'] as const) {
    const summary = await program.synced({ kind, afterMs: 20 * MINUTE_MS });
    expect(summary).toMatchObject({ left: NO_WRITES, right: NO_WRITES });
  }
};

const googleAddresses = ({ sandbox }: FakeLink | LinkedSandbox) =>
  sandbox.google.account.people()[0]?.addresses?.map((each) => ({ ...each, metadata: undefined }));

const startWith = async (...addresses: object[]): Promise<LinkedSandbox> => {
  const linked = await startLinkedSandbox({ google: [], service: [] });
  linked.sandbox.google.account.createPerson({ names: [{ givenName: 'Ben', familyName: 'Flat' }], addresses });
  await linked.synced();
  return linked;
};

const serviceAddresses = ({ sandbox }: LinkedSandbox) => sandbox.service.account.contacts()[0]?.addresses ?? [];

const syncLater = (program: FakeLink | LinkedSandbox) => program.synced({ afterMs: 20 * MINUTE_MS });

test('R1, R3: flat and post box of Google are lines of the street at the service, and a changed flat is written to it', async () => {
  await using linked = await startWith(FLAT);
  expect(serviceAddresses(linked)).toMatchObject([{ street_1: '5 Elm St\nApt 4\nBox 9', city: 'Rye' }]);
  await expectQuiet(linked);
  const { account } = linked.sandbox.google;
  account.updatePerson(googleId(linked, 'Ben'), { addresses: [{ ...FLAT, extendedAddress: 'Apt 8' }] });
  await syncLater(linked);
  expect(serviceAddresses(linked)).toMatchObject([{ street_1: '5 Elm St\nApt 8\nBox 9', city: 'Rye' }]);
  await expectQuiet(linked);
});

test.each([
  ['another city', { city: 'Lewes' }, ['5 Elm St', 'Apt 4', 'Box 9', 'Lewes', 'home']],
  ['another flat', { street_1: '5 Elm St\nApt 7\nBox 9' }, ['5 Elm St', 'Apt 7', 'Box 9', 'Rye', 'home']],
  [
    'another street, without the former flat and post box,',
    { street_1: '1 New Rd' },
    ['1 New Rd', undefined, undefined, 'Rye', 'home'],
  ],
])('R3: %s at the service gets its place at Google', async (_, change, expected) => {
  await using linked = await startWith(FLAT);
  const addresses = serviceAddresses(linked).map((each) => ({ ...each, ...change }));
  linked.sandbox.service.account.updateContact(serviceId(linked, 'Ben'), { addresses });
  await syncLater(linked);
  const [address] = googleAddresses(linked) ?? [];
  const { streetAddress, extendedAddress, poBox, city, type } = address ?? {};
  expect([streetAddress, extendedAddress, poBox, city, type]).toEqual(expected);
  await expectQuiet(linked);
});

test('R5: two flats in one house are two addresses', async () => {
  const flats = ['Flat 1', 'Flat 2'].map((extendedAddress) => ({ ...FLAT, extendedAddress }));
  await using linked = await startWith(...flats);
  expect(serviceAddresses(linked)).toMatchObject([
    { street_1: '5 Elm St\nFlat 1\nBox 9' },
    { street_1: '5 Elm St\nFlat 2\nBox 9' },
  ]);
  await expectQuiet(linked);
});

test('R13: one address whose flat is a line of the street, or comes first, is not doubled', async () => {
  await using linked = await startLinkedSandbox({ google: [], service: [] });
  const { google, service } = linked.sandbox;
  const streets = ['5 Elm St\nApt 4\nBox 9', 'Apt 4\n5 Elm St\nBox 9', '5 Elm St, Apt 4, Box 9', '5 Elm St'];
  for (const [index, street] of streets.entries()) {
    const value = `p${index}@x.test`;
    const names = [{ givenName: `P${index}` }];
    google.account.createPerson({ names, emailAddresses: [{ value }], addresses: [FLAT] });
    const addresses = [{ label: 'home', street_1: street, city: 'Rye' }];
    service.account.createContact({ first_name: `P${index}`, email_addresses: [{ address: value }], addresses });
  }
  await linked.synced();
  expect(service.account.contacts().map(({ addresses }) => addresses.length)).toEqual([1, 1, 1, 1]);
  expect(google.account.people().map(({ addresses = [] }) => addresses.length)).toEqual([1, 1, 1, 1]);
  await expectQuiet(linked);
  // A later edit replaces the address, also where the two sides have its lines in different orders.
  for (const { resourceName } of google.account.people()) {
    google.account.updatePerson(resourceName ?? '', { addresses: [{ ...FLAT, city: 'Lewes' }] });
  }
  await syncLater(linked);
  const cities = service.account.contacts().map(({ addresses }) => addresses.map(({ city }) => city).join());
  expect(cities).toEqual(streets.map(() => 'Lewes'));
});

const card = (address: string): string =>
  ['BEGIN:VCARD', 'VERSION:3.0', 'UID:a', 'FN:Amy Flat', 'N:Flat;Amy;;;', address, 'END:VCARD', ''].join('\r\n');

test.each([
  ['ADR;TYPE=HOME:Box 9;Apt 4;5 Elm St;Rye;;;', FLAT],
  ['ADR;TYPE=HOME:;5 Anystreet\\n12345 Somewhere;;;;;', { extendedAddress: '5 Anystreet\n12345 Somewhere' }],
  ['ADR;TYPE=HOME:Box 670;;;;;;', { poBox: 'Box 670' }],
])('R5: the parts of %s arrive at Google in their places', async (line, expected) => {
  await using linked = await startFakeLink();
  linked.server.put('a.vcf', card(line));
  await linked.synced();
  expect(googleAddresses(linked)).toMatchObject([expected]);
  await expectQuiet(linked);
});

test('R5: a street that replaces another one keeps no part of the former address on the card', async () => {
  await using linked = await startFakeLink();
  linked.server.put('a.vcf', card('ADR;TYPE=HOME;GEO="geo:1,2":Box 9;Apt 4;5 Elm St;Rye;;;;room;floor'));
  await linked.synced();
  const { account } = linked.sandbox.google;
  const addresses = [{ streetAddress: '1 New Rd', city: 'Rye', type: 'home' }];
  account.updatePerson(account.people()[0]?.resourceName ?? '', { addresses });
  await syncLater(linked);
  expect(linked.server.text('a.vcf')).toContain('ADR;TYPE=HOME:;;1 New Rd;Rye;;;\r\n');
});

test('R3: values replaced at Google keep their places on a card, also with other labels', async () => {
  await using linked = await startFakeLink();
  const texts = (...values: string[]) => values.map((value) => `EMAIL;TYPE=HOME:${value}@x.test`).join('\r\n');
  linked.server.put('a.vcf', card(texts('a', 'b', 'c')));
  await linked.synced();
  const { account } = linked.sandbox.google;
  const emailAddresses = ['n', 'b', 'm'].map((value) => ({ value: `${value}@x.test`, type: 'work' }));
  account.updatePerson(account.people()[0]?.resourceName ?? '', { emailAddresses });
  await syncLater(linked);
  expect(linked.server.text('a.vcf')?.match(/\w@x.test/gu)).toEqual(['n@x.test', 'b@x.test', 'm@x.test']);
});
