import { expect, test } from 'vitest';
import { startFakeLink } from '../../support/carddav/fake-link.ts';
import type { FakeSettings } from '../../support/carddav/fake-server.ts';
import { refuseWrite, startLabelled } from '../../support/carddav/labelled-link.ts';

// Groups of Google and categories of cards, in which a category is its own id: a rename makes another group.

const labelNames = ({ account }: Awaited<ReturnType<typeof startLabelled>>) => account.groups().map(({ name }) => name);

test('R11: a contact that joins a label in the run that renames it is in the renamed category', async () => {
  await using link = await startLabelled({ Ada: ['Crew'], Ben: [] });
  expect(link.categories()).toEqual({ Ada: 'Crew', Ben: '' });
  link.account.renameGroup(link.label('Crew'), 'Team');
  link.setLabels('Ben', 'Team');
  await link.hours(2);
  expect(link.categories()).toEqual({ Ada: 'Team', Ben: 'Team' });
  expect(labelNames(link)).not.toContain('Crew');
});

test('R11: a label that replaces a deleted one of its name keeps its members in the category', async () => {
  await using link = await startLabelled({ Ada: ['Crew'], Ben: [] });
  link.account.deleteGroup(link.label('Crew'));
  link.setLabels('Ada');
  link.setLabels('Ben', 'Crew');
  await link.hours(3);
  expect(link.categories()).toEqual({ Ada: '', Ben: 'Crew' });
  expect(labelNames(link)).toEqual(['Crew']);
});

test.each([
  ['leaves the label', 'leave'],
  ['is deleted', 'delete'],
] as const)('R11, R6: a contact that %s while or after a label is renamed does so in the category', async (_, edit) => {
  for (const isLater of [true, false]) {
    await using link = await startLabelled({ Ada: ['Crew'], Ben: ['Crew'] });
    link.account.renameGroup(link.label('Crew'), 'Team');
    if (isLater) await link.hours(1);
    if (edit === 'leave') link.setLabels('Ada');
    else link.account.deletePerson(link.personId('Ada'));
    await link.hours(2);
    const both = { ...(edit === 'leave' && { Ada: '' }), Ben: 'Team' };
    expect([link.labels(), link.categories()]).toEqual([both, both]);
  }
});

test('R3: a contact that leaves a label, after it was created in a run that renamed another one, leaves its category', async () => {
  await using link = await startLabelled({ Ada: ['Crew'], Ben: ['Crew'] });
  link.account.renameGroup(link.label('Crew'), 'Team');
  link.setLabels('Ada', 'Team', 'Zoo');
  await link.hours(1);
  expect(link.categories()).toEqual({ Ada: 'Team,Zoo', Ben: 'Team' });
  link.setLabels('Ada', 'Team');
  await link.hours(1);
  const both = { Ada: 'Team', Ben: 'Team' };
  expect([link.labels(), link.categories()]).toEqual([both, both]);
});

test('R11: a label does not get the category of another label whose own rename was refused', async () => {
  const people = { Ada: ['A'], Ben: ['B'], Cleo: ['A', 'B'] };
  await using link = await startLabelled(people, {}, { DELETE_LIMIT: '100%' });
  link.account.renameGroup(link.label('B'), 'C');
  link.account.renameGroup(link.label('A'), 'B');
  refuseWrite(link, 1);
  await link.hours(3);
  const renamed = { Ada: 'B', Ben: 'C', Cleo: 'B,C' };
  expect([link.labels(), link.categories()]).toEqual([renamed, renamed]);
});

