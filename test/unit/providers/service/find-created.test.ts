import { describe, expect, it } from 'vitest';
import { EMPTY_CONTACT, type Contact } from '../../../../src/core/contact/contact.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import { matchCreated, resemblesDraft } from '../../../../src/providers/service/find-created.ts';

const contact = (over: Partial<Contact>): Contact => ({ ...EMPTY_CONTACT, ...over });

const values = (...texts: string[]) => texts.map((value) => ({ value, label: null }));

const ada = contact({
  firstName: 'Ada',
  lastName: 'King',
  emailAddresses: values('Ada@x.example'),
  phoneNumbers: values('(830) 285-9851'),
});

describe('[R9] a found contact', () => {
  it.each<[string, Contact]>([
    ['the same', ada],
    [
      'with another case and format',
      contact({
        firstName: 'ADA',
        lastName: 'king',
        emailAddresses: values('ada@X.example'),
        phoneNumbers: values('+18302859851'),
      }),
    ],
    ['with company and title filled in', { ...ada, company: 'Engines', title: 'Countess' }],
    ['with other labels', { ...ada, emailAddresses: [{ value: 'ada@x.example', label: 'Work' }] }],
  ])('resembles the draft: %s', (_name, found) => {
    expect(resemblesDraft(ada, found)).toBe(true);
  });

  it.each<[string, Contact]>([
    ['with another name', { ...ada, firstName: 'Eve' }],
    ['without the email address', { ...ada, emailAddresses: [] }],
    ['with an additional email address', { ...ada, emailAddresses: values('ada@x.example', 'a@y.example') }],
    ['with another phone number', { ...ada, phoneNumbers: values('(830) 285-9852') }],
  ])('does not resemble the draft: %s', (_name, found) => {
    expect(resemblesDraft(ada, found)).toBe(false);
  });

  it('with another company does not resemble the draft', () => {
    expect(resemblesDraft({ ...ada, company: 'Engines Ltd' }, { ...ada, company: 'Looms' })).toBe(false);
    expect(resemblesDraft({ ...ada, company: 'Engines Ltd' }, { ...ada, company: 'ENGINES LTD.' })).toBe(true);
  });

  it('without name, email address and phone number is compared by each other field, except computed values', () => {
    const computed = contact({ company: 'Engines', lastContacted: '2026-01-31' });
    expect(resemblesDraft(contact({ company: 'Engines' }), computed)).toBe(true);
    const site = contact({ websites: values('https://x.example') });
    expect(resemblesDraft(site, site)).toBe(true);
    expect(resemblesDraft(site, contact({ websites: values('https://y.example') }))).toBe(false);
    expect(resemblesDraft(site, EMPTY_CONTACT)).toBe(false);
    expect(resemblesDraft(contact({ company: 'Engines' }), contact({ title: 'Engines' }))).toBe(false);
  });
});

const record = (id: string, found: Contact): ContactRecord => {
  return { id, version: '', modifiedAtMs: null, contact: found, groupIds: [], raw: '{}', originId: null };
};

const creating = (key: string, draft: Contact) => ({ key, draft, groupIds: [], originId: key });

const idsIn = (matches: ReadonlyMap<string, ContactRecord>) => [...matches].map(([key, found]) => [key, found.id]);

it('[R9] each found contact matches one request only', () => {
  const requests = ['a', 'b', 'c'].map((key) => creating(key, ada));
  const matches = matchCreated(requests, [record('contact_1', ada), record('contact_2', ada)]);
  expect(idsIn(matches)).toEqual([
    ['a', 'contact_1'],
    ['b', 'contact_2'],
  ]);
});

describe('[R9] among requests with the same name', () => {
  const inTown = (city: string) =>
    contact({
      firstName: 'Reception',
      addresses: [{ street: '', city, region: '', postalCode: '', country: '', label: null }],
    });
  const [leeds, york] = [inTown('Leeds'), inTown('York')];
  const requests = [creating('leeds', leeds), creating('york', york)];

  it('the request of the found contact gets it, in any order of the requests', () => {
    expect(idsIn(matchCreated(requests, [record('contact_1', york)]))).toEqual([['york', 'contact_1']]);
    const ofCompany = { ...leeds, company: 'Looms' };
    const withCompany = [creating('none', leeds), creating('looms', ofCompany)];
    expect(idsIn(matchCreated(withCompany, [record('contact_1', ofCompany)]))).toEqual([['looms', 'contact_1']]);
  });

  it('each gets the most similar contact if the service filled in a field', () => {
    const filled = (of: Contact) => ({ ...of, title: 'Desk' });
    const found = [record('contact_1', filled(york)), record('contact_2', filled(leeds))];
    expect(new Map(idsIn(matchCreated(requests, found)) as [string, string][])).toEqual(
      new Map([
        ['york', 'contact_1'],
        ['leeds', 'contact_2'],
      ]),
    );
    expect(matchCreated(requests, found, 0).size).toBe(0);
  });
});
