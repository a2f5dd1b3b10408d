import { expect, test } from 'vitest';
import { bySide, type Sides } from '../../../src/core/contact/side.ts';
import { googleId, labelId, person, serviceId } from '../../support/linked-people.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const grouped = (name: string, groups: readonly string[] = []) => person(name, { groups });

const CLIENTS = { GOOGLE_CONTACTS: 'Clients', SERVICE_CONTACTS: 'Clients' };
/** The service's contacts take part only with their like at Google. */
const GOOGLE_CHOOSES = { GOOGLE_CONTACTS: 'Clients', SERVICE_CONTACTS: '!*', SWEEP_INTERVAL: '1d' };

const BOOK = Array.from({ length: 500 }, (_, index) => {
  const labels = index % 25 < 3 ? ['Clients', 'Choir'] : index % 2 === 0 ? ['Choir'] : [];
  return grouped(`P${String(index).padStart(3, '0')}x`, labels);
});

const contactNamed = ({ sandbox }: LinkedSandbox, name: string) =>
  sandbox.service.account.contacts().find((contact) => contact.first_name === name);
const atService = ({ sandbox: { service } }: LinkedSandbox): readonly string[] =>
  service.account
    .contacts()
    .map(({ first_name: name }) => name ?? '')
    .toSorted();

const label = (linked: LinkedSandbox, name: string, ...labels: readonly string[]): void => {
  const ids = ['myContacts', ...labels].map((each) => labelId(linked, each) || `contactGroups/${each}`);
  linked.sandbox.google.account.setGroups(googleId(linked, name), ids);
};

const NOTHING = { created: 0, updated: 0, deleted: 0 };
const NO_WRITES = { left: NOTHING, right: NOTHING };

const sync = (linked: LinkedSandbox, options: Parameters<LinkedSandbox['sync']>[0] = {}) =>
  linked.synced({ afterMs: 60_000, ...options });

const withContacts = (linked: LinkedSandbox, contacts: Sides<readonly string[]>) => {
  const { sides } = linked.link;
  const link = { sides: bySide((side) => ({ ...sides[side], contacts: contacts[side] })) };
  return {
    plan: () => linked.plan('incremental', link),
    run: async () => (await linked.sync({ afterMs: 60_000, link })).summary,
  };
};

const counts = ({ app }: LinkedSandbox) => app.store.counts('default');

test('R18: of 500 contacts exactly the 60 with a label are synced; contacts without the label are unlinked and paired again without a write', async () => {
  await using linked = await startLinkedSandbox({ google: BOOK, service: [] }, GOOGLE_CHOOSES);
  expect((await sync(linked)).right.created).toBe(60);
  const clients = BOOK.filter(({ groups }) => groups.includes('Clients')).map(({ givenName }) => givenName);
  expect(atService(linked)).toEqual(clients.toSorted());
  expect(await counts(linked)).toMatchObject({ pairs: 60, unselected: { left: 440, right: 0 } });

  // The service shows what shares its newest stamps with each run: after a later edit, that is the edited one alone.
  linked.clock.advance(3_600_000);
  linked.sandbox.service.account.updateContact(serviceId(linked, clients[5] ?? ''), { title: 'Boss' });
  expect(await sync(linked)).toMatchObject({ left: { ...NOTHING, updated: 1 } });
  await sync(linked, { afterMs: 600_000 });
  const idle = { left: { requests: 2 }, right: { requests: 2 } };
  expect(await sync(linked)).toMatchObject(idle);

  const [one = '', ...two] = clients.slice(0, 3);
  for (const name of [one, ...two]) label(linked, name, 'Choir');
  expect(await sync(linked)).toMatchObject(NO_WRITES);
  expect(await counts(linked)).toMatchObject({ pairs: 57, unselected: { left: 443, right: 3 } });
  expect(atService(linked)).toEqual(clients.toSorted());

  // Edits on either side are not propagated.
  linked.sandbox.google.account.updatePerson(googleId(linked, one), { organizations: [{ title: 'Baker' }] });
  expect(await sync(linked)).toMatchObject(NO_WRITES);
  expect(contactNamed(linked, one)?.title ?? '').toBe('');
  expect(await sync(linked)).toMatchObject(idle);

  for (const name of two) label(linked, name, 'Clients', 'Choir');
  expect(await sync(linked)).toMatchObject({ ...NO_WRITES, paired: 2 });
  expect(await counts(linked)).toMatchObject({ pairs: 59, unselected: { left: 441, right: 1 } });
  label(linked, one, 'Clients', 'Choir');
  expect(await sync(linked)).toMatchObject({ left: NOTHING, right: { ...NOTHING, updated: 1 } });
  expect(contactNamed(linked, one)?.title).toBe('Baker');
  expect(await sync(linked, { kind: 'full' })).toMatchObject({ ...NO_WRITES, paired: 0, conflicts: 0 });
});

const PEOPLE = [grouped('Ada', ['Clients']), grouped('Ben', ['Clients']), grouped('Cid'), grouped('Dot')];