test.each([
  ['is new', {}],
  ['BUCKETS leaves out', { BUCKETS: '*, !Team' }],
  ['stayed when its label was deleted', { DELETE_POLICY: 'keep' }],
])(
  'R11: a label that gets the name of a category that %s waits until that has no other members',
  async (_, variables) => {
    const isKept = 'DELETE_POLICY' in variables;
    await using link = await startLabelled({ Ada: ['Crew'], Ben: [], Cleo: isKept ? ['Team'] : [] }, {}, variables);
    if (isKept) link.account.deleteGroup(link.label('Team'));
    else link.addLine(link.cardWith('FN:Cleo'), 'CATEGORIES:Team');
    await link.hours('BUCKETS' in variables || isKept ? 1 : 0);
    link.account.renameGroup(link.label('Crew'), 'Team');
    await link.hours(1);
    link.setLabels('Ben', 'Team');
    await link.hours(2);
    expect(link.labels()).toEqual({ Ada: 'Team', Ben: 'Team', Cleo: '' });
    expect(link.categories()).toEqual({ Ada: 'Crew', Ben: 'Crew', Cleo: 'Team' });
    link.server.put(
      link.cardWith('FN:Cleo'),
      (link.server.text(link.cardWith('FN:Cleo')) ?? '').replace('Team', 'Zoo'),
    );
    await link.hours(2);
    expect(link.categories()).toEqual({ Ada: 'Team', Ben: 'Team', Cleo: 'Zoo' });
  },
);

test('R11: a label and its category that their users rename alike stay linked, with a new member', async () => {
  await using link = await startLabelled({ Ada: ['Crew'], Cleo: [] }, {}, { DELETE_LIMIT: '100%' });
  link.account.renameGroup(link.label('Crew'), 'Team');
  const card = link.cardWith('FN:Ada');
  link.server.put(card, (link.server.text(card) ?? '').replace('CATEGORIES:Crew', 'CATEGORIES:Team'));
  link.addLine(link.cardWith('FN:Cleo'), 'CATEGORIES:Team');
  await link.hours(2);
  const both = { Ada: 'Team', Cleo: 'Team' };
  expect([link.labels(), link.categories(), labelNames(link)]).toEqual([both, both, ['Team']]);
});

test('R11: a category that a card did not lose at its rename is removed by a later run', async () => {
  await using link = await startLabelled({ Ada: ['Crew'], Ben: ['Crew'] });
  link.account.renameGroup(link.label('Crew'), 'Team');
  refuseWrite(link, 4);
  await link.hours(3);
  expect(link.categories()).toEqual({ Ada: 'Team', Ben: 'Team' });
  expect(labelNames(link)).not.toContain('Crew');
});

test('R1, R11, R15: a rename that one card refuses removes the label from no contact, is not written to the other cards in each run, and is done when the card accepts it', async () => {
  await using link = await startLabelled({ Ada: ['Crew'], Ben: ['Crew'], Cleo: ['Crew'], Dan: ['Crew'] });
  const all = { Ada: 'Team', Ben: 'Team', Cleo: 'Team', Dan: 'Team' };
  link.account.renameGroup(link.label('Crew'), 'Team');
  link.refuse('FN:Cleo Lind');
  await link.hours(1);
  const puts = () => link.server.requests.filter(({ method, body }) => method === 'PUT' && !body.includes('FN:Cleo'));
  const before = puts().length;
  await link.hours(3);
  expect([link.labels(), puts().length - before]).toEqual([all, 0]);
  link.refuse(null);
  await link.hours(2);
  expect([link.labels(), link.categories()]).toEqual([all, all]);
  expect(labelNames(link)).not.toContain('Crew');
});

test('a link to a side does not remove the former category of a renamed one there', async () => {
  await using link = await startLabelled({ Ada: ['Crew'], Ben: ['Crew'] });
  link.account.renameGroup(link.label('Crew'), 'Team');
  link.server.set({
    intercept: ({ method }, body) =>
      method === 'PUT' && body.includes('FN:Ben') && !body.includes('Crew') ? { status: 403 } : null,
  });
  await link.hours(1);
  link.refuse(null);
  await link.synced({ afterMs: 3_600_000, link: { direction: 'to-left' } });
  expect(link.categories()).toEqual({ Ada: 'Team', Ben: 'Crew,Team' });
  await link.hours(1);
  expect(link.categories()).toEqual({ Ada: 'Team', Ben: 'Team' });
});

