import { expect, test } from 'vitest';
import type { Half } from '../../../src/core/contact/half.ts';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { startSyncedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const ann = {
  ...EMPTY_PERSON,
  givenName: 'Ann',
  familyName: 'Tester',
  emails: ['ann@example.org', 'office@example.org'].map((value) => ({ value, label: 'work' })),
};

/** Stores the right half as if an earlier version had taken the loss of an address for settled. */
const loseRemoval = async ({ app, clock, link, sandbox }: LinkedSandbox): Promise<void> => {
  const { store } = app;
  const [contact] = sandbox.service.account.contacts();
  const { email_addresses: emails = [] } = contact ?? {};
  sandbox.service.account.updateContact(contact?.id ?? '', { email_addresses: emails.slice(0, 1) });
  const strip = (half: Half): Half => {
    const own = { ...half.record.contact, emailAddresses: half.record.contact.emailAddresses.slice(0, 1) };
    const { digest: _, ...record } = half.record;
    return { ...half, record: { ...record, contact: own }, base: half.base && { ...half.base, contact: own } };
  };
  const halves = await store.halves(link.name, { by: 'all' });
  const token = (await store.acquireLease(link.name, 'test', clock.now(), clock.now() + 1_000)) ?? 0;
  const lost = halves.filter(({ side }) => side === 'right').map(strip);
  await store.commit(
    link.name,
    token,
    lost.map((half) => ({ kind: 'put-half', half, digest: null })),
  );
  await store.releaseLease(link.name, 'test');
};

const addresses = ({ sandbox }: LinkedSandbox) => ({
  google: sandbox.google.account.people()[0]?.emailAddresses?.length,
  service: sandbox.service.account.contacts()[0]?.email_addresses?.length,
});

test('R5: a resync repairs and reports a pair that differs without an explanation, and the next resync finds none', async () => {
  await using linked = await startSyncedSandbox({ google: [ann], service: [] });
  linked.clock.advance(11 * 60_000);
  await loseRemoval(linked);
  const quiet = await linked.sync({ afterMs: 11 * 60_000 });
  expect(quiet.summary.repaired).toBeUndefined();
  expect(addresses(linked)).toEqual({ google: 2, service: 1 });

  const { changes } = await linked.plan('full');
  expect(changes).toMatchObject([{ action: 'update', side: 'right', fields: ['emailAddresses'] }]);

  const summary = await linked.synced({ kind: 'full' });
  expect(summary).toMatchObject({ repaired: 1, right: { updated: 1 } });
  expect(addresses(linked)).toEqual({ google: 2, service: 2 });
  const [run] = await linked.app.store.runs(linked.link.name, { latest: 'completed' });
  expect(run?.repaired).toBe(1);

  expect((await linked.sync({ afterMs: 11 * 60_000, kind: 'full' })).summary.repaired).toBeUndefined();
});