test('R18: contacts that a mirrored label selects are paired with counterparts that the other side does not select, without duplicates', async () => {
  const service = [grouped('Ada'), grouped('Cid'), grouped('Eve')];
  await using linked = await startLinkedSandbox({ google: PEOPLE, service }, CLIENTS);
  expect(await sync(linked)).toMatchObject({ paired: 1, right: { created: 1 } });
  expect(atService(linked)).toEqual(['Ada', 'Ben', 'Cid', 'Eve']);
  expect(linked.sandbox.google.account.people()).toHaveLength(4);
  // Later, a selected contact is paired with a counterpart that no run has read since.
  label(linked, 'Cid', 'Clients');
  expect(await sync(linked)).toMatchObject({ paired: 1, left: NOTHING, right: { created: 0 } });
  expect(await counts(linked)).toMatchObject({ pairs: 3, unselected: { left: 1, right: 1 } });
});

test('R18: a contact that is deleted while unlinked is not deleted on the other side, and created again when that is selected', async () => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] }, GOOGLE_CHOOSES);
  await sync(linked);
  label(linked, 'Ada');
  await sync(linked);
  linked.sandbox.service.account.deleteContact(serviceId(linked, 'Ada'));
  expect(await sync(linked, { kind: 'full' })).toMatchObject(NO_WRITES);
  expect(googleId(linked, 'Ada')).not.toBe('');
  label(linked, 'Ada', 'Clients');
  expect(await sync(linked)).toMatchObject({ left: NOTHING, right: { ...NOTHING, created: 1 } });
  expect(atService(linked)).toEqual(['Ada', 'Ben']);
});

test('R18, R11: a contact whose label is refused stays linked until the label is written, and is then unlinked', async () => {
  const people = [grouped('Ada', ['Clients']), grouped('Ben', ['Clients', 'Choir'])];
  await using linked = await startLinkedSandbox({ google: people, service: [] }, CLIENTS);
  const { google, service } = linked.sandbox;
  await sync(linked);
  google.account.createGroup('Team');
  label(linked, 'Ada', 'Choir', 'Team');
  service.addFault({ method: 'POST', path: '/buckets$', action: { kind: 'status', status: 422 } });
  await sync(linked);
  expect(await counts(linked)).toMatchObject({ pairs: 2 });
  service.clearFaults();
  await sync(linked, { kind: 'full' });
  const buckets = new Map(service.account.buckets().map(({ id, name }) => [id, name]));
  const joined = contactNamed(linked, 'Ada')?.bucketIds.map((id) => buckets.get(id));
  expect(joined?.toSorted()).toEqual(['Choir', 'Team']);
  expect(await counts(linked)).toMatchObject({ pairs: 1 });
});

test('R18, R15: a contact with a refused title stays selected and linked until the title is written', async () => {
  await using linked = await startLinkedSandbox({ google: [grouped('Ada', ['Clients'])], service: [] }, CLIENTS);
  const { google, service } = linked.sandbox;
  await sync(linked);
  const ada = googleId(linked, 'Ada');
  google.account.updatePerson(ada, { ...google.account.person(ada), organizations: [{ title: 'Countess' }] });
  label(linked, 'Ada');
  const refused = { method: 'PATCH', path: '/contacts/', times: 10, action: { kind: 'status', status: 422 } } as const;
  service.addFault(refused);
  // The first run meets the refusal, the second one waits for the next attempt.
  for (let run = 0; run < 2; run += 1) {
    await sync(linked);
    expect([await counts(linked), contactNamed(linked, 'Ada')?.bucketIds.length]).toMatchObject([{ pairs: 1 }, 1]);
  }
  service.clearFaults();
  await linked.synced({ afterMs: 25 * 3_600_000 });
  expect(contactNamed(linked, 'Ada')).toMatchObject({ title: 'Countess', bucketIds: [] });
  expect(await counts(linked)).toMatchObject({ pairs: 0 });
});

test('R18: a changed selection is shown by plan, unlinks without a write, and pairs the same contacts again when it is reverted', async () => {
  const people = Array.from({ length: 40 }, (_, index) => grouped(`P${index}x`, index < 4 ? ['VIP'] : []));
  await using linked = await startLinkedSandbox({ google: people, service: [] });
  await sync(linked);
  const vip = withContacts(linked, { left: ['VIP', 'starred'], right: ['tag:gold'] });
  const { changes, halt, kind } = await vip.plan();
  expect([kind, halt]).toEqual(['full', null]);
  expect(changes.map(({ action }) => action)).toEqual(Array.from({ length: 36 }, () => 'unlink'));
  expect(await vip.run()).toMatchObject({ outcome: 'completed', ...NO_WRITES });
  expect(await counts(linked)).toMatchObject({ pairs: 4, unselected: { left: 36, right: 36 } });
  expect(atService(linked)).toHaveLength(40);

  // A star at Google and a tag at the service select too.
  label(linked, 'P10x', 'starred');
  linked.sandbox.service.account.updateContact(serviceId(linked, 'P11x'), { tags: ['Gold'] });
  expect(await vip.run()).toMatchObject({ outcome: 'completed', ...NO_WRITES });
  expect(await counts(linked)).toMatchObject({ pairs: 6, unselected: { left: 34, right: 34 } });

  const everybody = withContacts(linked, { left: ['*'], right: ['*'] });
  expect(await everybody.run()).toMatchObject({ outcome: 'completed', ...NO_WRITES });
  expect(await counts(linked)).toMatchObject({ pairs: 40, unselected: { left: 0, right: 0 } });
  expect(await everybody.run()).toMatchObject({ kind: 'incremental' });
});
