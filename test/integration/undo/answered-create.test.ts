import { expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { named } from '../../support/linked-people.ts';
import { startSyncedSandbox } from '../../support/linked-sandbox.ts';

const PEOPLE = ['Dot', 'Eve', 'Fay', 'Gus'].map((name) => named(name));
const ADDRESS = 'ann@example.org';

test('R9: an undo deletes no contact that existed before and answered a create', async () => {
  const ann = { ...EMPTY_PERSON, givenName: 'Ann', familyName: 'Lee', groups: ['Friends'] };
  await using linked = await startSyncedSandbox(
    { google: PEOPLE, service: [ann], variants: { service: { createKnownEmail: 'existing' } } },
    { SERVICE_CONTACTS: 'Team', GOOGLE_CONTACTS: '*', SWEEP_INTERVAL: '1s' },
  );
  const { google, service } = linked.sandbox;
  const standing = service.account.contacts().find((contact) => contact.first_name === 'Ann')?.id ?? '';
  linked.clock.advance(3_600_000);

  google.account.createPerson({
    names: [{ givenName: 'Zoe', familyName: 'Quill' }],
    emailAddresses: [{ value: ADDRESS, type: 'home' }],
  });
  const summary = await linked.synced({
    // The contact gets the address after it was read, and before the create.
    onEvent: (event) => {
      if (event.kind !== 'planned') return;
      service.account.updateContact(standing, { email_addresses: [{ address: ADDRESS, label: 'home' }] });
    },
  });
  linked.clock.advance(60_000);
  const { result } = await linked.undo(summary.run);
  expect(result.error).toBeNull();
  expect(service.account.contacts().map(({ id }) => id)).toContain(standing);
});
