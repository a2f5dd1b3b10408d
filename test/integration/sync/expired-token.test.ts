import { expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

const PEOPLE = ['Ada', 'Ben'].map((givenName) => ({ ...EMPTY_PERSON, givenName, familyName: 'Tester' }));

/** As the reference has it: an error with this reason. No status is named. */
const bodyOf = (code: number) => ({
  error: {
    code,
    message: 'Sync token is expired. Clear local cache and retry call without the sync token.',
    status: 'FAILED_PRECONDITION',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'EXPIRED_SYNC_TOKEN',
        domain: 'people.googleapis.com',
      },
    ],
  },
});

test.each([400, 410])('R14: an expired sync token is known by its reason, whatever the status (%i)', async (status) => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
  const { google, service } = linked.sandbox;
  expect((await linked.sync()).error).toBeNull();
  linked.clock.advance(60_000);
  const name = google.account.people()[0]?.resourceName ?? '';
  google.account.updatePerson(name, { organizations: [{ title: 'Countess' }] });
  google.addFault({ method: 'GET', path: /syncToken=/u, effect: { kind: 'status', status, body: bodyOf(status) } });
  expect((await linked.sync()).error).toBeNull();
  expect(service.account.contacts().map(({ title }) => title ?? '')).toContain('Countess');
});
