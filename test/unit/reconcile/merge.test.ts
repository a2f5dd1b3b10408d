import { describe, expect, test } from 'vitest';
import { LIST_FIELDS, otherSide, type Contact, type Side } from '../../../src/contact/contact.ts';
import { mergeContacts, mergeList, mergeScalar, type Merge, type MergeSide } from '../../../src/reconcile/merge.ts';
import type { Policy } from '../../../src/reconcile/policy.ts';
import { address, policyWith, sideOf, values } from './support.ts';

/** Merges with what is called `own` on the given side. */
const mergeFrom = (side: Side, own: MergeSide, other: MergeSide, policy: Policy = policyWith()): Merge => {
  return side === 'google' ? mergeContacts(own, other, policy) : mergeContacts(other, own, policy);
};

const mails = (merge: Merge, side: Side) => merge.desired[side].emailAddresses.map((email) => email.value);

const QUIET = { fields: { google: [], service: [] }, held: { google: [], service: [] }, conflicts: [] };

describe('a scalar', () => {
  type Row = [string, [string | null, string], [string | null, string], string];
  // Each side as [base, now]; a null base: the sides have not met.
  test.each<Row>([
    ['unchanged on both', ['a', 'a'], ['a', 'a'], 'quiet'],
    ['different since ever, unchanged on both', ['a', 'a'], ['b', 'b'], 'quiet'],
    ['changed at Google', ['a', 'x'], ['a', 'a'], 'google'],
    ['changed at the service', ['a', 'a'], ['a', 'x'], 'service'],
    ['cleared at Google', ['a', ''], ['a', 'a'], 'google'],
    ['cleared at the service', ['a', 'a'], ['a', ''], 'service'],
    ['changed at Google where the service never took it', ['a', 'x'], ['b', 'b'], 'google'],
    ['changed at Google to what the service holds', ['a', 'b'], ['b', 'b'], 'quiet'],
    ['changed on both alike', ['a', 'x'], ['a', 'x'], 'quiet'],
    ['cleared on both', ['a', ''], ['a', ''], 'quiet'],
    ['changed on both apart', ['a', 'x'], ['a', 'y'], 'conflict'],
    ['cleared at Google, changed at the service', ['a', ''], ['a', 'y'], 'conflict'],
    ['swapped', ['a', 'b'], ['b', 'a'], 'conflict'],
    ['equal at a first meeting', [null, 'a'], [null, 'a'], 'quiet'],
    ['empty at a first meeting', [null, ''], [null, ''], 'quiet'],
    ['filled at Google only at a first meeting', [null, 'a'], [null, ''], 'google'],
    ['filled at the service only at a first meeting', [null, ''], [null, 'a'], 'service'],
    ['different at a first meeting', [null, 'a'], [null, 'b'], 'conflict'],
    ['different, only Google has a base', ['a', 'a'], [null, 'b'], 'conflict'],
    ['different, only the service has a base', [null, 'a'], ['b', 'b'], 'conflict'],
    ['emptied at Google, only the service has a base', [null, ''], ['b', 'b'], 'service'],
  ])('[R3] that is %s', (_, [googleBase, google], [serviceBase, service], expected) => {
    const side = (base: string | null, now: string) => sideOf({ title: now }, base === null ? null : { title: base });
    const outcome = mergeScalar('title', side(googleBase, google), side(serviceBase, service));
    expect(outcome.kind === 'travel' ? outcome.from : outcome.kind).toBe(expected);
  });
});

