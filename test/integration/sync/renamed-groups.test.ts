import { expect, test } from 'vitest';
import { startFakeLink } from '../../support/carddav/fake-link.ts';
import { readSides } from '../../support/compare-sides.ts';
import { googleId, labelId, person } from '../../support/linked-people.ts';
import { startSyncedSandbox } from '../../support/linked-sandbox.ts';

const MY_CONTACTS = 'contactGroups/myContacts';
const HOUR_MS = 3_600_000;

type Linked = Awaited<ReturnType<typeof startFakeLink>>;

/** A Google account with these people and their labels, and an address book in which a category is its own id. */
const startLabelled = async (
  people: Readonly<Record<string, readonly string[]>>,
  environment: Readonly<Record<string, string>> = {},
) => {
  const linked = await startFakeLink({}, environment);
  const { account } = linked.sandbox.google;
  const label = (name: string): string =>
    account.groups().find((group) => group.name === name)?.resourceName ?? account.createGroup(name);
  const idOf = (name: string): string =>
    account.people().find(({ names }) => names?.[0]?.givenName === name)?.resourceName ?? '';
  const setLabels = (name: string, labels: readonly string[]): void =>
    account.setGroups(idOf(name), [MY_CONTACTS, ...labels.map(label)]);
  for (const [name, labels] of Object.entries(people)) {
    account.createPerson({ names: [{ givenName: name, familyName: 'Lind' }] });
    setLabels(name, labels);
  }
  await linked.synced();
  return { linked, account, label, idOf, setLabels };
};

/** The labels of each person, and the categories of each card, by first name. */
const groupsOf = ({ sandbox, server }: Linked) => {
  const { account } = sandbox.google;
  const names = new Map(account.groups().map(({ name, resourceName }) => [resourceName, name]));
  const labels = account.people().map((each): [string, string] => {
    const ids = (each.memberships ?? []).map((own) => own.contactGroupMembership?.contactGroupResourceName ?? '');
    const own = ids.filter((id) => id !== MY_CONTACTS).flatMap((id) => names.get(id) ?? []);
    return [each.names?.[0]?.givenName ?? '', own.toSorted().join()];
  });
  const categories = server.names().map((file): [string, string] => {
    const card = server.text(file) ?? '';
    const own = /^CATEGORIES:(.*)$/mu.exec(card)?.[1]?.trim() ?? '';
    return [/^FN:(\S+)/mu.exec(card)?.[1] ?? '', own.split(',').toSorted().join()];
  });
  return { labels: Object.fromEntries(labels), categories: Object.fromEntries(categories) };
};

test('R11: a label does not get the category of another label whose own rename was refused', async () => {
  const people = { Ada: ['A'], Ben: ['B'], Cleo: ['A', 'B'] };
  const { linked, account, label } = await startLabelled(people, { DELETE_LIMIT: '100%' });
  await using _linked = linked;
  account.renameGroup(label('B'), 'C');
  account.renameGroup(label('A'), 'B');
  let puts = 0;
  linked.server.set({ intercept: ({ method }) => (method === 'PUT' && (puts += 1) === 1 ? { status: 403 } : null) });
  await linked.synced({ afterMs: HOUR_MS });
  linked.server.set({ intercept: () => null });
  for (let hour = 0; hour < 2; hour += 1) await linked.synced({ afterMs: HOUR_MS });
  const renamed = { Ada: 'B', Ben: 'C', Cleo: 'B,C' };
  expect(groupsOf(linked)).toEqual({ labels: renamed, categories: renamed });
});

test('R18: a category that is renamed still selects its contacts, so that an edit of the same interval is written', async () => {
  const selection = { GOOGLE_CONTACTS: '!*', CARDDAV_CONTACTS: 'Fam*' };
  const linked = await startFakeLink({}, selection);
  await using _linked = linked;
  const { account } = linked.sandbox.google;
  const label = account.createGroup('Fam Crew');
  const ada = account.createPerson({
    names: [{ givenName: 'Ada', familyName: 'Lind' }],
    emailAddresses: [{ value: 'ada@example.org' }],
    phoneNumbers: [{ value: '+493012345678' }],
  });
  account.setGroups(ada, [MY_CONTACTS, label]);
  const card = ['VERSION:3.0', 'UID:a', 'FN:Ada Lind', 'N:Lind;Ada;;;', 'EMAIL:ada@example.org', 'CATEGORIES:Fam Crew'];
  linked.server.put('a.vcf', ['BEGIN:VCARD', ...card, 'TEL:+493012345678', 'END:VCARD', ''].join('\r\n'));
  await linked.synced();
  account.renameGroup(label, 'Fam Team');
  account.updatePerson(ada, { phoneNumbers: [] });
  for (let hour = 0; hour < 2; hour += 1) await linked.synced({ afterMs: HOUR_MS });
  expect(linked.server.text('a.vcf')).not.toContain('TEL');
  expect(account.people()[0]?.phoneNumbers ?? []).toEqual([]);
  expect((await linked.app.store.counts('home')).pairs).toBe(1);
});

