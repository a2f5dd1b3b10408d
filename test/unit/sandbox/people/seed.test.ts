import { describe, expect, it } from 'vitest';
import { GoogleAccount } from '../../../../src/sandbox/google/account.ts';
import { googleVariantsSchema } from '../../../../src/sandbox/google/variants.ts';
import { generatePeople } from '../../../../src/sandbox/people/generate.ts';
import { EMPTY_PERSON, type Person } from '../../../../src/sandbox/people/person.ts';
import { seedGoogle, seedService } from '../../../../src/sandbox/people/seed.ts';
import { ServiceAccount } from '../../../../src/sandbox/service/account.ts';
import { defaultVariants, withVariants } from '../../../../src/sandbox/service/variants.ts';

const clock = { now: () => Date.UTC(2026, 0, 1) };
const email = 'sandy@example.com';

const googleAccount = (): GoogleAccount => {
  const variants = googleVariantsSchema.parse({});
  return new GoogleAccount({ email, origin: 'http://127.0.0.1', clock, variants: () => variants, country: 'US' });
};

const serviceAccount = (patch: object = {}): ServiceAccount => {
  const variants = withVariants(defaultVariants(), patch);
  return new ServiceAccount(clock, () => variants, email);
};

const ZOE: Person = {
  prefix: 'Dr.',
  givenName: 'Zoé',
  middleName: 'M.',
  familyName: 'Lefèvre',
  suffix: 'PhD',
  nickname: 'Zozo',
  company: 'Atelier Bézier',
  title: 'Gérante',
  department: 'Ventes',
  emails: [{ value: 'Zoe@Example.com', label: 'home' }],
  phones: [{ value: '06 39 98 00 01', label: null }],
  websites: [{ value: 'blog.example.org/zoe', label: 'blog' }],
  addresses: [
    { street: '5 rue A', city: 'Paris', region: 'IDF', postalCode: '75002', country: 'France', label: 'work' },
  ],
  groups: ['Clients', 'VIP'],
  birthday: '--03-04',
  notes: 'A note',
};
const COMPANY: Person = { ...EMPTY_PERSON, company: 'Bakery', groups: ['VIP'] };

describe('seedGoogle', () => {
  it('writes every part of a person that Google has a field for', () => {
    const account = googleAccount();
    seedGoogle(account, [ZOE]);
    expect(account.people()).toMatchObject([
      {
        names: [
          {
            honorificPrefix: 'Dr.',
            givenName: 'Zoé',
            middleName: 'M.',
            familyName: 'Lefèvre',
            honorificSuffix: 'PhD',
          },
        ],
        nicknames: [{ value: 'Zozo' }],
        organizations: [{ name: 'Atelier Bézier', title: 'Gérante', department: 'Ventes' }],
        emailAddresses: [{ value: 'Zoe@Example.com', type: 'home' }],
        phoneNumbers: [{ value: '06 39 98 00 01' }],
        urls: [{ value: 'blog.example.org/zoe', type: 'blog' }],
        addresses: [
          {
            streetAddress: '5 rue A',
            city: 'Paris',
            region: 'IDF',
            postalCode: '75002',
            country: 'France',
            type: 'work',
          },
        ],
        birthdays: [{ date: { month: 3, day: 4 } }],
        biographies: [{ value: 'A note' }],
      },
    ]);
  });

  it('creates no empty fields', () => {
    const account = googleAccount();
    seedGoogle(account, [COMPANY]);
    const fields = [
      'names',
      'nicknames',
      'emailAddresses',
      'phoneNumbers',
      'urls',
      'addresses',
      'birthdays',
      'biographies',
    ];
    for (const field of fields) expect(account.people()[0]).not.toHaveProperty(field);
    expect(account.people()[0]?.organizations).toMatchObject([{ name: 'Bakery' }]);
    expect(account.people()[0]?.organizations?.[0]).not.toHaveProperty('title');
  });

  it('creates each label once, uses existing ones, and keeps all contacts in My Contacts', () => {
    const account = googleAccount();
    const vip = account.createGroup('VIP');
    seedGoogle(account, [ZOE, COMPANY, { ...COMPANY, groups: [] }]);
    expect(account.groups().map(({ name }) => name)).toEqual(['VIP', 'Clients']);
    const memberships = account
      .people()
      .map(({ memberships: list }) => list?.map((item) => item.contactGroupMembership?.contactGroupResourceName));
    expect(memberships[0]).toHaveLength(3);
    expect(memberships[1]?.toSorted()).toEqual(['contactGroups/myContacts', vip].toSorted());
    expect(memberships[2]).toEqual(['contactGroups/myContacts']);
  });
});

describe('seedService', () => {
  it('writes every part of a person that the service has a field for', () => {
    const account = serviceAccount();
    seedService(account, [ZOE]);
    expect(account.contacts()).toMatchObject([
      {
        first_name: 'Zoé',
        last_name: 'Lefèvre',
        company: 'Atelier Bézier',
        title: 'Gérante',
        email_addresses: [{ address: 'Zoe@Example.com', label: 'home' }],
        phone_numbers: [{ number: '06 39 98 00 01' }],
        websites: [{ address: 'blog.example.org/zoe', label: 'blog' }],
        addresses: [
          { street_1: '5 rue A', city: 'Paris', state: 'IDF', zip: '75002', country: 'France', label: 'work' },
        ],
      },
    ]);
  });

  it('creates each bucket once, uses existing ones, and fills them', () => {
    const account = serviceAccount();
    const vip = account.createBucket({ name: 'VIP' }).id;
    seedService(account, [ZOE, COMPANY]);
    expect(account.buckets().map(({ name }) => name)).toEqual(['VIP', 'Clients']);
    expect(account.contacts().map(({ bucketIds }) => bucketIds.length)).toEqual([2, 1]);
    expect(account.contacts()[1]?.bucketIds).toEqual([vip]);
  });

  it('leaves out contacts that the service refuses, and reports their number', () => {
    const account = serviceAccount({ createRequires: 'last-name' });
    expect(seedService(account, [COMPANY, ZOE])).toBe(1);
    expect(account.contacts().map((contact) => contact.last_name)).toEqual(['Lefèvre']);
  });
});

it('loads a whole generated book on both sides', () => {
  const people = generatePeople({ count: 200, seed: 5 });
  const google = googleAccount();
  const service = serviceAccount();
  seedGoogle(google, people);
  expect(seedService(service, people)).toBe(0);
  expect(google.people()).toHaveLength(200);
  expect(service.contacts()).toHaveLength(200);
  expect(google.groups().map(({ name }) => name)).toEqual(service.buckets().map(({ name }) => name));
});
