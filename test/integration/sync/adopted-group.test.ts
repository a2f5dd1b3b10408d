import { expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

const PEOPLE = ['Ada', 'Ben', 'Cleo'].map((givenName) => ({ ...EMPTY_PERSON, givenName, familyName: 'Tester' }));

const HOUR_MS = 3_600_000;

test('R11: a label that is renamed to that of a new bucket during the run does not mix the members of two buckets', async () => {
  await using linked = await startLinkedSandbox({ google: [], service: PEOPLE });
  const { google, service } = linked.sandbox;
  const idOf = (name: string): string => service.account.contacts().find((one) => one.first_name === name)?.id ?? '';
  const family = service.account.createBucket({ name: 'Family' }).id;
  service.account.setBuckets(idOf('Ada'), [family]);
  expect((await linked.sync()).error).toBeNull();
  const label = google.account.groups().find(({ name }) => name === 'Family')?.resourceName ?? '';
  expect(label).not.toBe('');

  const choir = service.account.createBucket({ name: 'Choir' }).id;
  service.account.setBuckets(idOf('Ben'), [choir]);
  linked.clock.advance(HOUR_MS);
  const { signal } = new AbortController();
  const { error } = await linked.app.run(linked.link, {
    kind: 'full',
    acceptDeletes: false,
    signal,
    // The groups were listed by then, and are written next.
    onEvent: (event) => {
      if (event.kind === 'planned' && google.account.groups().some(({ name }) => name === 'Family')) {
        google.account.renameGroup(label, 'Choir');
      }
    },
  });
  expect(error).toBeNull();
  const cleo = google.account.people().find(({ names }) => names?.[0]?.givenName === 'Cleo')?.resourceName ?? '';
  google.account.setGroups(cleo, ['contactGroups/myContacts', label]);
  for (let hour = 0; hour < 3; hour += 1) {
    linked.clock.advance(HOUR_MS);
    expect((await linked.sync({ kind: 'full' })).error).toBeNull();
  }
  const bucketsOf = (name: string) => service.account.contact(idOf(name))?.bucketIds;
  expect(['Ada', 'Ben', 'Cleo'].map(bucketsOf)).toEqual([[family], [choir], [family]]);
});
