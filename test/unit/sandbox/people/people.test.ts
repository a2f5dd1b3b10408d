import { describe, expect, it } from 'vitest';
import { GoogleAccount } from '../../../../src/sandbox/google/account.ts';
import { googleVariantsSchema } from '../../../../src/sandbox/google/variants.ts';
import { generatePeople } from '../../../../src/sandbox/people/generate.ts';
import { splitBook } from '../../../../src/sandbox/people/overlap.ts';
import { EMPTY_PERSON, type Person } from '../../../../src/sandbox/people/person.ts';
import { createRandom, reformatPhone } from '../../../../src/sandbox/people/random.ts';
import { seedGoogle, seedService } from '../../../../src/sandbox/people/seed.ts';
import { ServiceAccount } from '../../../../src/sandbox/service/account.ts';
import { defaultVariants, withVariants } from '../../../../src/sandbox/service/variants.ts';

const SCRIPTS = 'Latin Cyrillic Greek Arabic Hebrew Devanagari Tamil Thai Han Hiragana Katakana Hangul Georgian'.split(
  ' ',
);

const fullName = (person: Person): string => `${person.givenName} ${person.familyName}`;

const emailsOf = (person: Person): string[] => person.emails.map(({ value }) => value);

/** The keys that more than one entry has. */
const repeated = (keys: readonly string[]): string[] => {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > 1).map(([key]) => key);
};

