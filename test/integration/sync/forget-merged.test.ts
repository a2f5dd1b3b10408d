import { expect, test } from 'vitest';
import { planForgetting } from '../../../src/engine/history/forget.ts';
import { EMPTY_PERSON, type Person } from '../../../src/sandbox/people/person.ts';
import { changeLink } from '../../../src/engine/change-link.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const HOUR_MS = 60 * 60_000;

const quill = (address: string): Person => ({
  ...EMPTY_PERSON,
  givenName: 'Zoe',
  familyName: 'Quill',
  emails: [{ value: address, label: null }],
});

const parts = ({ app, clock }: LinkedSandbox) => ({
  store: app.store,
  clock,
  newId: () => 'forget-merged',
  holders: app.holders,
});

const syncLater = async (linked: LinkedSandbox): Promise<void> => {
  const { error } = await linked.sync({ afterMs: HOUR_MS });
  expect(error).toBeNull();
};

/** The stored halves and the journal, in lower case. */
const storedOf = async ({ app }: LinkedSandbox): Promise<string> => {
  const stored = [
    await app.store.halves('default', { by: 'all' }),
    await app.store.journal('default', { fromId: 0, limit: 1_000 }),
  ];
  return JSON.stringify(stored).toLowerCase();
};

test('erasing a merge survivor removes its values from the journal entry of the merge', async () => {
  const ada: Person = { ...EMPTY_PERSON, givenName: 'Ada', familyName: 'King' };
  await using linked = await startLinkedSandbox({
    google: [quill('one@quill.test'), quill('two@quill.test'), ada, { ...ada, givenName: 'Bea' }],
    service: [],
  });
  await linked.sync();
  const { account } = linked.sandbox.google;
  const idOf = (address: string): string =>
    account.people().find(({ emailAddresses }) => emailAddresses?.[0]?.value === address)?.resourceName ?? '';
  const survivor = idOf('one@quill.test');
  account.mergePeople(survivor, [idOf('two@quill.test')]);
  await syncLater(linked);
  await syncLater(linked);
  account.deletePerson(account.people().find(({ names }) => names?.[0]?.familyName === 'Quill')?.resourceName ?? '');
  await syncLater(linked);
  await syncLater(linked);
  expect(await storedOf(linked)).toContain('quill');

  const [person] = await planForgetting(linked.app.store, 'default', 'one@quill.test', linked.clock.now());
  expect(person).toMatchObject({ standing: [], isPending: false });
  await changeLink(parts(linked), 'default', () => person?.changes ?? []);
  expect(await storedOf(linked)).not.toContain('quill');
});
