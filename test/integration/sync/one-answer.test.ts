import { expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { loadPairsOf } from '../../../src/sync/workload.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

const NAMES = ['Ada', 'Ben', 'Cid', 'Dot', 'Eve', 'Fay'];
const SHARED = [{ value: 'family@example.org', label: 'home' }];
const PEOPLE = NAMES.map((givenName) => ({ ...EMPTY_PERSON, givenName, familyName: 'Tester', emails: SHARED }));

test('R15: creates under way at once that are all answered with one contact link it once, the others are refused', async () => {
  const variants = { service: { createKnownEmail: 'existing' } } as const;
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [], variants });
  const { summary } = await linked.sync();
  expect(summary.right.created).toBe(1);
  expect(summary.skipped).toBe(NAMES.length - 1);
  const [contact, ...others] = linked.sandbox.service.account.contacts();
  expect(others).toEqual([]);
  const [pair] = await loadPairsOf(linked.app.store, 'default', { ids: [contact?.id ?? ''], pairIds: [] });
  expect(pair?.left).toMatchObject({ record: { contact: { firstName: contact?.first_name } } });
});
