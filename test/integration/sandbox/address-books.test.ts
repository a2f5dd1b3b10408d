import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AddressBook } from '../../../src/sandbox/address-book/address-book.ts';
import { loadAddressBook } from '../../../src/sandbox/address-book/load.ts';
import { writeVCards } from '../../../src/sandbox/address-book/vcard-write.ts';
import { peopleAtGoogle, peopleAtService } from '../../../src/sandbox/people/seed.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { type Arrival, FIXTURES } from '../../support/address-books/fixtures.ts';
import { createFolder } from '../../support/folder.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

type Text = string | null | undefined;

const withLabel = (value: Text, label: Text): string => (label ? `${value ?? ''} [${label}]` : (value ?? ''));

const readGoogle = ({ google }: Sandbox): Required<Arrival>[] => {
  const labels = new Map(google.account.groups().map(({ resourceName, name }) => [resourceName, name]));
  return google.account.people().map((person) => ({
    name: `${person.names?.[0]?.givenName ?? ''}|${person.names?.[0]?.familyName ?? ''}`,
    company: person.organizations?.[0]?.name ?? '',
    title: person.organizations?.[0]?.title ?? '',
    emails: (person.emailAddresses ?? []).map(({ value, type }) => withLabel(value, type)),
    phones: (person.phoneNumbers ?? []).map(({ value, type }) => withLabel(value, type)),
    websites: (person.urls ?? []).map(({ value, type }) => withLabel(value, type)),
    addresses: (person.addresses ?? []).map(({ streetAddress, city, region, postalCode, country, type }) =>
      withLabel([streetAddress, city, region, postalCode, country].map((part) => part ?? '').join('|'), type),
    ),
    groups: (person.memberships ?? [])
      .flatMap((membership) => labels.get(membership.contactGroupMembership?.contactGroupResourceName ?? '') ?? [])
      .toSorted(),
  }));
};

const readService = ({ service }: Sandbox): Required<Arrival>[] => {
  const buckets = new Map(service.account.buckets().map(({ id, name }) => [id, name]));
  return service.account.contacts().map((contact) => ({
    name: `${contact.first_name ?? ''}|${contact.last_name ?? ''}`,
    company: contact.company ?? '',
    title: contact.title ?? '',
    emails: contact.email_addresses.map(({ address, label }) => withLabel(address, label)),
    phones: contact.phone_numbers.map(({ number, label }) => withLabel(number, label)),
    websites: contact.websites.map(({ address, label }) => withLabel(address, label)),
    addresses: contact.addresses.map(({ street_1, city, state, zip, country, label }) =>
      withLabel([street_1, city, state, zip, country].map((part) => part ?? '').join('|'), label),
    ),
    groups: contact.bucketIds.map((id) => buckets.get(id) ?? '').toSorted(),
  }));
};

const NOTHING = { company: '', title: '', emails: [], phones: [], websites: [], addresses: [], groups: [] };

const namesakes = (rows: readonly Required<Arrival>[], arrives: readonly Arrival[]): Required<Arrival>[] =>
  arrives.flatMap((arrival) =>
    rows.filter((row) =>
      arrival.name === '|' ? row.name === '|' && row.company === (arrival.company ?? '') : row.name === arrival.name,
    ),
  );

const books: AddressBook[] = [];
const folder = await createFolder();
const directory = folder.path;
afterAll(() => folder.remove());

beforeAll(async () => {
  for (const [index, { extension, bytes }] of FIXTURES.entries()) {
    const path = join(directory, `${index}.${extension}`);
    await writeFile(path, bytes);
    books.push(await loadAddressBook(path));
  }
});

test('the table contains each name once', () => {
  const named = FIXTURES.flatMap(({ arrives }) => arrives).map(({ name, company = '' }) => `${name}|${company}`);
  expect(named).toHaveLength(new Set(named).size);
  expect(FIXTURES.length).toBeGreaterThanOrEqual(50);
});

test.each(FIXTURES.map((fixture, index) => ({ ...fixture, index })))(
  'only the empty lines of $about ($extension) are reported',
  ({ index, skipped = {}, refused = [] }) => {
    const lines = books[index]?.skipped.first.map((part) => [part.line, part.lines] as const) ?? [];
    expect(Object.fromEntries(lines)).toEqual(skipped);
    expect(books[index]?.refused.first.map(({ line }) => line)).toEqual(refused);
  },
);

describe.each(['google', 'service'] as const)('loaded at %s and synced', (side) => {
  let linked: LinkedSandbox;

  beforeAll(async () => {
    linked = await startLinkedSandbox({ [side]: books.flatMap(({ people }) => people) });
    expect(await linked.sync()).toMatchObject({ summary: { outcome: 'completed' } });
  });
  afterAll(() => linked[Symbol.asyncDispose]());

  test.each(FIXTURES)('all contacts of $about ($extension) exist on both sides', ({ arrives }) => {
    const wanted = arrives.map((arrival) => ({ ...NOTHING, ...arrival }));
    expect(namesakes(readGoogle(linked.sandbox), arrives)).toEqual(wanted);
    expect(namesakes(readService(linked.sandbox), arrives)).toEqual(wanted);
  });

  test('R1: no other contact is created, and the next run writes nothing', async () => {
    const count = FIXTURES.flatMap(({ arrives }) => arrives).length;
    expect(readGoogle(linked.sandbox)).toHaveLength(count);
    expect(readService(linked.sandbox)).toHaveLength(count);
    expect((await linked.plan()).changes).toEqual([]);
  });

  test.each([
    ['google', ({ google }: Sandbox) => peopleAtGoogle(google.account)],
    ['service', ({ service }: Sandbox) => peopleAtService(service.account)],
  ] as const)('the contacts of %s are equal after an export and a load', async (name, peopleAt) => {
    const people = peopleAt(linked.sandbox);
    const path = join(directory, `${side}-${name}.vcf`);
    await writeFile(path, [...writeVCards(people)].join(''));
    const again = await loadAddressBook(path);
    expect(again.people).toEqual(people);
    expect([again.skipped.count, again.refused.count]).toEqual([0, 0]);
  });
});
