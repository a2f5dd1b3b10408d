import { expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

const MY_CONTACTS = 'contactGroups/myContacts';
const DELAY_MS = 240_000;

/** A contact in two groups on both sides, at a Google whose feed shows each state of it after the delay. */
const start = async () => {
  const ann = { ...EMPTY_PERSON, givenName: 'Ann', familyName: 'Tester' };
  const linked = await startLinkedSandbox({ google: [ann], service: [], googlePropagationDelayMs: DELAY_MS });
  const { google, service } = linked.sandbox;
  const labels = ['VIP', 'Friends'].map((name) => google.account.createGroup(name));
  const name = google.account.people()[0]?.resourceName ?? '';
  google.account.setGroups(name, [MY_CONTACTS, ...labels]);
  expect((await linked.sync()).error).toBeNull();
  const buckets = () => service.account.contacts()[0]?.bucketIds ?? [];
  const setBuckets = (ids: readonly string[]) =>
    service.account.setBuckets(service.account.contacts()[0]?.id ?? '', ids);
  const labelCount = () => (google.account.person(name)?.memberships ?? []).length - 1;
  return { linked, name, labels, buckets, setBuckets, labelCount };
};

test.each([
  ['the time before its first write passes', 230_000, 6_000],
  ['the time since its first write passes', 0, 10_000],
])('R11: a feed that lags does not revert memberships that were written, while %s', async (_, waitMs, stepMs) => {
  const { linked, buckets, setBuckets, labelCount } = await start();
  await using _linked = linked;
  linked.clock.advance(waitMs);
  await linked.sync();
  expect([buckets().length, labelCount()]).toEqual([2, 2]);
  setBuckets(buckets().slice(1));
  linked.clock.advance(stepMs);
  await linked.sync();
  setBuckets([]);
  for (let passedMs = 0; passedMs < 2 * DELAY_MS; passedMs += stepMs) {
    linked.clock.advance(stepMs);
    expect((await linked.sync()).summary.right.updated).toBe(0);
    expect([buckets().length, labelCount()]).toEqual([0, 0]);
  }
});

test('R11: a membership that the user of a side which lags changes after it was written is propagated', async () => {
  const { linked, name, labels, buckets, setBuckets, labelCount } = await start();
  await using _linked = linked;
  linked.clock.advance(2 * DELAY_MS);
  setBuckets([]);
  linked.clock.advance(10_000);
  await linked.sync();
  expect(labelCount()).toBe(0);
  linked.clock.advance(1_000);
  linked.sandbox.google.account.setGroups(name, [MY_CONTACTS, labels[0] ?? '']);
  linked.clock.advance(DELAY_MS + 1_000);
  await linked.sync();
  expect([buckets().length, labelCount()]).toEqual([1, 1]);
});
