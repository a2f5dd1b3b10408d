import { expect, test } from 'vitest';
import type { FakeSettings } from '../../support/carddav/fake-server.ts';
import { startFakeLink } from '../../support/carddav/fake-link.ts';

const MY_CONTACTS = 'contactGroups/myContacts';
const HOUR_MS = 3_600_000;

const WITHOUT_SEARCH: Partial<FakeSettings> = {
  intercept: (_, body) => (body.includes('addressbook-query') ? { status: 501 } : null),
};

/** A Google account with two members of a label, and an address book in which the label is a group card. */
const startGrouped = async (settings: Partial<FakeSettings>) => {
  const linked = await startFakeLink(settings, { CARDDAV_GROUPS: 'cards', DELETE_LIMIT: '100%' });
  const { account } = linked.sandbox.google;
  const label = account.createGroup('Crew');
  for (const givenName of ['Ada', 'Ben']) {
    account.setGroups(account.createPerson({ names: [{ givenName, familyName: 'Lind' }] }), [MY_CONTACTS, label]);
  }
  await linked.synced();
  const { server } = linked;
  const nameOf = (part: string): string =>
    server.names().find((name) => server.text(name)?.includes(part) === true) ?? expect.fail(`no card with ${part}`);
  const group = nameOf('X-ADDRESSBOOKSERVER-KIND:group');
  const labelled = (): readonly string[] =>
    account
      .people()
      .filter(({ memberships = [] }) =>
        memberships.some(({ contactGroupMembership }) => contactGroupMembership?.contactGroupResourceName === label),
      )
      .map(({ names }) => names?.[0]?.givenName ?? '');
  const edit = (name: string, line: string): void =>
    server.put(name, (server.text(name) ?? '').replace('END:', `${line}\r\nEND:`));
  return { linked, account, group, text: server.text(group) ?? '', labelled, nameOf, edit };
};

const BROKEN: readonly (readonly [string, (text: string) => string])[] = [
  ['has version 2.1', (text) => text.replace('VERSION:3.0', 'VERSION:2.1')],
  ['contains two vCards', (text) => text + text],
];

test.each(
  BROKEN.flatMap(([reason, broken]) => [
    [reason, broken, {}] as const,
    [`${reason}, on a server without a search`, broken, WITHOUT_SEARCH] as const,
  ]),
)('R15, R7: a group card that %s ends no run, and its label keeps its members', async (_, broken, settings) => {
  const { linked, account, group, text, labelled, nameOf, edit } = await startGrouped(settings);
  await using _linked = linked;
  linked.server.put(group, broken(text));
  edit(nameOf('FN:Ada'), 'TITLE:Cook');
  account.createPerson({ names: [{ givenName: 'Cleo', familyName: 'Lind' }] });
  for (let hour = 0; hour < 2; hour += 1) await linked.synced({ afterMs: HOUR_MS });
  await linked.reopened((program) => program.synced({ kind: 'full' }));
  expect([labelled(), linked.server.names().length]).toEqual([['Ada', 'Ben'], 4]);
  linked.server.put(group, text);
  edit(nameOf('FN:Ben'), 'TITLE:Cook');
  for (let hour = 0; hour < 2; hour += 1) await linked.synced({ afterMs: HOUR_MS });
  expect([labelled(), linked.server.text(group)]).toEqual([['Ada', 'Ben'], text]);
  linked.server.remove(group);
  await linked.synced({ afterMs: HOUR_MS });
  expect(account.groups()).toEqual([]);
});

test.each([
  ['with a search', {}],
  ['without a search', WITHOUT_SEARCH],
] as const)('R17: no contact loses its label if a server %s leaves out a group card once', async (_, settings) => {
  for (const isNew of [true, false]) {
    const { linked, group, text, labelled, nameOf, edit } = await startGrouped(settings);
    await using _linked = linked;
    // The cursor of the first run does not contain the group card.
    if (!isNew) await linked.synced({ afterMs: HOUR_MS });
    edit(nameOf('FN:Ada'), 'TITLE:Cook');
    linked.server.set({ leavesOut: [group], hidden: isNew ? [] : [group] });
    await linked.synced({ afterMs: HOUR_MS });
    linked.server.set({ leavesOut: [], hidden: [] });
    await linked.reopened((program) => program.synced());
    await linked.synced({ afterMs: HOUR_MS });
    expect([labelled(), linked.server.text(group)]).toEqual([['Ada', 'Ben'], text]);
  }
});
