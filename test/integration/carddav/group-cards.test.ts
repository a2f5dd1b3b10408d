import { expect, test } from 'vitest';
import type { FakeSettings } from '../../support/carddav/fake-server.ts';
import { startLabelled } from '../../support/carddav/labelled-link.ts';

const WITHOUT_SEARCH: Partial<FakeSettings> = {
  intercept: (_, body) => (body.includes('addressbook-query') ? { status: 501 } : null),
};

/** A Google account with two members of a label, and an address book in which the label is a group card. */
const startGrouped = async (settings: Partial<FakeSettings>) => {
  const variables = { CARDDAV_GROUPS: 'cards', DELETE_LIMIT: '100%' };
  const link = await startLabelled({ Ada: ['Crew'], Ben: ['Crew'] }, settings, variables);
  const group = link.cardWith('X-ADDRESSBOOKSERVER-KIND:group');
  return { ...link, group, text: link.server.text(group) ?? '' };
};

const MEMBERS = { Ada: 'Crew', Ben: 'Crew' };

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
  await using link = await startGrouped(settings);
  const { account, group, server, text } = link;
  server.put(group, broken(text));
  link.addLine(link.cardWith('FN:Ada'), 'TITLE:Cook');
  link.addPerson('Cleo');
  await link.hours(2);
  await link.reopened((program) => program.synced({ kind: 'full' }));
  expect([link.labels(), server.names().length]).toEqual([{ ...MEMBERS, Cleo: '' }, 4]);
  server.put(group, text);
  link.addLine(link.cardWith('FN:Ben'), 'TITLE:Cook');
  await link.hours(2);
  expect([link.labels(), server.text(group)]).toEqual([{ ...MEMBERS, Cleo: '' }, text]);
  server.remove(group);
  await link.hours(1);
  expect(account.groups()).toEqual([]);
});

test.each([
  ['with a search', {}],
  ['without a search', WITHOUT_SEARCH],
] as const)('R17: no contact loses its label if a server %s leaves out a group card once', async (_, settings) => {
  for (const isNew of [true, false]) {
    await using link = await startGrouped(settings);
    const { group, server, text } = link;
    // The cursor of the first run does not contain the group card.
    if (!isNew) await link.hours(1);
    link.addLine(link.cardWith('FN:Ada'), 'TITLE:Cook');
    server.set({ leavesOut: [group], hidden: isNew ? [] : [group] });
    await link.hours(1);
    server.set({ leavesOut: [], hidden: [] });
    await link.reopened((program) => program.synced());
    await link.hours(1);
    expect([link.labels(), server.text(group)]).toEqual([MEMBERS, text]);
  }
});
