import { expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

const ADA = {
  ...EMPTY_PERSON,
  givenName: 'Ada',
  familyName: 'Tester',
  emails: [{ value: 'ada@example.org', label: 'home' }],
};
const BEN = {
  ...EMPTY_PERSON,
  givenName: 'Ben',
  familyName: 'Tester',
  emails: [{ value: 'ben@example.org', label: 'home' }],
};

test('R5: what an interrupted first run listed is listed again: a contact deleted since overwrites no edit', async () => {
  const google = [{ ...ADA, title: 'Baker' }, BEN];
  const service = [{ ...ADA, title: 'Brewer' }, BEN];
  await using linked = await startLinkedSandbox({ google, service }, { CONFLICT_POLICY: 'service' });
  const { sandbox } = linked;
  // The listings of the contacts come to their ends; that of the groups, which the plan needs, does not.
  const fault = { method: 'GET', path: '/v2/buckets$', times: 1, action: { kind: 'status', status: 422 } };
  await fetch(`${sandbox.service.url}/__control/faults`, { method: 'POST', body: JSON.stringify(fault) });
  expect((await linked.sync()).summary).toMatchObject({
    kind: 'full',
    outcome: 'failed',
    left: { pulled: 2 },
    right: { pulled: 2 },
  });
  const person = sandbox.google.account.people().find(({ names }) => names?.[0]?.givenName === 'Ada') ?? {};
  const contact = sandbox.service.account.contacts().find(({ first_name }) => first_name === 'Ada');
  sandbox.service.account.deleteContact(contact?.id ?? '');
  sandbox.google.account.updatePerson(person.resourceName ?? '', { ...person, organizations: [{ title: 'Countess' }] });
  linked.clock.advance(60_000);
  const second = await linked.sync({ kind: 'incremental' });
  expect(second.error).toBeNull();
  const titleAtGoogle = sandbox.google.account.person(person.resourceName ?? '')?.organizations?.[0]?.title;
  const atService = sandbox.service.account.contacts().filter(({ first_name }) => first_name === 'Ada');
  expect(titleAtGoogle).toBe('Countess');
  expect(atService).toMatchObject([{ title: 'Countess' }]);
  expect(second.summary.kind).toBe('full');
  linked.clock.advance(60_000);
  expect((await linked.sync({ kind: 'incremental' })).summary).toMatchObject({
    kind: 'incremental',
    outcome: 'completed',
  });
});
