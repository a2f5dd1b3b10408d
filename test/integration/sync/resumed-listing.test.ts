import { expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

const HOUR_MS = 3_600_000;

test('R14: after a listing that was cut off, no edit is missed on the pages that the earlier run had read', async () => {
  await using linked = await startLinkedSandbox({ count: 120, seed: 9 });
  const { service, google } = linked.sandbox;
  expect((await linked.sync()).error).toBeNull();
  linked.clock.advance(60_000);
  const fault = { method: 'GET', path: '/v2/contacts$', skip: 1, times: 1, action: { kind: 'status', status: 422 } };
  await fetch(`${service.url}/__control/faults`, { method: 'POST', body: JSON.stringify(fault) });
  expect((await linked.sync({ kind: 'full' })).summary.outcome).toBe('failed');
  expect((await linked.app.store.link('default')).cursors.right).toMatchObject({ resume: expect.any(String) });
  linked.clock.advance(60_000);
  for (const contact of service.account.contacts()) service.account.updateContact(contact.id, { title: 'Elsewhere' });
  expect((await linked.sync()).error).toBeNull();
  const titles = new Set(google.account.people().map((person) => person.organizations?.[0]?.title));
  expect([...titles]).toEqual(['Elsewhere']);
});

test.each([
  ['goes on with the listing', 60_000, false],
  ['goes on with the listing', 60_000, true],
  ['has forgotten the listing', 2 * HOUR_MS, false],
  ['has forgotten the listing', 2 * HOUR_MS, true],
])(
  'R7: who was deleted at Google after a listing was cut off is gone where Google %s (%i ms later, linked before: %s)',
  async (_, laterMs, isLinked) => {
    const named = (givenName: string) => ({ ...EMPTY_PERSON, givenName, familyName: 'Tester' });
    const staying = Array.from({ length: 1_100 }, (_each, index) => named(`P${index}`));
    const google = [named('Gone'), ...staying];
    await using linked = await startLinkedSandbox({
      google,
      service: isLinked ? google : staying,
      variants: { google: { pageTokens: 'oneHour' } },
    });
    const { sandbox, clock } = linked;
    const account = sandbox.google.account;
    if (isLinked) expect((await linked.sync()).error).toBeNull();
    clock.advance(HOUR_MS);
    sandbox.google.addFault({ path: /connections.*pageToken/u, effect: { kind: 'status', status: 400 } });
    expect((await linked.sync({ kind: 'full' })).summary.outcome).toBe('failed');
    const gone = account.people().find(({ names }) => names?.[0]?.givenName === 'Gone');
    account.deletePerson(gone?.resourceName ?? '');
    clock.advance(laterMs);
    for (let times = 0; times < 3; times += 1) {
      expect((await linked.sync()).error).toBeNull();
      clock.advance(HOUR_MS);
    }
    const left = sandbox.service.account.contacts().filter(({ first_name }) => first_name === 'Gone');
    expect([left.length, sandbox.service.account.contacts().length]).toEqual([0, 1_100]);
  },
);
