import { expect, it } from 'vitest';
import { EMPTY_PERSON, type Person } from '../../../src/sandbox/people/person.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';

const ANNA: Person = { ...EMPTY_PERSON, givenName: 'Anna', groups: ['Clients'] };

it('a sandbox has sample data that overlaps in part, and credentials in every variable', async () => {
  await using sandbox = await startSandbox();
  const [google, service] = [sandbox.google.account.people(), sandbox.service.account.contacts()];
  expect(Math.max(google.length, service.length)).toBeLessThan(60);
  expect(google.length + service.length).toBeGreaterThan(80);
  expect(Object.values(sandbox.environment()).filter(Boolean)).toHaveLength(11);
});

it('a sandbox with people on one side is empty on the other, and skips what the service refuses', async () => {
  const service = [ANNA, { ...ANNA, familyName: 'Example' }];
  await using sandbox = await startSandbox({ service, variants: { service: { createRequires: 'last-name' } } });
  expect(sandbox.service.account.contacts()).toMatchObject([{ last_name: 'Example', bucketIds: ['bucket_1'] }]);
  expect(sandbox.google.account.people()).toEqual([]);
});