describe('a list', () => {
  type Lists = [base: string | null, now: string];
  type Deltas = { google?: string; service?: string };
  // Elements are letters; a delta reads `+x -y`.
  test.each<[string, Lists, Lists, Deltas]>([
    ['unchanged on both', ['ab', 'ab'], ['ab', 'ab'], {}],
    ['reordered', ['ab', 'ba'], ['ab', 'ab'], {}],
    ['added to at Google', ['a', 'ab'], ['a', 'a'], { service: '+b' }],
    ['added to at the service', ['a', 'a'], ['a', 'ba'], { google: '+b' }],
    ['added to on both apart', ['a', 'ab'], ['a', 'ac'], { google: '+c', service: '+b' }],
    ['added to on both alike', ['a', 'ab'], ['a', 'ab'], {}],
    ['shortened at Google', ['ab', 'a'], ['ab', 'ab'], { service: '-b' }],
    ['shortened at the service', ['ab', 'ab'], ['ab', 'b'], { google: '-a' }],
    ['shortened on both alike', ['ab', 'a'], ['ab', 'a'], {}],
    ['shortened on both apart', ['ab', 'a'], ['ab', 'b'], { google: '-a', service: '-b' }],
    ['changed from b to c at Google', ['ab', 'ac'], ['ab', 'ab'], { service: '+c -b' }],
    ['changed on both apart', ['a', 'b'], ['a', 'c'], { google: '+c', service: '+b' }],
    ['emptied at Google', ['ab', ''], ['ab', 'ab'], { service: '-a -b' }],
    ['removed at Google, never taken by the service', ['ab', 'a'], ['a', 'a'], {}],
    ['held at Google, never taken by the service', ['ab', 'ab'], ['a', 'a'], {}],
    ['removed at Google, added anew at the service', ['ab', 'a'], ['a', 'ab'], { google: '+b' }],
    ['united at a first meeting', [null, 'ab'], [null, 'bc'], { google: '+c', service: '+a' }],
    ['equal at a first meeting', [null, 'ab'], [null, 'ba'], {}],
    ['united where only Google has a base', ['ab', 'a'], [null, 'b'], { google: '+b', service: '+a' }],
  ])('[R3] that is %s', (_, [googleBase, google], [serviceBase, service], expected) => {
    const emails = (letters: string) => ({
      emailAddresses: values(...[...letters].map((letter) => `${letter}@x.org`)),
    });
    const side = (base: string | null, now: string) => sideOf(emails(now), base === null ? null : emails(base));
    const deltas = mergeList('emailAddresses', side(googleBase, google), side(serviceBase, service));
    const texts = (to: Side) => {
      const letters = (sign: string, list: readonly object[]) => {
        return list.map((element) => `${sign}${'value' in element ? String(element.value)[0] : ''}`);
      };
      return [...letters('+', deltas[to].add), ...letters('-', deltas[to].remove)].join(' ');
    };
    expect([texts('google'), texts('service')]).toEqual([expected.google ?? '', expected.service ?? '']);
  });

  test.each(LIST_FIELDS)('[R3] of %s is merged by element', (field) => {
    const element = (text: string) => (field === 'addresses' ? address(text) : { value: text, label: null });
    const list = (...texts: string[]) => ({ [field]: texts.map(element) });
    const merge = mergeContacts(
      sideOf(list('1111111', '3333333'), list('1111111', '2222222')),
      sideOf(list('1111111', '2222222', '4444444'), list('1111111', '2222222')),
      policyWith(),
    );
    expect(merge.fields).toEqual({ google: [field], service: [field] });
    expect(merge.desired.google[field]).toEqual(['1111111', '3333333', '4444444'].map(element));
    expect(merge.desired.service[field]).toEqual(['1111111', '4444444', '3333333'].map(element));
  });

  test('[R3] keeps the labels, the spelling and the order of the side that holds the element', () => {
    const google = [
      { value: 'B@X.org', label: 'home' },
      { value: 'a@x.org', label: null },
    ];
    const service = [
      { value: 'A@x.org', label: 'work' },
      { value: 'b@x.org', label: 'other' },
    ];
    const added = { value: 'c@x.org', label: 'mobile' };
    const merge = mergeContacts(
      sideOf({ emailAddresses: [...google, added] }, { emailAddresses: google }),
      sideOf({ emailAddresses: service }, { emailAddresses: service }),
      policyWith(),
    );
    expect(merge.fields).toEqual({ google: [], service: ['emailAddresses'] });
    expect(merge.desired.service.emailAddresses).toEqual([...service, added]);
    expect(merge.desired.google.emailAddresses).toEqual([...google, added]);
  });

  test.each<[string, Partial<Contact>, Partial<Contact>]>([
    ['email', { emailAddresses: values('Ada@X.org') }, { emailAddresses: values('ada@x.org') }],
    ['phone', { phoneNumbers: values('+49 30 901820') }, { phoneNumbers: values('0049 (30) 90 18 20') }],
    ['national phone', { phoneNumbers: values('030 901820') }, { phoneNumbers: values('+49 30 901820') }],
    ['website', { websites: values('https://www.x.org/') }, { websites: values('X.org') }],
    ['address', { addresses: [address('12 High St.')] }, { addresses: [address('12 high st')] }],
  ])('[R13] of a first meeting does not double one %s in two spellings', (_, google, service) => {
    expect(mergeContacts(sideOf(google, null), sideOf(service, null), policyWith())).toMatchObject(QUIET);
  });

  test('[R5] loses no phone number that its side spells twice', () => {
    const google = values('+1 212 234 5678', '234 5678');
    const merge = mergeContacts(
      sideOf({ phoneNumbers: google }, { phoneNumbers: google }),
      sideOf(
        { phoneNumbers: values('+1 212 234 5678', '+1 212 999 0000') },
        { phoneNumbers: values('+1 212 234 5678') },
      ),
      policyWith(),
    );
    expect(merge.desired.google.phoneNumbers).toEqual([...google, ...values('+1 212 999 0000')]);
    expect(merge.fields.service).toEqual([]);
  });
});

