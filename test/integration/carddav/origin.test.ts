import { describe, expect, test } from 'vitest';
import { startFakeLink, type FakeLink } from '../../support/carddav/fake-link.ts';

const NOTHING = { created: 0, updated: 0, deleted: 0 };
const NAMES = ['Ina', 'Jon', 'Kim'];

const addPeople = ({ sandbox }: FakeLink): void => {
  for (const givenName of NAMES) {
    sandbox.google.account.createPerson({
      names: [{ givenName, familyName: 'Mover' }],
      emailAddresses: [{ value: `${givenName}@x.test` }],
      phoneNumbers: [{ value: `+49 30 5550${NAMES.indexOf(givenName)}` }],
    });
  }
};

const expectThreeOfEach = async (link: FakeLink): Promise<void> => {
  for (const kind of ['incremental', 'full', 'incremental'] as const) {
    expect(await link.synced({ kind })).toMatchObject({ left: NOTHING, right: NOTHING });
  }
  expect([link.names(), link.server.names().length]).toEqual([NAMES, 3]);
};

test.each([
  ['under its own name, which it returns', { renames: 'located' }],
  ['under its own name, which it does not return', { renames: 'silent' }],
  ['under its own name, without an ETag', { renames: 'silent', putEtag: 'none' }],
  ['under its own name, and refuses it', { renames: 'silent', storesWith: 409 }],
  ['and answers 400', { storesWith: 400 }],
  ['and answers 403', { storesWith: 403 }],
  ['and answers 507', { storesWith: 507 }],
  ['and answers 500', { storesWith: 500, renames: 'silent' }],
  ['and answers 502', { storesWith: 502 }],
] as const)(
  'R9: a card with the UID of a create is the created contact if the server stores it %s',
  async (_, settings) => {
    await using link = await startFakeLink(settings);
    addPeople(link);
    await link.synced();
    link.server.set({ storesWith: null });
    await link.synced();
    await expectThreeOfEach(link);
    const { account } = link.sandbox.google;
    account.updatePerson(account.people()[0]?.resourceName ?? '', { organizations: [{ title: 'Mo' }] });
    expect(await link.synced()).toMatchObject({ right: { updated: 1 } });
    expect(link.server.names().filter((name) => link.server.text(name)?.includes('TITLE:Mo'))).toHaveLength(1);
  },
);

describe('R13: a second installation pairs cards with the contacts that they were created for', () => {
  test.each([
    ['under their names', 'no'],
    ['under names of the server', 'silent'],
  ] as const)('although both sides were edited since: %s', async (_, renames) => {
    await using link = await startFakeLink({ renames });
    addPeople(link);
    await link.synced();
    for (const name of link.server.names()) {
      const text = link.server.text(name) ?? '';
      // Name, email address and phone number: only the family name stays.
      link.server.put(
        name,
        text.replaceAll(/(Ina|Jon|Kim)(?=[@ ;\r])/gu, 'Alex').replace(/TEL([^:]*):.*/u, 'TEL$1:+1 212 5550100'),
      );
    }
    const { account } = link.sandbox.google;
    for (const person of account.people()) {
      account.updatePerson(person.resourceName ?? '', {
        emailAddresses: [{ value: `${person.resourceName}@new.test` }],
      });
    }
    await link.installedAgain(async (program) => {
      const result = await program.synced();
      expect(result).toMatchObject({ paired: 3, left: { created: 0 }, right: { created: 0 } });
    });
    expect([account.people().length, link.server.names().length]).toEqual([3, 3]);
  });

  test('a card that its user deleted does not return', async () => {
    await using link = await startFakeLink();
    addPeople(link);
    await link.synced();
    link.server.remove(link.server.names()[0] ?? '');
    await link.synced();
    expect([link.names().length, link.server.names().length]).toEqual([2, 2]);
    await link.installedAgain((program) => program.synced());
    expect([link.names().length, link.server.names().length]).toEqual([2, 2]);
  });
});
