import { describe, expect, it } from 'vitest';
import { phoneKey } from '../../../../src/core/contact/keys.ts';
import { GoogleAccount } from '../../../../src/sandbox/google/account.ts';
import { googleVariantsSchema } from '../../../../src/sandbox/google/variants.ts';
import { splitBook } from '../../../../src/sandbox/people/overlap.ts';
import { EMPTY_PERSON, type Person } from '../../../../src/sandbox/people/person.ts';
import { samplePeople } from '../../../../src/sandbox/people/sample.ts';
import { seedGoogle, seedService } from '../../../../src/sandbox/people/seed.ts';
import { ServiceAccount } from '../../../../src/sandbox/service/account.ts';
import { defaultVariants, withVariants } from '../../../../src/sandbox/service/variants.ts';

const SCRIPTS =
  'Latin Cyrillic Greek Arabic Hebrew Devanagari Tamil Bengali Thai Han Hiragana Katakana Hangul Georgian'.split(' ');

const fullName = (person: Person): string => `${person.givenName} ${person.familyName}`;

const emailsOf = (person: Person): string[] => person.emails.map(({ value }) => value);
const phonesOf = (person: Person): string[] => person.phones.map(({ value }) => value);

describe('samplePeople', () => {
  const people = samplePeople(60);
  const count = (test: (person: Person) => boolean): number => people.filter(test).length;

  it('starts a longer book with the people of the shorter one', () => {
    expect(samplePeople(500).slice(0, 60)).toEqual(people);
    expect(samplePeople(0)).toEqual([]);
  });

  it.each(SCRIPTS)('has names in the %s script', (script) => {
    expect(people.some((person) => new RegExp(`\\p{Script=${script}}`, 'u').test(fullName(person)))).toBe(true);
  });

  it('uses only domains that are reserved for examples, and email addresses in ASCII', () => {
    const websites = people.flatMap((person) => person.websites.map(({ value }) => value.replace(/^https?:\/\//u, '')));
    const domains = [
      ...people.flatMap(emailsOf).map((email) => /^[\w.-]+@(?<domain>[\w.-]+)$/u.exec(email)?.[1] ?? email),
      ...websites.map((website) => website.split('/')[0] ?? ''),
    ];
    expect(domains.length).toBeGreaterThan(55);
    expect(domains.filter((domain) => !/(?:^|\.)(?:example\.(?:com|org|net)|[a-z-]+\.test)$/iu.test(domain))).toEqual(
      [],
    );
  });

  it('has the irregularities of a real book', () => {
    expect(count((person) => fullName(person) === ' ' && person.company !== '')).toBe(2);
    expect(count((person) => fullName(person) === ' ' && person.company === '')).toBe(1);
    expect(count((person) => person.givenName !== '' && person.familyName === '')).toBe(2);
    expect(count((person) => person.addresses.length === 0)).toBeGreaterThan(40);
    expect(count((person) => person.phones.length > 1 && person.addresses.length > 1)).toBe(1);
    expect(count((person) => fullName(person) !== fullName(person).normalize('NFC'))).toBe(1);
    expect(count((person) => phonesOf(person).includes('030 23125 100'))).toBe(4);
    expect(count((person) => fullName(person) === 'Anna Bauer')).toBe(2);
    expect(count((person) => emailsOf(person).includes('olivia.walker@example.com'))).toBe(2);
    expect(new Set(people.flatMap(({ groups }) => groups)).size).toBeGreaterThan(8);
  });

  it('has no name, email address or phone number in two rounds of derived people', () => {
    const rounds = Map.groupBy(samplePeople(6_000).entries(), ([index]) => Math.floor(index / 60));
    const keys = [...rounds.values()].flatMap((round) => {
      const found = round.flatMap(([, person]) => [
        `${fullName(person)} ${fullName(person) === ' ' ? person.company : ''}`,
        ...emailsOf(person).map((email) => email.toLowerCase()),
        ...phonesOf(person).map(phoneKey),
      ]);
      return [...new Set(found.filter((key) => key.trim() !== ''))];
    });
    expect(new Set(keys).size).toBe(keys.length);
  });
});

const digitsOf = (phone: string): string => phone.replace(/\D/g, '').replace(/^00/, '');

describe('splitBook', () => {
  /** No difference changes notes, so they serve as the identity here. */
  const people = samplePeople(400).map((person, index) => ({ ...person, notes: `person ${index}` }));
  const { left, right } = splitBook(people, 11);
  const atRight = new Map(right.map((person) => [person.notes, person]));
  const inBoth = left.flatMap((person): [Person, Person][] => {
    const other = atRight.get(person.notes);
    return other === undefined ? [] : [[person, other]];
  });

  it('returns the same books for the same seed', () => {
    expect(splitBook(people, 11)).toEqual({ left, right });
    expect(splitBook(people, 12)).not.toEqual({ left, right });
  });

  it('puts each person in at least one book and most people in both', () => {
    expect(new Set([...left, ...right].map((person) => person.notes)).size).toBe(people.length);
    expect(inBoth.length).toBeGreaterThan(240);
    expect(left.length - inBoth.length).toBeGreaterThan(30);
    expect(right.length - inBoth.length).toBeGreaterThan(30);
  });

  it.each<[string, (left: Person, right: Person) => boolean]>([
    ['no difference', (one, other) => JSON.stringify(one) === JSON.stringify(other)],
    ['a missing title', (one, other) => one.title !== '' && other.title === ''],
    ['another company', (one, other) => one.company !== other.company],
    ['an extra email address', (one, other) => one.emails.length < other.emails.length],
    ['the same phone in another notation', (one, other) => phonesOf(one)[0] !== phonesOf(other)[0]],
    ['the same email address in another case', (one, other) => emailsOf(one)[0] !== emailsOf(other)[0]],
    ['fewer groups', (one, other) => one.groups.length > other.groups.length],
  ])('shows %s between the books', (_title, differs) => {
    expect(inBoth.filter(([one, other]) => differs(one, other) || differs(other, one)).length).toBeGreaterThan(5);
  });

  it('keeps the identity of each person: the digits of a phone and the letters of an email address are unchanged', () => {
    for (const [one, other] of inBoth) {
      expect(emailsOf(one)[0]?.toLowerCase()).toBe(emailsOf(other)[0]?.toLowerCase());
      expect(phonesOf(one).map(digitsOf)).toEqual(phonesOf(other).map(digitsOf));
    }
  });
});

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

it('loads a whole sample book on both sides', () => {
  const people = samplePeople(200);
  const google = googleAccount();
  const service = serviceAccount();
  seedGoogle(google, people);
  expect(seedService(service, people)).toBe(0);
  expect(google.people()).toHaveLength(200);
  expect(service.contacts()).toHaveLength(200);
  expect(google.groups().map(({ name }) => name)).toEqual(service.buckets().map(({ name }) => name));
});