describe('[R2] each side is measured against its own base', () => {
  test('a value that a side rewrote when it was written causes no write', () => {
    const google = { title: 'director ', emailAddresses: values('Ada@X.org'), phoneNumbers: values('030 901820') };
    const service = { title: 'Dir', emailAddresses: values('ada@x.org'), phoneNumbers: values('(030) 901820') };
    expect(mergeContacts(sideOf(google, google), sideOf(service, service), policyWith())).toMatchObject(QUIET);
  });

  test('a rewritten value is removed where its original is removed', () => {
    const long = 'a.very.long.address@example.org';
    const cut = 'a.very.long.address@exam';
    const merge = mergeContacts(
      sideOf({ emailAddresses: [] }, { emailAddresses: values(long) }),
      sideOf({ emailAddresses: values(cut) }, { emailAddresses: values(cut) }),
      policyWith(),
    );
    expect(merge.fields).toEqual({ google: [], service: ['emailAddresses'] });
    expect(merge.desired.service.emailAddresses).toEqual([]);
  });

  test('a rewritten value is replaced where its original is changed', () => {
    const merge = mergeContacts(
      sideOf({ phoneNumbers: values('+49 30 555555') }, { phoneNumbers: values('+49 30 901820') }),
      sideOf({ phoneNumbers: values('30901820') }, { phoneNumbers: values('30901820') }),
      policyWith(),
    );
    expect(merge.desired.service.phoneNumbers).toEqual(values('+49 30 555555'));
  });
});

describe('different fields', () => {
  test('[R3] a phone added on one side and a title changed on the other both arrive', () => {
    const base = { firstName: 'Ada', title: 'Analyst' };
    const merge = mergeContacts(
      sideOf({ ...base, phoneNumbers: values('+49 30 901820') }, base),
      sideOf({ ...base, title: 'Countess' }, base),
      policyWith(),
    );
    expect(merge.fields).toEqual({ google: ['title'], service: ['phoneNumbers'] });
    expect(merge.desired.google).toEqual(merge.desired.service);
    expect(merge.desired.google).toMatchObject({ title: 'Countess', phoneNumbers: values('+49 30 901820') });
    expect(merge.conflicts).toEqual([]);
  });

  test.each(['google', 'service'] as const)('[R5] a change of every field at %s reaches the other side', (side) => {
    const now: Partial<Contact> = {
      firstName: 'Ada',
      lastName: 'King',
      company: 'Engine',
      title: 'Countess',
      emailAddresses: values('a@x.org'),
      phoneNumbers: values('112'),
      addresses: [address('Main 1')],
      websites: values('x.org'),
    };
    const base: Partial<Contact> = { firstName: 'A', lastName: 'B', company: 'C', title: 'D' };
    const merge = mergeFrom(side, sideOf(now, base), sideOf(base, base));
    expect(merge.desired[otherSide(side)]).toEqual(merge.desired[side]);
    expect(merge.fields[side]).toEqual([]);
    expect(merge.fields[otherSide(side)]).toHaveLength(8);
  });
});

