import { expect, test } from 'vitest';
import { readLinkRecord } from '../../../src/engine/history/link-record.ts';
import { groupsOf } from '../../../src/sandbox/google/account.ts';
import { startFakeLink, type FakeLink } from '../../support/carddav/fake-link.ts';

const NOTHING = { created: 0, updated: 0, deleted: 0 };

const BO = {
  names: [{ givenName: 'Bo', familyName: 'Ek' }],
  emailAddresses: [{ value: 'bo@ex.test', type: 'home' }],
  organizations: [{ name: 'Smith; Sons', title: 'Baker' }],
  addresses: [{ streetAddress: 'Weg 1; Hof 2', city: 'Ort', postalCode: '1', country: 'Norge', type: 'home' }],
};

const peopleOf = ({ sandbox }: FakeLink): unknown => {
  const { account } = sandbox.google;
  const names = new Map(account.groups().map(({ resourceName, name }) => [resourceName, name]));
  return account.people().map((person) => ({
    names: person.names?.map(({ givenName, familyName }) => [givenName, familyName]),
    emails: person.emailAddresses?.map(({ value }) => value),
    organizations: person.organizations?.map(({ name, title }) => [name, title]),
    addresses: person.addresses?.map(({ streetAddress, city, country }) => [streetAddress, city, country]),
    labels: (groupsOf(person) ?? []).flatMap((id) => names.get(id) ?? []).toSorted(),
  }));
};

const labelsOf = ({ sandbox }: FakeLink): readonly string[] =>
  sandbox.google.account
    .groups()
    .map(({ name }) => name)
    .toSorted();

/** Ways in which a server stores another card than the one that was sent, without an ETag (RFC 6352, 6.3.2.3). */
const ALTERATIONS = [
  ['unescapes texts', (text: string) => text.replaceAll(/\\([;,])/gu, '$1')],
  ['drops the title', (text: string) => text.replace(/^TITLE:.*\r\n/mu, '')],
  ['drops the email addresses', (text: string) => text.replaceAll(/^(?:item\d\.)?EMAIL.*\r\n/gmu, '')],
  ['changes the company in each write', (text: string) => text.replace(/^(ORG:.*)$/mu, '$1!')],
  ['shortens texts', (text: string) => text.replaceAll(/^(ORG|TITLE|CATEGORIES):(.{3}).*$/gmu, '$1:$2')],
  ['adds its own line', (text: string) => text.replace('END:VCARD', 'REV:20260101T000000Z\r\nNOTE:seen\r\nEND:VCARD')],
  ['stores another category', (text: string) => text.replace(/^CATEGORIES:.*$/mu, 'CATEGORIES:Mojibake')],
] as const;

const expectQuiet = async (link: FakeLink): Promise<void> => {
  const [people, labels] = [peopleOf(link), labelsOf(link)];
  for (const kind of ['incremental', 'incremental', 'full', 'full'] as const) {
    expect(await link.synced({ kind })).toMatchObject({ left: NOTHING, right: NOTHING });
    expect([peopleOf(link), labelsOf(link)]).toEqual([people, labels]);
  }
};

test.each(ALTERATIONS)(
  'R2: a write of any kind to a server that %s changes nothing at the other side',
  async (_, stores) => {
    await using link = await startFakeLink({ putEtag: 'none', stores });
    const { account } = link.sandbox.google;
    const id = account.createPerson(BO);
    account.setGroups(id, [account.createGroup('Kunden, groß')]);
    const before = peopleOf(link);
    await link.synced();
    expect(peopleOf(link)).toEqual(before);
    await expectQuiet(link);

    account.updatePerson(id, { phoneNumbers: [{ value: '+49 30 5550100', type: 'home' }] });
    await link.synced();
    await expectQuiet(link);
    expect(peopleOf(link)).toMatchObject([{ organizations: [['Smith; Sons', 'Baker']], emails: ['bo@ex.test'] }]);

    account.setGroups(id, [account.createGroup('A, B')]);
    await link.synced();
    await expectQuiet(link);
    expect(peopleOf(link)).toMatchObject([{ labels: ['A, B'], organizations: [['Smith; Sons', 'Baker']] }]);
  },
);

test('R2: status lists each contact with a value that a server did not store, until both sides are equal', async () => {
  const stores = (text: string): string => text.replace(/^TITLE:.*\r\n/mu, '');
  await using link = await startFakeLink({ putEtag: 'none', stores });
  link.sandbox.google.account.createPerson(BO);
  await link.synced();
  const { skipped } = await readLinkRecord(link.app.store, 'home');
  expect(skipped).toMatchObject([{ side: 'right', name: 'Bo Ek', reason: expect.stringContaining('"title"') }]);
  const { account } = link.sandbox.google;
  account.updatePerson(account.people()[0]?.resourceName ?? '', { organizations: [{ name: 'Smith; Sons' }] });
  await link.synced();
  expect(await readLinkRecord(link.app.store, 'home')).toMatchObject({ skipped: [] });
});
