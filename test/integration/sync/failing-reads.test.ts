import { expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { readGroupNames } from '../../support/compare-sides.ts';
import { GOOGLE_FAULT, startFailing } from './failing-proxy.ts';

const MINUTE_MS = 60_000;
const PEOPLE = ['Ada', 'Ben', 'Cleo', 'Zoe'].map((givenName) => ({ ...EMPTY_PERSON, givenName, familyName: 'Tester' }));
const MY_CONTACTS = 'contactGroups/myContacts';

test('R15, R7: a contact at whose read Google fails ends no run, and counts as nothing', async () => {
  let odd = '-';
  const isOdd = (path: string): boolean => path.includes(':batchGet') && decodeURIComponent(path).includes(odd);
  await using linked = await startFailing('google', ({ path }) => (isOdd(path) ? GOOGLE_FAULT : null), {
    google: PEOPLE,
    service: [],
  });
  const { google, service } = linked.sandbox;
  expect((await linked.sync()).error).toBeNull();
  const idOf = (name: string) =>
    google.account.people().find(({ names }) => names?.[0]?.givenName === name)?.resourceName ?? '-';
  odd = idOf('Zoe');
  linked.clock.advance(30 * MINUTE_MS);
  google.account.deletePerson(odd);
  google.account.updatePerson(idOf('Ada'), { organizations: [{ title: 'Countess' }] });
  // The token is too old: the listing shows no tombstone of Zoe, and a read of her is to tell.
  linked.clock.advance(7 * 24 * 60 * MINUTE_MS);
  expect((await linked.sync()).error).toBeNull();
  expect(service.account.contacts().map(({ title }) => title ?? '')).toContain('Countess');
  expect(service.account.contacts()).toHaveLength(4);
  odd = '-';
  expect((await linked.sync({ kind: 'full' })).error).toBeNull();
  expect(service.account.contacts()).toHaveLength(3);
});

test('R15, R7: a label at whose read Google fails ends no run, and its bucket stays until a read tells', async () => {
  let odd = '-';
  await using linked = await startFailing(
    'google',
    ({ method, path }) => (method === 'GET' && path.includes(odd) ? GOOGLE_FAULT : null),
    { google: PEOPLE, service: [] },
  );
  const { google, service } = linked.sandbox;
  const label = google.account.createGroup('Choir');
  const [first] = google.account.people();
  google.account.setGroups(first?.resourceName ?? '', [MY_CONTACTS, label]);
  expect((await linked.sync()).error).toBeNull();
  google.account.deleteGroup(label);
  odd = label;
  linked.clock.advance(30 * MINUTE_MS);
  google.account.updatePerson(first?.resourceName ?? '', { organizations: [{ title: 'Countess' }] });
  expect((await linked.sync()).error).toBeNull();
  expect(service.account.contacts().map(({ title }) => title ?? '')).toContain('Countess');
  expect(readGroupNames(linked.sandbox).service).toEqual(['Choir']);
  odd = '-';
  expect((await linked.sync()).error).toBeNull();
  expect(readGroupNames(linked.sandbox)).toEqual({ google: [], service: [] });
});
