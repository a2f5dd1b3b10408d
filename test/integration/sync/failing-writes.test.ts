import { expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { GOOGLE_FAULT, SERVICE_FAULT, startFailing } from './failing-proxy.ts';

const MINUTE_MS = 60_000;
const named = (givenName: string) => ({ ...EMPTY_PERSON, givenName, familyName: 'Tester' });
const isAstral = (text: string): boolean => /[\u{10000}-\u{10FFFF}]/u.test(text);

test('R15: a contact at which the service fails with a 500 is reported, and tried again later and later', async () => {
  await using linked = await startFailing(
    'service',
    ({ method, body }) => (method === 'POST' && isAstral(body) ? SERVICE_FAULT : null),
    { google: [named('Zoe 🎉'), named('Ada')], service: [] },
  );
  const first = await linked.sync();
  expect(first.error).toBeNull();
  expect(first.summary.skipped).toBe(1);
  const before = linked.seen.filter((line) => line === 'POST /v2/contacts').length;
  linked.clock.advance(2 * MINUTE_MS);
  expect((await linked.sync()).summary).toMatchObject({ skipped: 0, right: { requests: 2 } });
  expect(linked.seen.filter((line) => line === 'POST /v2/contacts')).toHaveLength(before);
});

test('R15: a dozen contacts at which the service fails do not keep everything else from it', async () => {
  const odd = Array.from({ length: 12 }, (_, index) => named(`Zoe 🎉 ${index}`));
  await using linked = await startFailing(
    'service',
    ({ method, body }) => (method === 'POST' && isAstral(body) ? SERVICE_FAULT : null),
    { google: [...odd, named('Ada')], service: [] },
  );
  const { google, service } = linked.sandbox;
  const sync = async (times: number) => {
    for (let run = 0; run < times; run += 1) {
      await linked.sync();
      linked.clock.advance(20 * MINUTE_MS);
    }
  };
  await sync(2);
  const ada = google.account.people().find(({ names }) => names?.[0]?.givenName === 'Ada')?.resourceName ?? '';
  google.account.updatePerson(ada, { organizations: [{ title: 'Countess' }] });
  await sync(3);
  expect(service.account.contacts().map(({ first_name: name, title }) => [name, title])).toEqual([['Ada', 'Countess']]);
});

test('R15: a contact at which Google fails does not keep those of its batch from Google', async () => {
  await using linked = await startFailing(
    'google',
    ({ method, body }) => (method === 'POST' && isAstral(body) ? GOOGLE_FAULT : null),
    { google: [], service: ['Ada', 'Ben', 'Zoe 🎉', 'Cleo'].map(named) },
  );
  for (let day = 0; day < 2; day += 1) {
    expect((await linked.sync()).error).toBeNull();
    linked.clock.advance(24 * 60 * MINUTE_MS);
  }
  const names = linked.sandbox.google.account.people().map((person) => person.names?.[0]?.givenName ?? '');
  expect(names.toSorted()).toEqual(['Ada', 'Ben', 'Cleo']);
});

test('R15, R11: a contact that Google fails to put under a label does not keep the others from it', async () => {
  let odd = '-';
  const isOdd = (path: string, body: string): boolean => path.includes('members:modify') && body.includes(odd);
  await using linked = await startFailing(
    'google',
    ({ method, path, body }) => (method === 'POST' && isOdd(path, body) ? GOOGLE_FAULT : null),
    { google: [], service: ['Ada', 'Ben', 'Zoe', 'Cleo'].map(named) },
  );
  const { google, service } = linked.sandbox;
  expect((await linked.sync()).error).toBeNull();
  odd = google.account.people().find(({ names }) => names?.[0]?.givenName === 'Zoe')?.resourceName ?? '-';
  const { id } = service.account.createBucket({ name: 'Choir' });
  for (const contact of service.account.contacts()) service.account.setBuckets(contact.id, [id]);
  for (let day = 0; day < 2; day += 1) {
    linked.clock.advance(24 * 60 * MINUTE_MS);
    expect((await linked.sync({ kind: 'full' })).error).toBeNull();
  }
  const label = google.account.groups()[0]?.resourceName ?? '';
  const members = google.account.people().filter((person) => JSON.stringify(person.memberships).includes(label));
  expect(members.map(({ names }) => names?.[0]?.givenName ?? '').toSorted()).toEqual(['Ada', 'Ben', 'Cleo']);
});

test('R15: a contact that Google fails to delete does not keep the others', async () => {
  let odd = '-';
  const isOdd = (path: string, body: string): boolean => path.includes('batchDelete') && body.includes(odd);
  await using linked = await startFailing(
    'google',
    ({ method, path, body }) => (method === 'POST' && isOdd(path, body) ? GOOGLE_FAULT : null),
    { google: [], service: ['Ada', 'Ben', 'Zoe', 'Cleo', 'Dora', 'Eve'].map(named) },
    { DELETE_LIMIT: '100%' },
  );
  const { google, service } = linked.sandbox;
  expect((await linked.sync()).error).toBeNull();
  odd = google.account.people().find(({ names }) => names?.[0]?.givenName === 'Zoe')?.resourceName ?? '-';
  for (const { id, first_name: name } of service.account.contacts()) {
    if (['Ada', 'Ben', 'Zoe'].includes(name ?? '')) service.account.deleteContact(id);
  }
  for (let day = 0; day < 3; day += 1) {
    linked.clock.advance(24 * 60 * MINUTE_MS);
    expect((await linked.sync({ kind: 'full' })).error).toBeNull();
  }
  const names = google.account.people().map((person) => person.names?.[0]?.givenName ?? '');
  expect(names.toSorted()).toEqual(['Cleo', 'Dora', 'Eve', 'Zoe']);
});
