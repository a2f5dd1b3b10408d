import { expect, test } from 'vitest';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

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
