import { expect, it } from 'vitest';
import { EMPTY_CONTACT, type Contact } from '../../../../src/core/contact/contact.ts';
import { contactOf, type ContactRecord } from '../../../../src/core/contact/record.ts';
import { matchCreated } from '../../../../src/providers/service/find-created.ts';
import { recordOf } from '../../../support/store/rows.ts';
import { creation } from './support.ts';

const values = (...texts: string[]) => texts.map((value) => ({ value, label: null }));

const ada = contactOf({
  firstName: 'Ada',
  lastName: 'King',
  emailAddresses: values('Ada@x.example'),
  phoneNumbers: values('(830) 285-9851'),
});

const adaInCapitals: Contact = {
  ...contactOf({ firstName: 'ADA', lastName: 'king' }),
  emailAddresses: values('ada@X.example'),
  phoneNumbers: values('+18302859851'),
};
const engines = contactOf({ company: 'Engines' });
const site = contactOf({ websites: values('https://x.example') });

const record = (id: string, contact: Contact) => recordOf(id, { contact });

it.each<[string, Contact, Contact, boolean]>([
  ['the same', ada, ada, true],
  ['with another case and format', ada, adaInCapitals, true],
  ['with company and title filled in', ada, { ...ada, company: 'Engines', title: 'Countess' }, true],
  ['with other labels', ada, { ...ada, emailAddresses: [{ value: 'ada@x.example', label: 'Work' }] }, true],
  ['with another name', ada, { ...ada, firstName: 'Eve' }, false],
  [
    'with another vowel sign',
    contactOf({ firstName: '\u0930\u093E\u092E' }),
    contactOf({ firstName: '\u0930\u092E\u093E' }),
    false,
  ],
  ['without a variation selector', contactOf({ company: 'A \u2764\uFE0F' }), contactOf({ company: 'A \u2764' }), true],
  ['without the email address', ada, { ...ada, emailAddresses: [] }, false],
  ['with one more address', ada, { ...ada, emailAddresses: values('ada@x.example', 'a@y.example') }, false],
  ['with another phone number', ada, { ...ada, phoneNumbers: values('(830) 285-9852') }, false],
  ['with another company', { ...ada, company: 'Engines Ltd' }, { ...ada, company: 'Looms' }, false],
  ['with its company', { ...ada, company: 'Engines Ltd' }, { ...ada, company: 'ENGINES LTD.' }, true],
  // Without name, email address and phone number each other field is compared, except computed values.
  ['with a computed value', engines, { ...engines, lastContacted: '2026-01-31' }, true],
  ['with the same website', site, site, true],
  ['with another website', site, contactOf({ websites: values('https://y.example') }), false],
  ['without a value', site, EMPTY_CONTACT, false],
  ['with the value in another field', engines, contactOf({ title: 'Engines' }), false],
])('[R9] a found contact is compared with the draft: %s', (_name, draft, found, resembles) => {
  expect(matchCreated([creation('key', draft)], [record('contact_1', found)]).has('key')).toBe(resembles);
});
const idsIn = (matches: ReadonlyMap<string, ContactRecord>) => [...matches].map(([key, found]) => [key, found.id]);

const place = { street: '', region: '', postalCode: '', country: '', label: null };
const inTown = (city: string) => contactOf({ firstName: 'Reception', addresses: [{ ...place, city }] });
const [leeds, york] = [inTown('Leeds'), inTown('York')];
const requests = [creation('leeds', leeds), creation('york', york)];

it('[R9] among requests with the same name the request of the found contact gets it, in any order of the requests', () => {
  expect(idsIn(matchCreated(requests, [record('contact_1', york)]))).toEqual([['york', 'contact_1']]);
  const ofCompany = { ...leeds, company: 'Looms' };
  const withCompany = [creation('none', leeds), creation('looms', ofCompany)];
  expect(idsIn(matchCreated(withCompany, [record('contact_1', ofCompany)]))).toEqual([['looms', 'contact_1']]);
});

it('[R9] among requests with the same name each gets the most similar contact if the service filled in a field', () => {
  const filled = (of: Contact) => ({ ...of, title: 'Desk' });
  const found = [record('contact_1', filled(york)), record('contact_2', filled(leeds))];
  const matched = Object.fromEntries(idsIn(matchCreated(requests, found)));
  expect(matched).toEqual({ york: 'contact_1', leeds: 'contact_2' });
});