test.each(['Bu\u0308ro', 'Key\u00A0Account', 'A  B', ' Lead'])(
  'R11: a label that is renamed to %j keeps its members, and the edits of both sides to it are synced',
  async (name) => {
    await using link = await startLabelled({ Ada: ['Crew'], Ben: ['Crew'], Cleo: [] });
    link.account.renameGroup(link.label('Crew'), name);
    await link.hours(1);
    link.setLabels('Ada');
    link.addLine(link.cardWith('FN:Cleo'), `CATEGORIES:${name}`);
    await link.hours(2);
    const plain = (text: string): string => text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
    const both = { Ada: '', Ben: plain(name), Cleo: plain(name) };
    for (const names of [link.labels(), link.categories()]) {
      expect(Object.fromEntries(Object.entries(names).map(([who, own]) => [who, plain(own)]))).toEqual(both);
    }
    expect(labelNames(link)).toEqual([name]);
  },
);

test('R18: a category that is renamed still selects its contacts, so that an edit of the same interval is written', async () => {
  const selection = { GOOGLE_CONTACTS: '!*', CARDDAV_CONTACTS: 'Fam*' };
  await using linked = await startFakeLink({}, selection);
  const { account } = linked.sandbox.google;
  const label = account.createGroup('Fam Crew');
  const ada = account.createPerson({
    names: [{ givenName: 'Ada', familyName: 'Lind' }],
    emailAddresses: [{ value: 'ada@example.org' }],
    phoneNumbers: [{ value: '+493012345678' }],
  });
  account.setGroups(ada, ['contactGroups/myContacts', label]);
  const card = ['VERSION:3.0', 'UID:a', 'FN:Ada Lind', 'N:Lind;Ada;;;', 'EMAIL:ada@example.org', 'CATEGORIES:Fam Crew'];
  linked.server.put('a.vcf', ['BEGIN:VCARD', ...card, 'TEL:+493012345678', 'END:VCARD', ''].join('\r\n'));
  await linked.synced();
  account.renameGroup(label, 'Fam Team');
  account.updatePerson(ada, { phoneNumbers: [] });
  for (let hour = 0; hour < 2; hour += 1) await linked.synced({ afterMs: 3_600_000 });
  expect(linked.server.text('a.vcf')).not.toContain('TEL');
  expect(account.people()[0]?.phoneNumbers ?? []).toEqual([]);
  expect((await linked.app.store.counts('home')).pairs).toBe(1);
});

test('R11: the undo of an undo restores a card with its categories', async () => {
  await using link = await startLabelled({});
  link.addPerson('Ada', 'Choir');
  let { run } = await link.synced({ afterMs: 60_000 });
  for (const expected of [{ Ada: 'Choir' }, {}, { Ada: 'Choir' }]) {
    expect(link.categories()).toEqual(expected);
    link.clock.advance(60_000);
    run = (await link.reopened((program) => program.undo(run))).result.summary.run;
  }
});

/** A server that finds nothing by a property that it does not support (SOGo). */
const SEARCHLESS: Partial<FakeSettings> = {
  intercept: (_, body) =>
    body.includes('addressbook-query')
      ? { status: 207, headers: { 'content-type': 'application/xml' }, body: '<d:multistatus xmlns:d="DAV:"/>' }
      : null,
};

test.each([
  ['renamed keeps its members', 'Team'],
  ['deleted does not come back', null],
])('R11: a label that is %s if the server finds no category', async (_, name) => {
  await using link = await startLabelled({ Ada: ['Crew'], Ben: ['Crew'] }, SEARCHLESS, { DELETE_LIMIT: '100%' });
  if (name === null) link.account.deleteGroup(link.label('Crew'));
  else link.account.renameGroup(link.label('Crew'), name);
  await link.hours(2);
  // A listing that shows each card again.
  for (const card of link.server.names()) link.server.put(card, link.server.text(card) ?? '');
  await link.hours(2);
  const both = { Ada: name ?? '', Ben: name ?? '' };
  expect([link.labels(), link.categories()]).toEqual([both, both]);
  expect(labelNames(link)).toEqual(name === null ? [] : [name]);
});
