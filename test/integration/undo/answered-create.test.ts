import { expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { named } from '../../support/linked-people.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

const PEOPLE = ['Dot', 'Eve', 'Fay', 'Gus'].map((name) => named(name));
const ADDRESS = 'ann@example.org';

test('R9: an undo deletes no contact that existed before and answered a create', async () => {
  const ann = { ...EMPTY_PERSON, givenName: 'Ann', familyName: 'Lee', groups: ['Friends'] };
  await using linked = await startLinkedSandbox(
    { google: PEOPLE, service: [ann], variants: { service: { createKnownEmail: 'existing' } } },
    { SERVICE_CONTACTS: 'Team', GOOGLE_CONTACTS: '*', SWEEP_INTERVAL: '1s' },
  );
  const { google, service } = linked.sandbox;
  expect((await linked.sync()).error).toBeNull();
  const standing = service.account.contacts().find((contact) => contact.first_name === 'Ann')?.id ?? '';
  linked.clock.advance(3_600_000);

  google.account.createPerson({
    names: [{ givenName: 'Zoe', familyName: 'Quill' }],
    emailAddresses: [{ value: ADDRESS, type: 'home' }],
  });
  const { signal } = new AbortController();
  const options = { acceptDeletes: false, signal };
  const { error, summary } = await linked.app.run(linked.link, {
    ...options,
    kind: 'incremental',
    // The contact gets the address after it was read, and before the create.
    onEvent: (event) => {
      if (event.kind !== 'planned') return;
      service.account.updateContact(standing, { email_addresses: [{ address: ADDRESS, label: 'home' }] });
    },
  });
  expect(error).toBeNull();
  linked.clock.advance(60_000);
  const [run] = await linked.app.store.runs('default', { idPrefix: summary.run });
  if (run === undefined) throw new Error('There is no run to undo.');
  const { result } = await linked.app.undo(linked.link, run, options);
  expect(result.error).toBeNull();
  expect(service.account.contacts().map(({ id }) => id)).toContain(standing);
});
