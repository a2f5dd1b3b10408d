import { expect, test } from 'vitest';
import { startFakeLink } from '../../support/carddav/fake-link.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

const EMAIL = [{ value: 'harrow@x.test' }];
const SENIOR = { names: [{ givenName: 'John', familyName: 'Harrow', honorificSuffix: 'Sr.' }], emailAddresses: EMAIL };

test('R13: a suffix field of Google that the link does not sync keeps father and son apart', async () => {
  await using linked = await startLinkedSandbox({ google: [], service: [] });
  const { google, service } = linked.sandbox;
  google.account.createPerson(SENIOR);
  service.account.createContact({
    first_name: 'John',
    last_name: 'Harrow Jr.',
    email_addresses: [{ address: 'harrow@x.test' }],
  });
  await linked.synced();
  const lastNames = service.account.contacts().map(({ last_name: lastName }) => lastName ?? '');
  expect(lastNames.toSorted()).toEqual(['Harrow', 'Harrow Jr.']);
  expect(google.account.people()).toHaveLength(2);
});

test.each([
  ['suffix', 'N:Harrow;John;;;Jr.'],
  ['title', 'N:Harrow;John;;Mrs.;'],
  ['middle name', 'N:Harrow;John;Peter;;'],
])('R13: a %s on a card that the link does not sync keeps two people apart', async (_, name) => {
  await using linked = await startFakeLink();
  const names = [{ ...SENIOR.names[0], honorificPrefix: 'Mr.', middleName: 'Robert' }];
  linked.sandbox.google.account.createPerson({ ...SENIOR, names });
  const lines = ['BEGIN:VCARD', 'VERSION:3.0', 'UID:a', 'FN:John Harrow', name, 'EMAIL:harrow@x.test', 'END:VCARD', ''];
  linked.server.put('a.vcf', lines.join('\r\n'));
  await linked.synced();
  expect(linked.sandbox.google.account.people()).toHaveLength(2);
  expect(linked.server.text('a.vcf')).toContain(`${name}\r\n`);
});
