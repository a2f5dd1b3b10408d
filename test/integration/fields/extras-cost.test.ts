import { expect, test } from 'vitest';
import { EMPTY_PERSON, type Person } from '../../../src/sandbox/people/person.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';
import { syncWith } from './support.ts';

const COUNT = 1_000;
const HOUR_MS = 3_600_000;

const people: readonly Person[] = Array.from({ length: COUNT }, (_, index) => ({
  ...EMPTY_PERSON,
  givenName: `Given${index}`,
  familyName: `Family${index}`,
  emails: [{ value: `person${index}@example.org`, label: 'work' }],
}));

test('the extras of 1,000 contacts cost five requests at Google, once a day at most', async () => {
  const extras = { FIELDS: 'default,lastContacted,relationshipStatus', SWEEP_INTERVAL: '7d' };
  const variants = { service: { activityBump: 'bumped' } } as const;
  await using linked = await startLinkedSandbox({ variants, google: people, service: people }, {});
  const { account } = linked.sandbox.service;
  /** The service computes something of each contact, one after the other. */
  const compute = (lastContactedAtMs: number, relationshipStatus: string): void => {
    for (const { id } of account.contacts()) {
      account.compute(id, { lastContactedAtMs, relationshipStatus });
      linked.clock.advance(1_000);
    }
    linked.clock.advance(HOUR_MS);
  };
  const run = async (variables: Readonly<Record<string, string>>) => {
    const { left, right } = (await syncWith(linked, variables)).summary;
    linked.clock.advance(HOUR_MS);
    expect(right.updated).toBe(0);
    // Each run here is a process of its own, which asks Google for a token.
    return { google: left.requests - 1, service: right.requests, shown: left.updated };
  };
  const IDLE = { google: 2, service: 2, shown: 0 };
  const firstMs = Date.parse('2026-01-01T12:00:00Z');
  compute(firstMs, 'strong');
  await run({});
  // Chosen for the first time: both sides are listed whole, 1,000 and 50 contacts a page.
  expect(await run(extras)).toEqual({ google: 3 + 5, service: 2 + 20, shown: COUNT });
  expect(await run(extras)).toEqual(IDLE);
  compute(firstMs + 24 * HOUR_MS, 'fading');
  // Changed values are read and not written yet.
  expect(await run(extras)).toEqual({ google: 2, service: 3 + 20, shown: 0 });
  expect(await run(extras)).toEqual(IDLE);
  linked.clock.advance(24 * HOUR_MS);
  // A run that writes reads the accounts of both sides once.
  expect(await run(extras)).toEqual({ google: 3 + 5, service: 3, shown: COUNT });
  expect(await run(extras)).toEqual(IDLE);
});
