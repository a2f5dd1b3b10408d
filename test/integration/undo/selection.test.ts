import { expect, test } from 'vitest';
import { USUAL_FIELDS } from '../../../src/core/contact/contact.ts';
import { googleId, labelId, person, serviceId } from '../../support/linked-people.ts';
import { startLinkedSandbox, type LinkedSandbox, type Program } from '../../support/linked-sandbox.ts';

type Variables = Readonly<Record<string, string>>;

/** Google chooses; the service's contacts take part with their like alone. */
const CLIENTS: Variables = { GOOGLE_CONTACTS: 'Clients', SERVICE_CONTACTS: '!*', DELETE_LIMIT: '100%' };

const start = (): Promise<LinkedSandbox> =>
  startLinkedSandbox(
    { google: ['Ada', 'Ben'].map((name) => person(name, { groups: ['Clients'] })), service: [] },
    { SWEEP_INTERVAL: '1d' },
  );

const withProgram = <T>(linked: LinkedSandbox, variables: Variables, use: (program: Program) => Promise<T>) => {
  linked.clock.advance(60_000);
  return linked.reopened({ SWEEP_INTERVAL: '1d', ...variables }, use);
};

const sync = (linked: LinkedSandbox, variables: Variables, kind: 'incremental' | 'full' = 'incremental') =>
  withProgram(linked, variables, (program) => program.synced({ kind }));

const undo = (linked: LinkedSandbox, variables: Variables, id: string) =>
  withProgram(linked, variables, async (program) => {
    const { result, report } = await program.undo(id, { accepts: { kind: 'losses' } });
    expect(result.error).toBeNull();
    return { summary: result.summary, refused: report.refused };
  });

const NOTHING = { created: 0, updated: 0, deleted: 0 };

const expectQuiet = async (linked: LinkedSandbox, variables: Variables): Promise<void> => {
  for (const kind of ['incremental', 'full'] as const) {
    expect(await sync(linked, variables, kind)).toMatchObject({ left: NOTHING, right: NOTHING, conflicts: 0 });
  }
};

const titleAtGoogle = ({ sandbox }: LinkedSandbox, name: string) =>
  sandbox.google.account.people().find(({ names }) => names?.[0]?.givenName === name)?.organizations?.[0]?.title;
const atService = ({ sandbox }: LinkedSandbox, name: string) =>
  sandbox.service.account.contacts().find((contact) => contact.first_name === name);
const setTitle = (linked: LinkedSandbox, name: string, title: string): void => {
  linked.sandbox.google.account.updatePerson(googleId(linked, name), { organizations: [{ title }] });
};
const label = (linked: LinkedSandbox, name: string, ...labels: readonly string[]): void => {
  const ids = labels.map((each) => labelId(linked, each));
  linked.sandbox.google.account.setGroups(googleId(linked, name), ['contactGroups/myContacts', ...ids]);
};

const pairs = ({ app }: LinkedSandbox) => app.store.counts('default');

test('R18: an undo does not write to contacts that are unlinked since, and they are paired again when one is selected', async () => {
  await using linked = await start();
  await sync(linked, CLIENTS);
  setTitle(linked, 'Ada', 'Baker');
  const { run, right } = await sync(linked, CLIENTS);
  expect(right.updated).toBe(1);
  label(linked, 'Ada');
  await sync(linked, CLIENTS);
  expect(await pairs(linked)).toMatchObject({ pairs: 1, unselected: { left: 1, right: 1 } });

  const { summary, refused } = await undo(linked, CLIENTS, run);
  expect(refused).toMatchObject([{ side: 'right', field: null, reason: 'it is no longer linked' }]);
  expect(summary).toMatchObject({ left: NOTHING, right: NOTHING });
  expect(atService(linked, 'Ada')?.title).toBe('Baker');

  label(linked, 'Ada', 'Clients');
  await expectQuiet(linked, CLIENTS);
  expect(await pairs(linked)).toMatchObject({ pairs: 2, unselected: { left: 0, right: 0 } });
});

