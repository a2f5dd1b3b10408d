import { expect, test } from 'vitest';
import { startFakeLink } from '../../support/carddav/fake-link.ts';

const HOUR_MS = 3_600_000;
const MY_CONTACTS = 'contactGroups/myContacts';
const NOTHING = '<d:multistatus xmlns:d="DAV:"/>';

/** A link to a server that finds nothing by a property that it does not support (SOGo), with two people in a label. */
const startSearchless = async () => {
  const linked = await startFakeLink(
    {
      intercept: (_, body) =>
        body.includes('addressbook-query')
          ? { status: 207, headers: { 'content-type': 'application/xml' }, body: NOTHING }
          : null,
    },
    { DELETE_LIMIT: '100%' },
  );
  const { account } = linked.sandbox.google;
  const label = account.createGroup('Crew');
  for (const name of ['Ada', 'Ben']) {
    const id = account.createPerson({ names: [{ givenName: name, familyName: 'Lind' }] });
    account.setGroups(id, [MY_CONTACTS, label]);
  }
  await linked.synced();
  const categories = (): readonly (string | undefined)[] =>
    linked.server.names().map((name) => /CATEGORIES:(.*)\r/u.exec(linked.server.text(name) ?? '')?.[1]);
  const members = (): number =>
    account
      .people()
      .filter(({ memberships = [] }) =>
        memberships.some(({ contactGroupMembership }) => contactGroupMembership?.contactGroupResourceName === label),
      ).length;
  /** Syncs, with a listing at the end that shows each card again. */
  const synced = async (): Promise<void> => {
    for (let hour = 0; hour < 2; hour += 1) await linked.synced({ afterMs: HOUR_MS });
    for (const name of linked.server.names()) linked.server.put(name, linked.server.text(name) ?? '');
    for (let hour = 0; hour < 2; hour += 1) await linked.synced({ afterMs: HOUR_MS });
  };
  const names = () => account.groups().map(({ name }) => name);
  return { linked, account, label, categories, members, names, synced };
};

test('R11: a label that is renamed keeps its members if the server finds no category', async () => {
  const { linked, account, label, categories, members, names, synced } = await startSearchless();
  await using _linked = linked;
  account.renameGroup(label, 'Team');
  await synced();
  expect([categories(), members(), names()]).toEqual([['Team', 'Team'], 2, ['Team']]);
});

test('R11: a label that is deleted does not come back if the server finds no category', async () => {
  const { linked, account, label, categories, names, synced } = await startSearchless();
  await using _linked = linked;
  account.deleteGroup(label);
  await synced();
  expect([categories(), names()]).toEqual([[undefined, undefined], []]);
});

test('R1, R15: a category whose rename one card refuses is not written to the other cards in each run', async () => {
  await using linked = await startFakeLink();
  const { account } = linked.sandbox.google;
  const label = account.createGroup('Crew');
  for (const name of ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve']) {
    const id = account.createPerson({ names: [{ givenName: name, familyName: 'Lind' }] });
    account.setGroups(id, ['contactGroups/myContacts', label]);
  }
  await linked.synced();
  account.renameGroup(label, 'Team');
  linked.server.set({
    intercept: ({ method }, body) => (method === 'PUT' && body.includes('FN:Cleo Lind') ? { status: 403 } : null),
  });
  await linked.synced({ afterMs: HOUR_MS });
  const puts = (): number =>
    linked.server.requests.filter(({ method, body }) => method === 'PUT' && !body.includes('FN:Cleo Lind')).length;
  const before = puts();
  for (let hour = 0; hour < 3; hour += 1) await linked.synced({ afterMs: HOUR_MS });
  expect(puts() - before).toBe(0);
  linked.server.set({ intercept: () => null });
  for (let hour = 0; hour < 2; hour += 1) await linked.synced({ afterMs: HOUR_MS });
  const categories = linked.server
    .names()
    .map((name) => /CATEGORIES:(.*)\r/u.exec(linked.server.text(name) ?? '')?.[1]);
  expect(categories).toEqual(Array.from({ length: 5 }, () => 'Team'));
});