describe('a conflict', () => {
  const both = (policy: Partial<Policy>, googleAtMs: number | null, serviceAtMs: number | null): Merge => {
    return mergeContacts(
      sideOf({ title: 'Baker' }, { title: 'Cook' }, googleAtMs),
      sideOf({ title: 'Brewer' }, { title: 'Cook' }, serviceAtMs),
      policyWith(policy),
    );
  };

  test.each<[string, Partial<Policy>, number | null, number | null, Side]>([
    ['the later edit, Google’s', {}, 2, 1, 'google'],
    ['the later edit, the service’s', {}, 1, 2, 'service'],
    ['Google where the times tie', {}, 1, 1, 'google'],
    ['Google where Google names no time', {}, null, 9, 'google'],
    ['Google where the service names no time', {}, 1, null, 'google'],
    ['Google where nobody names a time', {}, null, null, 'google'],
    ['Google by policy', { conflicts: 'google' }, 1, 2, 'google'],
    ['the service by policy', { conflicts: 'service' }, 2, 1, 'service'],
    ['the source of a link to Google', { direction: 'to-google', conflicts: 'google' }, 2, 1, 'service'],
    ['the source of a link to the service', { direction: 'to-service', conflicts: 'service' }, 1, 2, 'google'],
  ])('[R4] is won by %s', (_, policy, googleAtMs, serviceAtMs, winner) => {
    const merge = both(policy, googleAtMs, serviceAtMs);
    expect(merge.conflicts).toEqual([{ field: 'title', google: 'Baker', service: 'Brewer', winner }]);
    expect(merge.fields).toEqual({ google: [], service: [], [otherSide(winner)]: ['title'] });
    const title = winner === 'google' ? 'Baker' : 'Brewer';
    expect([merge.desired.google.title, merge.desired.service.title]).toEqual([title, title]);
  });

  test('[R4] is none where both sides changed alike', () => {
    const side = sideOf({ title: 'Baker' }, { title: 'Cook' });
    expect(mergeContacts(side, side, policyWith())).toMatchObject(QUIET);
  });

  test('[R4] in one field leaves the other fields to their own sides', () => {
    const merge = mergeContacts(
      sideOf({ title: 'Baker', company: 'Old' }, { title: 'Cook', company: 'Old' }, 2),
      sideOf({ title: 'Brewer', company: 'New' }, { title: 'Cook', company: 'Old' }, 1),
      policyWith(),
    );
    expect(merge.fields).toEqual({ google: ['company'], service: ['title'] });
    expect(merge.desired.google).toEqual(merge.desired.service);
  });
});

describe('a one-way link', () => {
  const CASES = [
    ['to-google', 'service', 'google'],
    ['to-service', 'google', 'service'],
  ] as const;

  test.each(CASES)('%s writes what %s changed and holds what %s changed', (direction, source, target) => {
    const base = { title: 'Cook', emailAddresses: values('a@x.org', 'b@x.org') };
    const own = sideOf({ ...base, company: 'Source' }, base);
    const other = sideOf({ title: 'Local', emailAddresses: values('a@x.org', 'c@x.org') }, base);
    const merge = mergeFrom(source, own, other, policyWith({ direction }));
    expect(merge.fields[source]).toEqual([]);
    expect(merge.desired[source]).toEqual(own.contact);
    expect(merge.fields[target]).toEqual(['company']);
    expect(merge.desired[target]).toEqual({ ...other.contact, company: 'Source' });
    expect(merge.held[target]).toEqual(['title', 'emailAddresses']);
    expect(merge.held[source]).toEqual([]);
  });

  test.each(CASES)('%s keeps what the other side added to a list that %s changes', (direction, source, target) => {
    const base = { emailAddresses: values('a@x.org') };
    const merge = mergeFrom(
      source,
      sideOf({ emailAddresses: values('a@x.org', 'new@x.org') }, base),
      sideOf({ emailAddresses: values('a@x.org', 'local@x.org') }, base),
      policyWith({ direction }),
    );
    expect(mails(merge, source)).toEqual(['a@x.org', 'new@x.org']);
    expect(mails(merge, target)).toEqual(['a@x.org', 'local@x.org', 'new@x.org']);
    expect(merge.held[target]).toEqual(['emailAddresses']);
  });

  test.each(CASES)('%s fills nothing at the source when the two meet', (direction, source, target) => {
    const merge = mergeFrom(
      source,
      sideOf({ firstName: 'Ada' }, null),
      sideOf({ title: 'Local' }, null),
      policyWith({ direction }),
    );
    expect(merge.fields[source]).toEqual([]);
    expect(merge.desired[target]).toMatchObject({ firstName: 'Ada', title: 'Local' });
    expect(merge.held[target]).toEqual(['title']);
  });
});

