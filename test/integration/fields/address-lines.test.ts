import { expect, test } from 'vitest';
import { type FakeLink, startFakeLink } from '../../support/carddav/fake-link.ts';
import { type LinkedSandbox, startLinkedSandbox } from '../../support/linked-sandbox.ts';

const MINUTE_MS = 60_000;

const FLAT = { streetAddress: '5 Elm St', extendedAddress: 'Apt 4', poBox: 'Box 9', city: 'Rye', type: 'home' };

const NO_WRITES = { created: 0, updated: 0, deleted: 0 };

const expectQuiet = async (program: FakeLink | LinkedSandbox): Promise<void> => {
  for (const kind of ['incremental', 'full'] as const) {
    const { left, right } = await program.synced({ kind, afterMs: 20 * MINUTE_MS });
    expect([left, right]).toMatchObject([NO_WRITES, NO_WRITES]);
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

test('R1: flat and post box of Google are lines of the street at the service, and both sides stay quiet', async () => {
  await using linked = await startWith(FLAT);
  expect(serviceAddresses(linked)).toMatchObject([{ street_1: '5 Elm St\nApt 4\nBox 9', city: 'Rye' }]);
  await expectQuiet(linked);
});

test('R3: an edit of the city at the service keeps flat and post box in their places at Google', async () => {
  await using linked = await startWith(FLAT);
  const { account } = linked.sandbox.service;
  const addresses = serviceAddresses(linked).map((each) => ({ ...each, city: 'Lewes' }));
  account.updateContact(account.contacts()[0]?.id ?? '', { addresses });
  await linked.synced({ afterMs: 20 * MINUTE_MS });
  expect(googleAddresses(linked)).toMatchObject([{ ...FLAT, city: 'Lewes' }]);
  await expectQuiet(linked);
});

test('R3: a changed flat arrives in its place, in both directions', async () => {
  await using linked = await startWith(FLAT);
  const { account } = linked.sandbox.service;
  const id = account.contacts()[0]?.id ?? '';
  account.updateContact(id, { addresses: [{ label: 'home', street_1: '5 Elm St\nApt 7\nBox 9', city: 'Rye' }] });
  await linked.synced({ afterMs: 20 * MINUTE_MS });
  expect(googleAddresses(linked)).toMatchObject([{ ...FLAT, extendedAddress: 'Apt 7' }]);

  const person = linked.sandbox.google.account.people()[0]?.resourceName ?? '';
  linked.sandbox.google.account.updatePerson(person, { addresses: [{ ...FLAT, extendedAddress: 'Apt 8' }] });
  await linked.synced({ afterMs: 20 * MINUTE_MS });
  expect(serviceAddresses(linked)).toMatchObject([{ street_1: '5 Elm St\nApt 8\nBox 9', city: 'Rye' }]);
  await expectQuiet(linked);
});

test('R3: after a move at the service, no flat and no post box of the former address is left at Google', async () => {
  await using linked = await startWith(FLAT);
  const { account } = linked.sandbox.service;
  const addresses = [{ label: 'home', street_1: '1 New Rd', city: 'Rye' }];
  account.updateContact(account.contacts()[0]?.id ?? '', { addresses });
  await linked.synced({ afterMs: 20 * MINUTE_MS });
  const [address] = googleAddresses(linked) ?? [];
  expect(address).toMatchObject({ streetAddress: '1 New Rd', city: 'Rye' });
  expect(address).not.toHaveProperty('extendedAddress');
  expect(address).not.toHaveProperty('poBox');
  await expectQuiet(linked);
});

test('R5: two flats in one house are two addresses', async () => {
  const [one, two] = [
    { ...FLAT, extendedAddress: 'Flat 1' },
    { ...FLAT, extendedAddress: 'Flat 2', type: 'work' },
  ];
  await using linked = await startWith(one, two);
  expect(serviceAddresses(linked).map(({ street_1: street }) => street ?? '')).toEqual([
    '5 Elm St\nFlat 1\nBox 9',
    '5 Elm St\nFlat 2\nBox 9',
  ]);
  await expectQuiet(linked);
});

test('R13: one address whose flat is a line of the street, or comes first, is not doubled', async () => {
  await using linked = await startLinkedSandbox({ google: [], service: [] });
  const { google, service } = linked.sandbox;
  const streets = ['5 Elm St\nApt 4\nBox 9', 'Apt 4\n5 Elm St\nBox 9', '5 Elm St, Apt 4, Box 9', '5 Elm St'];
  for (const [index, street] of streets.entries()) {
    const value = `p${index}@x.test`;
    google.account.createPerson({
      names: [{ givenName: `P${index}` }],
      emailAddresses: [{ value }],
      addresses: [FLAT],
    });
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
  await linked.synced({ afterMs: 20 * MINUTE_MS });
  expect(service.account.contacts().map(({ addresses }) => addresses.map(({ city }) => city ?? ''))).toEqual(
    streets.map(() => ['Lewes']),
  );
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
  await linked.synced({ afterMs: 20 * MINUTE_MS });
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
  await linked.synced({ afterMs: 20 * MINUTE_MS });
  expect(linked.server.text('a.vcf')?.match(/\w@x.test/gu)).toEqual(['n@x.test', 'b@x.test', 'm@x.test']);
});