test('R3: a contact that leaves a label, after it was created in a run that renamed another one, leaves its category', async () => {
  const { linked, account, label, setLabels } = await startLabelled({ Ada: ['Crew'], Ben: ['Crew'] });
  await using _linked = linked;
  account.renameGroup(label('Crew'), 'Team');
  setLabels('Ada', ['Team', 'Zoo']);
  await linked.synced({ afterMs: HOUR_MS });
  expect(groupsOf(linked).categories).toEqual({ Ada: 'Team,Zoo', Ben: 'Team' });
  setLabels('Ada', ['Team']);
  await linked.synced({ afterMs: HOUR_MS });
  const both = { Ada: 'Team', Ben: 'Team' };
  expect(groupsOf(linked)).toEqual({ labels: both, categories: both });
});

test('a link to a side does not remove the former category of a renamed one there', async () => {
  const { linked, account, label } = await startLabelled({ Ada: ['Crew'], Ben: ['Crew'] });
  await using _linked = linked;
  account.renameGroup(label('Crew'), 'Team');
  linked.server.set({
    intercept: ({ method }, body) =>
      method === 'PUT' && body.includes('FN:Ben') && !body.includes('Crew') ? { status: 403 } : null,
  });
  await linked.synced({ afterMs: HOUR_MS });
  linked.server.set({ intercept: () => null });
  await linked.synced({ afterMs: HOUR_MS, link: { direction: 'to-left' } });
  expect(groupsOf(linked).categories).toEqual({ Ada: 'Team', Ben: 'Crew,Team' });
  await linked.synced({ afterMs: HOUR_MS });
  expect(groupsOf(linked).categories).toEqual({ Ada: 'Team', Ben: 'Team' });
});

test('R15: the card of a linked group that cannot be read ends no run, and removes no contact from the group', async () => {
  const { linked, account } = await startLabelled({ Ada: ['Crew'], Ben: ['Crew'] }, { CARDDAV_GROUPS: 'cards' });
  await using _linked = linked;
  const name = linked.server.names().find((each) => linked.server.text(each)?.includes('KIND:group')) ?? '';
  const text = linked.server.text(name) ?? '';
  linked.server.put(name, text.replace('VERSION:3.0', 'VERSION:2.1'));
  account.createPerson({ names: [{ givenName: 'Cleo', familyName: 'Lind' }] });
  for (let hour = 0; hour < 2; hour += 1) await linked.synced({ afterMs: HOUR_MS });
  expect(linked.server.names()).toHaveLength(4);
  expect(groupsOf(linked).labels).toEqual({ Ada: 'Crew', Ben: 'Crew', Cleo: '' });
});

test('R5: a group whose members are not united yet is united although the run that renamed it was cut off', async () => {
  const google = [person('Ada', { groups: ['Crew', 'Zoo'] }), person('Ben')];
  await using linked = await startSyncedSandbox({ google, service: [] });
  const { account } = linked.sandbox.google;
  const link = { buckets: ['*', '!Zoo'] };
  await linked.synced({ afterMs: HOUR_MS, link });
  account.setGroups(googleId(linked, 'Ben'), [MY_CONTACTS, labelId(linked, 'Zoo')]);
  await linked.synced({ afterMs: HOUR_MS, link });
  account.renameGroup(labelId(linked, 'Crew'), 'Team');
  account.renameGroup(labelId(linked, 'Zoo'), 'Zebra');
  const action = { kind: 'status', status: 401 } as const;
  linked.sandbox.service.addFault({ method: 'PATCH', path: 'buckets', skip: 1, times: 1, action });
  await linked.sync({ afterMs: HOUR_MS, link });
  for (let hour = 0; hour < 2; hour += 1) await linked.synced({ afterMs: HOUR_MS, link });
  const { service } = readSides(linked.sandbox);
  expect(service.map(({ name, groups }) => [name, groups])).toEqual([
    ['Ada Tester', ['Team', 'Zebra']],
    ['Ben Tester', ['Zebra']],
  ]);
});
