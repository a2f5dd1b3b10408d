import { expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

const DAY_MS = 86_400_000;
const PEOPLE = ['Ada', 'Ben', 'Cy'].map((givenName) => ({ ...EMPTY_PERSON, givenName, familyName: 'Tester' }));

test('R7: a deletion at the service is found although a listing was stamped by a clock that was a month ahead', async () => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
  const { app, clock, link, sandbox } = linked;
  expect((await linked.sync()).error).toBeNull();
  const { cursors } = await app.store.link(link.name);
  const token = (await app.store.acquireLease(link.name, 'test', clock.now(), clock.now() + 60_000)) ?? 0;
  const cursor = { ...cursors.right, listedAtMs: clock.now() + 30 * DAY_MS };
  await app.store.commit(link.name, token, [{ kind: 'put', table: 'cursors', row: { side: 'right', ...cursor } }]);
  await app.store.releaseLease(link.name, 'test');
  clock.advance(DAY_MS);
  sandbox.service.account.deleteContact(sandbox.service.account.contacts()[0]?.id ?? '');
  for (let day = 0; day < 3; day += 1) {
    clock.advance(DAY_MS);
    expect((await linked.sync()).error).toBeNull();
  }
  expect(sandbox.google.account.people()).toHaveLength(2);
});