describe('generatePeople', () => {
  const people = generatePeople({ count: 500, seed: 1 });

  it('returns the same book for the same seed and another book for another seed', () => {
    expect(generatePeople({ count: 500, seed: 1 })).toEqual(people);
    expect(generatePeople({ count: 500, seed: 2 })).not.toEqual(people);
  });

  it('starts a longer book with the people of the shorter one', () => {
    expect(people.slice(0, 60)).toEqual(generatePeople({ count: 60, seed: 1 }));
    expect(generatePeople({ count: 0, seed: 1 })).toEqual([]);
  });

  it.each(SCRIPTS)('has names in the %s script', (script) => {
    expect(people.some((person) => new RegExp(`\\p{Script=${script}}`, 'u').test(fullName(person)))).toBe(true);
  });

  it('uses only domains that are reserved for examples', () => {
    const domains = people.flatMap((person) => [
      ...emailsOf(person).map((email) => email.split('@')[1] ?? ''),
      ...person.websites.map(({ value }) => value.replace(/^https?:\/\//, '').split('/')[0] ?? ''),
    ]);
    expect(domains.length).toBeGreaterThan(400);
    expect(
      domains.filter((domain) => !/^(?:[a-z0-9-]+\.)*(?:example\.(?:com|org|net)|[a-z0-9-]+\.test)$/i.test(domain)),
    ).toEqual([]);
  });

  it('writes every email address in ASCII with something before the at sign', () => {
    expect(people.flatMap(emailsOf).filter((email) => !/^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+$/.test(email))).toEqual([]);
  });

  it('leaves no pattern placeholder unfilled', () => {
    const filled = people.flatMap((person) => [
      ...person.phones.map(({ value }) => value),
      ...person.addresses.flatMap(({ street, postalCode }) => [street, postalCode]),
    ]);
    expect(filled.filter((text) => /[#*]/.test(text))).toEqual([]);
  });

  it('writes phone numbers in many forms', () => {
    const numbers = people.flatMap((person) => person.phones.map(({ value }) => value));
    for (const form of [/^\+\d/, /^00\d/, /^0\d/, /^\(/, /\d\.\d/, /\d-\d/, /\d \d/, /^\d+$/, / (?:ext\.|x) ?\d+$/]) {
      expect(numbers.filter((number) => form.test(number)).length, String(form)).toBeGreaterThan(2);
    }
  });

  it('has the irregularities of a real book', () => {
    const has = (test: (person: Person) => boolean): number => people.filter(test).length;
    expect(has((person) => fullName(person) === ' ' && person.company !== '')).toBeGreaterThan(20);
    expect(has((person) => person.emails.length === 0)).toBeGreaterThan(40);
    expect(has((person) => person.givenName !== '' && person.familyName === '')).toBeGreaterThan(10);
    expect(has((person) => person.familyName.split(' ').length > 1)).toBeGreaterThan(20);
    expect(has((person) => /\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(person.givenName))).toBeGreaterThan(
      8,
    );
    expect(has((person) => fullName(person) !== fullName(person).normalize('NFC'))).toBeGreaterThan(3);
    expect(has((person) => emailsOf(person).some((email) => email !== email.toLowerCase()))).toBeGreaterThan(20);
    expect(has((person) => person.phones.length > 3)).toBeGreaterThan(0);
  });

  it('repeats some people, and gives some the same email address under another name', () => {
    const keys = people.flatMap((person) => emailsOf(person).map((email) => email.toLowerCase()));
    const shared = repeated(keys);
    const namesByEmail = shared.map(
      (email) =>
        new Set(people.filter((person) => emailsOf(person).join(' ').toLowerCase().includes(email)).map(fullName)),
    );
    expect(namesByEmail.filter((names) => names.size === 1).length).toBeGreaterThan(2);
    expect(namesByEmail.filter((names) => names.size > 1).length).toBeGreaterThan(5);
  });

  it('has about ten groups of very different sizes, and people in none, one and several', () => {
    const memberships = people.flatMap((person) => person.groups);
    const sizes = [...new Set(memberships)].map((group) => memberships.filter((other) => other === group).length);
    expect(sizes.length).toBeGreaterThanOrEqual(8);
    expect(sizes.length).toBeLessThanOrEqual(14);
    expect(Math.max(...sizes)).toBeGreaterThan(2 * Math.min(...sizes));
    expect(new Set(people.map((person) => Math.min(person.groups.length, 2)))).toEqual(new Set([0, 1, 2]));
  });
});

const digitsOf = (phone: string): string => phone.replace(/\D/g, '').replace(/^00/, '');

describe('splitBook', () => {
  /** No difference changes notes, so they serve as the identity here. */
  const people = generatePeople({ count: 400, seed: 3 }).map((person, index) => ({
    ...person,
    notes: `person ${index}`,
  }));
  const { left: google, right: service } = splitBook(people, 11);
  const atService = new Map(service.map((person) => [person.notes, person]));
  const inBoth = google.flatMap((person): [Person, Person][] => {
    const other = atService.get(person.notes);
    return other === undefined ? [] : [[person, other]];
  });

  it('returns the same books for the same seed', () => {
    expect(splitBook(people, 11)).toEqual({ left: google, right: service });
    expect(splitBook(people, 12)).not.toEqual({ left: google, right: service });
  });

  it('puts each person in at least one book and most people in both', () => {
    expect(new Set([...google, ...service].map((person) => person.notes)).size).toBe(people.length);
    expect(inBoth.length).toBeGreaterThan(240);
    expect(google.length - inBoth.length).toBeGreaterThan(30);
    expect(service.length - inBoth.length).toBeGreaterThan(30);
  });

  it.each<[string, (left: Person, right: Person) => boolean]>([
    ['no difference', (left, right) => JSON.stringify(left) === JSON.stringify(right)],
    ['a missing title', (left, right) => left.title !== '' && right.title === ''],
    ['another company', (left, right) => left.company !== right.company],
    ['an extra email address', (left, right) => left.emails.length < right.emails.length],
    ['the same phone in another notation', (left, right) => left.phones[0]?.value !== right.phones[0]?.value],
    ['the same email address in another case', (left, right) => left.emails[0]?.value !== right.emails[0]?.value],
    ['fewer groups', (left, right) => left.groups.length > right.groups.length],
  ])('shows %s between the books', (_title, differs) => {
    expect(inBoth.filter(([left, right]) => differs(left, right) || differs(right, left)).length).toBeGreaterThan(5);
  });

  it('keeps the identity of each person: the digits of a phone and the letters of an email address are unchanged', () => {
    for (const [left, right] of inBoth) {
      expect(left.emails[0]?.value.toLowerCase()).toBe(right.emails[0]?.value.toLowerCase());
      expect(left.phones.map(({ value }) => digitsOf(value.replace('(0)', '')))).toEqual(
        right.phones.map(({ value }) => digitsOf(value.replace('(0)', ''))),
      );
    }
  });
});

describe('reformatPhone', () => {
  const formsOf = (phone: string): Set<string> => {
    const random = createRandom(1);
    return new Set(Array.from({ length: 50 }, () => reformatPhone(phone, random)));
  };

  it('writes an international number in its other international forms', () => {
    expect(formsOf('+33 6 39 98 00 01')).toEqual(new Set(['+33639980001', '0033639980001', '+336 399 800 01']));
    expect(formsOf('0033639980001')).toEqual(new Set(['+33639980001', '+336 399 800 01']));
  });

  it('keeps an extension', () => {
    expect(formsOf('030 23125 004 ext. 12')).toContain('03023125004 x12');
  });

  it.each(['1-800-FLOWERS', '112', '*31#0171392000', ''])('leaves %o unchanged', (phone) => {
    expect(formsOf(phone)).toEqual(new Set([phone]));
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
