import { expect, test } from 'vitest';
import { startFakeLink } from '../../support/carddav/fake-link.ts';

const MY_CONTACTS = 'contactGroups/myContacts';
const HOUR_MS = 3_600_000;

/** A Google account with these people, some with the label, and an address book in which a category is its own id. */
const startLabelled = async (people: Readonly<Record<string, boolean>>) => {
  const linked = await startFakeLink();
  const { account } = linked.sandbox.google;
  const label = account.createGroup('Crew');
  const labelled = (name: string, ...labels: readonly string[]): void => {
    const person = account.people().find(({ names }) => names?.[0]?.givenName === name);
    account.setGroups(person?.resourceName ?? '', [MY_CONTACTS, ...labels]);
  };
  for (const [name, isMember] of Object.entries(people)) {
    account.createPerson({ names: [{ givenName: name, familyName: 'Lind' }] });
    if (isMember) labelled(name, label);
  }
  await linked.synced();
  /** The categories of all cards, in the order of their names. */
  const categories = (): readonly string[] =>
    linked.server
      .names()
      .map((name) => linked.server.text(name) ?? '')
      .toSorted((one, other) =>
        (/^FN:(.*)$/mu.exec(one)?.[1] ?? '').localeCompare(/^FN:(.*)$/mu.exec(other)?.[1] ?? ''),
      )
      .map((card) => /CATEGORIES:(.*)/u.exec(card)?.[1]?.trim() ?? '');
  return { linked, account, label, labelled, categories };
};

test('R11: a contact that joins a label in the run that renames it is in the renamed category', async () => {
  const { linked, account, label, labelled, categories } = await startLabelled({ Ada: true, Ben: false });
  await using _linked = linked;
  expect(categories()).toEqual(['Crew', '']);
  account.renameGroup(label, 'Team');
  labelled('Ben', label);
  for (let hour = 0; hour < 2; hour += 1) await linked.synced({ afterMs: HOUR_MS });
  expect(categories()).toEqual(['Team', 'Team']);
  expect(account.groups().map(({ name }) => name)).toEqual(expect.not.arrayContaining(['Crew']));
});

test('R11: a label that replaces a deleted one of its name keeps its members in the category', async () => {
  const { linked, account, label, labelled, categories } = await startLabelled({ Ada: true, Ben: false });
  await using _linked = linked;
  account.deleteGroup(label);
  labelled('Ada');
  const next = account.createGroup('Crew');
  labelled('Ben', next);
  for (let hour = 0; hour < 3; hour += 1) await linked.synced({ afterMs: HOUR_MS });
  expect(categories()).toEqual(['', 'Crew']);
  expect(account.groups().map(({ name }) => name)).toContain('Crew');
  expect(account.groups().some(({ name }) => name?.startsWith('Renaming'))).toBe(false);
});

test.each([
  ['leaves the label', 'leave'],
  ['is deleted', 'delete'],
] as const)(
  'R11, R6: a contact that %s after or while the label is renamed does so in the category',
  async (_, edit) => {
    for (const isLater of [true, false]) {
      const { linked, account, label, labelled, categories } = await startLabelled({ Ada: true, Ben: true });
      await using _linked = linked;
      account.renameGroup(label, 'Team');
      if (isLater) await linked.synced({ afterMs: HOUR_MS });
      if (edit === 'leave') labelled('Ada');
      else
        account.deletePerson(account.people().find(({ names }) => names?.[0]?.givenName === 'Ada')?.resourceName ?? '');
      for (let hour = 0; hour < 2; hour += 1) await linked.synced({ afterMs: HOUR_MS });
      expect(categories()).toEqual(edit === 'leave' ? ['', 'Team'] : ['Team']);
      expect(account.people()).toHaveLength(edit === 'leave' ? 2 : 1);
    }
  },
);

test('R11: a rename that one card refuses removes the label from no contact, and is done when the card accepts it', async () => {
  const { linked, account, label, categories } = await startLabelled({ Ada: true, Ben: true, Cleo: true });
  await using _linked = linked;
  const labels = (): readonly boolean[] =>
    account
      .people()
      .map(({ memberships = [] }) =>
        memberships.some(({ contactGroupMembership }) => contactGroupMembership?.contactGroupResourceName === label),
      );
  account.renameGroup(label, 'Team');
  linked.server.set({
    intercept: ({ method }, body) => (method === 'PUT' && body.includes('FN:Ben Lind') ? { status: 403 } : null),
  });
  for (let hour = 0; hour < 3; hour += 1) await linked.synced({ afterMs: HOUR_MS });
  expect(labels()).toEqual([true, true, true]);
  linked.server.set({ intercept: () => null });
  for (let hour = 0; hour < 2; hour += 1) await linked.synced({ afterMs: HOUR_MS });
  expect([labels(), categories()]).toEqual([
    [true, true, true],
    ['Team', 'Team', 'Team'],
  ]);
  expect(account.groups().filter(({ name }) => name === 'Crew')).toEqual([]);
});

test('R11: a category that a card did not lose at its rename is removed by a later run', async () => {
  const { linked, account, label, categories } = await startLabelled({ Ada: true, Ben: true });
  await using _linked = linked;
  account.renameGroup(label, 'Team');
  let puts = 0;
  linked.server.set({
    intercept: ({ method }) => (method === 'PUT' && (puts += 1) === 4 ? { status: 403 } : null),
  });
  await linked.synced({ afterMs: HOUR_MS });
  linked.server.set({ intercept: () => null });
  for (let hour = 0; hour < 2; hour += 1) await linked.synced({ afterMs: HOUR_MS });
  expect(categories()).toEqual(['Team', 'Team']);
  expect(account.groups().filter(({ name }) => name === 'Crew')).toEqual([]);
});

test.each(['Bu\u0308ro', 'Key\u00A0Account', 'A  B', ' Lead'])(
  'R11: a label that is renamed to %j keeps its members, and the edits of both sides to it are synced',
  async (name) => {
    const { linked, account, label, labelled, categories } = await startLabelled({ Ada: true, Ben: true, Cleo: false });
    await using _linked = linked;
    account.renameGroup(label, name);
    await linked.synced({ afterMs: HOUR_MS });
    labelled('Ada');
    const cleo = linked.server.names().find((each) => linked.server.text(each)?.includes('FN:Cleo') === true) ?? '';
    linked.server.put(cleo, (linked.server.text(cleo) ?? '').replace('END:', `CATEGORIES:${name}\r\nEND:`));
    for (let hour = 0; hour < 2; hour += 1) await linked.synced({ afterMs: HOUR_MS });
    expect(categories().map((each) => each.normalize('NFC').replaceAll(/\s+/gu, ' ').trim())).toEqual([
      '',
      ...Array.from({ length: 2 }, () => name.normalize('NFC').replaceAll(/\s+/gu, ' ').trim()),
    ]);
    const members = account
      .people()
      .filter(({ memberships = [] }) =>
        memberships.some(({ contactGroupMembership }) => contactGroupMembership?.contactGroupResourceName === label),
      );
    expect(members.map(({ names }) => names?.[0]?.givenName)).toEqual(['Ben', 'Cleo']);
    expect(account.groups().map((group) => group.name)).toEqual([name]);
  },
);