describe('a first meeting', () => {
  test('[R13] fills what is empty on either side and unites the lists', () => {
    const merge = mergeContacts(
      sideOf({ firstName: 'Ada', company: 'Engine', emailAddresses: values('a@x.org') }, null),
      sideOf({ firstName: 'Ada', title: 'Countess', emailAddresses: values('A@x.org', 'b@x.org') }, null),
      policyWith(),
    );
    expect(merge.fields).toEqual({ google: ['title', 'emailAddresses'], service: ['company'] });
    expect(mails(merge, 'google')).toEqual(['a@x.org', 'b@x.org']);
    expect(merge.conflicts).toEqual([]);
  });

  test('[R13] settles two different values by the policy and records them', () => {
    const merge = mergeContacts(sideOf({ title: 'A' }, null, 1), sideOf({ title: 'B' }, null, 2), policyWith());
    expect(merge.conflicts).toEqual([{ field: 'title', google: 'A', service: 'B', winner: 'service' }]);
  });

  type Name = readonly [string, string];
  test.each<[string, Name, Name, Name, Partial<Policy>]>([
    ['the divided name beats the whole one', ['Mary Ann Lee', ''], ['Mary Ann', 'Lee'], ['Mary Ann', 'Lee'], {}],
    [
      'also where the policy names the other side',
      ['', 'Mary Lee'],
      ['Mary', 'Lee'],
      ['Mary', 'Lee'],
      { conflicts: 'google' },
    ],
    ['also where Google divides it', ['Mary', 'Lee'], ['mary lee', ''], ['Mary', 'Lee'], { conflicts: 'service' }],
    ['a single name takes the policy’s field', ['Cher', ''], ['', 'Cher'], ['Cher', ''], {}],
    ['a single name takes the service’s field', ['Cher', ''], ['', 'Cher'], ['', 'Cher'], { conflicts: 'service' }],
    ['a part of the whole name adds nothing', ['', 'Lee'], ['Mary Lee', ''], ['Mary Lee', ''], { conflicts: 'google' }],
    ['a word that is said twice on purpose stays', ['Lee', ''], ['Lee', 'Lee'], ['Lee', 'Lee'], {}],
    ['a missing part is filled', ['Mary', ''], ['Mary', 'Lee'], ['Mary', 'Lee'], { conflicts: 'google' }],
    ['two missing parts are filled', ['Mary', ''], ['', 'Lee'], ['Mary', 'Lee'], {}],
    ['a sign that is no letter is not dropped', ['🙂', ''], ['', '🎉'], ['🙂', '🎉'], {}],
    [
      'a name divided in two ways follows the policy',
      ['Mary Ann', 'Lee'],
      ['Mary', 'Ann Lee'],
      ['Mary Ann', 'Lee'],
      {},
    ],
  ])('[R13] of one full name makes no word twice: %s', (_, google, service, expected, policy) => {
    const side = ([firstName, lastName]: Name) => sideOf({ firstName, lastName }, null);
    const { desired } = mergeContacts(side(google), side(service), policyWith(policy));
    expect([desired.google.firstName, desired.google.lastName]).toEqual(expected);
    expect([desired.service.firstName, desired.service.lastName]).toEqual(expected);
  });

  test('[R13] of one full name leaves the source of a one-way link as it is', () => {
    const merge = mergeContacts(
      sideOf({ firstName: 'Mary Lee' }, null),
      sideOf({ firstName: 'Mary', lastName: 'Lee' }, null),
      policyWith({ direction: 'to-service' }),
    );
    expect(merge).toMatchObject({ ...QUIET, held: { google: [], service: ['firstName', 'lastName'] } });
  });

  test('once met, a name that one side divides anew is taken over as it is', () => {
    const base = { firstName: 'Mary Lee' };
    const merge = mergeContacts(sideOf({ firstName: 'Mary', lastName: 'Lee' }, base), sideOf(base, base), policyWith());
    expect(merge.desired.service).toEqual(merge.desired.google);
  });
});