test('R18: an undo after a change of the selection restores a deleted contact, and it stays on a side that does not select it', async () => {
  await using linked = await start();
  await sync(linked, CLIENTS);
  linked.sandbox.google.account.deletePerson(googleId(linked, 'Ada'));
  const { run, right } = await sync(linked, CLIENTS);
  expect(right.deleted).toBe(1);
  const noContacts = { ...CLIENTS, GOOGLE_CONTACTS: '!*' };
  const { summary } = await undo(linked, noContacts, run);
  expect(summary).toMatchObject({ left: NOTHING, right: { ...NOTHING, created: 1 } });
  await expectQuiet(linked, noContacts);
  expect(atService(linked, 'Ada')).toBeDefined();
  expect(googleId(linked, 'Ada')).toBe('');
  expect(googleId(linked, 'Ben')).not.toBe('');
  expect(await pairs(linked)).toMatchObject({ pairs: 0, unselected: { left: 1, right: 1 } });
});

const ONE_WAY: Variables = { ...CLIENTS, DIRECTION: 'to-service' };

test('the undo of a one-way link with a selection writes only the target, and the next run changes nothing', async () => {
  await using linked = await start();
  await sync(linked, ONE_WAY);
  for (const name of ['Ada', 'Ben']) setTitle(linked, name, 'Baker');
  const { run } = await sync(linked, ONE_WAY);
  const { summary, refused } = await undo(linked, ONE_WAY, run);
  expect(refused).toEqual([]);
  expect(summary).toMatchObject({ left: NOTHING, right: { ...NOTHING, updated: 2 } });
  await expectQuiet(linked, ONE_WAY);
  for (const name of ['Ada', 'Ben']) {
    expect(atService(linked, name)?.title ?? '').toBe('');
    expect(titleAtGoogle(linked, name)).toBe('Baker');
  }
});

test('an undo refuses a field that is no longer synced, and reverts the others', async () => {
  await using linked = await start();
  const withNickname: Variables = { FIELDS: 'default,nickname' };
  await sync(linked, withNickname);
  const change = { nicknames: [{ value: 'Addie' }], organizations: [{ title: 'Baker' }] };
  linked.sandbox.google.account.updatePerson(googleId(linked, 'Ada'), change);
  const { run } = await sync(linked, withNickname);
  expect(atService(linked, 'Ada')).toMatchObject({ title: 'Baker' });
  await sync(linked, {});
  const { summary, refused } = await undo(linked, {}, run);
  expect(refused).toMatchObject([{ side: 'right', field: 'nickname', reason: 'the link does not sync this field' }]);
  expect(summary).toMatchObject({ left: NOTHING, right: { ...NOTHING, updated: 1 } });
  expect(atService(linked, 'Ada')?.title ?? '').toBe('');
  await expectQuiet(linked, {});
});

test('an undo deletes a contact that was created with a field that is no longer synced', async () => {
  await using linked = await start();
  setTitle(linked, 'Ada', 'Baker');
  const { run } = await sync(linked, {});
  const withoutTitle = { FIELDS: USUAL_FIELDS.filter((field) => field !== 'title').join(',') };
  await sync(linked, withoutTitle);
  const { summary, refused } = await undo(linked, withoutTitle, run);
  expect(refused).toEqual([]);
  expect(summary).toMatchObject({ left: NOTHING, right: { ...NOTHING, deleted: 2 } });
  expect(linked.sandbox.service.account.contacts()).toEqual([]);
});

test.each([
  ['the link became one-way', 'the link does not write to this side'],
  ['its contact was deleted', 'it was deleted since'],
  ['its counterpart was deleted', 'its counterpart no longer exists'],
])('an undo of an update is refused, and writes nothing, after %s', async (cause, reason) => {
  await using linked = await start();
  await sync(linked, {});
  setTitle(linked, 'Ada', 'Baker');
  const { run } = await sync(linked, {});
  const { google, service } = linked.sandbox;
  if (cause === 'its contact was deleted') service.account.deleteContact(serviceId(linked, 'Ada'));
  if (cause === 'its counterpart was deleted') google.account.deletePerson(googleId(linked, 'Ada'));
  const variables: Variables = cause === 'the link became one-way' ? { DIRECTION: 'to-google' } : {};
  const { summary, refused } = await undo(linked, variables, run);
  expect(refused).toMatchObject([{ side: 'right', field: null, reason }]);
  expect(summary).toMatchObject({ left: NOTHING, right: NOTHING });
});
