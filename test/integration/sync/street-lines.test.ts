import { expect, test } from 'vitest';
import { generatePeople } from '../../../src/sandbox/people/generate.ts';
import { startSyncedSandbox } from '../../support/linked-sandbox.ts';

const STREET = 'Main Street 1\nBack door\n3rd floor';
const EDITED = 'Side Street 2\nFront door';

test('R1: the lines of a street are synced in both directions, and the next run writes nothing', async () => {
  const [person] = generatePeople({ count: 1, seed: 3 });
  if (person === undefined) throw new Error('One person was asked for.');
  const address = { street: STREET, city: 'Bonn', region: '', postalCode: '53111', country: 'Germany', label: 'home' };
  await using linked = await startSyncedSandbox({ google: [{ ...person, addresses: [address] }], service: [] });
  const { service, google } = linked.sandbox;
  const [contact] = service.account.contacts();
  expect(contact?.addresses[0]?.street_1).toBe(STREET);

  const entry = contact?.addresses[0] ?? { id: '' };
  linked.clock.advance(60_000);
  service.account.updateContact(contact?.id ?? '', { addresses: [{ ...entry, street_1: EDITED }] });
  await linked.synced({ afterMs: 60_000 });
  const written = JSON.stringify(google.account.people());
  expect(written).toContain(JSON.stringify(EDITED));

  const { summary } = await linked.sync({ afterMs: 3_600_000, kind: 'full' });
  expect([summary.left.updated, summary.right.updated]).toEqual([0, 0]);
});
