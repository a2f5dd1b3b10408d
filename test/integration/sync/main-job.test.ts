import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Sides } from '../../../src/core/contact/side.ts';
import { samplePeople } from '../../../src/sandbox/people/sample.ts';
import { loadAddressBook } from '../../../src/sandbox/address-book/load.ts';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { readGroupNames, readSides } from '../../support/compare-sides.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

const writes = ({ left, right }: Sides<{ created: number; updated: number; deleted: number }>) => {
  return [left, right].reduce((sum, side) => sum + side.created + side.updated + side.deleted, 0);
};

describe('first sync', () => {
  test('R1, R13: a first sync makes two overlapping address books equal, and the next run writes nothing', async () => {
    await using linked = await startLinkedSandbox({ count: 120, seed: 7 });
    const first = await linked.sync();
    expect(first.error).toBeNull();
    expect(first.summary).toMatchObject({ kind: 'full', outcome: 'completed', skipped: 0 });
    const sides = readSides(linked.sandbox);
    expect(sides.google).toEqual(sides.service);
    const names = readGroupNames(linked.sandbox);
    expect(names.google).toEqual(names.service);
    const second = await linked.sync();
    expect(second.summary).toMatchObject({ kind: 'incremental', outcome: 'completed' });
    expect(writes(second.summary)).toBe(0);
    const resync = await linked.sync({ kind: 'full' });
    expect(writes(resync.summary)).toBe(0);
  });

  test('a plan that is made in parts names each contact of a large first sync once, with its groups', async () => {
    const people = samplePeople(1_600).map((person) => ({ ...person, groups: ['Friends'] }));
    await using linked = await startLinkedSandbox({ google: people, service: [] });
    const { changes, estimate, halt } = await linked.plan();
    const creates = changes.filter(({ side, action }) => side === 'right' && action === 'create');
    const ids = creates.map((change) => ('leftId' in change ? change.leftId : null));
    expect(new Set(ids).size).toBe(1_600);
    expect(creates.every(({ changes: fields }) => fields.some(({ field }) => field === 'buckets'))).toBe(true);
    const groups = creates.flatMap(({ changes: fields }) => fields.filter(({ field }) => field === 'buckets'));
    expect(new Set(groups.map(({ to }) => to.join()))).toEqual(new Set(['Friends']));
    expect(changes).toHaveLength(1_601);
    expect(estimate.requests.right).toBeGreaterThan(1_600);
    expect(halt).toBeNull();
  });

  test('1,000 contacts in 10 labels are written to an empty service with one request each and a minimum of others', async () => {
    const people = samplePeople(1000).map((person, index) => ({
      ...person,
      groups: [`Label ${index % 10}`],
    }));
    await using linked = await startLinkedSandbox({ google: people, service: [] });
    const { summary } = await linked.sync();
    expect(summary.right.created).toBe(1000);
    const sides = readSides(linked.sandbox);
    expect(sides.service).toEqual(sides.google);
    // 1,000 creates, 10 buckets, 10 bulk memberships of 100, 3 to look (me, contacts, buckets), and 75 addresses that another
    // contact has too.
    expect(summary.right.requests).toBeLessThanOrEqual(1_098);
    expect(summary.left.requests).toBeLessThanOrEqual(4);
  });
});

describe('real address books', () => {
  test.each(['apple-3.0.vcf', 'google.csv'])('all of %s is written to an empty service', async (file) => {
    const { people } = await loadAddressBook(join(import.meta.dirname, '../../support/address-books', file));
    await using linked = await startLinkedSandbox({ google: people, service: [] });
    const { summary } = await linked.sync();
    expect(summary).toMatchObject({ outcome: 'completed', skipped: 0 });
    const sides = readSides(linked.sandbox);
    expect(sides.service.length).toBe(people.length);
    expect(sides.service).toEqual(sides.google);
  });
});

describe('odd contacts', () => {
  test('R15: absurd fields are synced, an empty contact is skipped, and the other contacts are synced', async () => {
    const emails = Array.from({ length: 50 }, (_, index) => ({ value: `mail${index}@example.org`, label: null }));
    const people = [
      { ...EMPTY_PERSON, givenName: 'Fifty', familyName: 'Emails', emails },
      { ...EMPTY_PERSON, givenName: 'Long', familyName: 'x'.repeat(10_000) },
      { ...EMPTY_PERSON, givenName: '👩‍🚀🚀', familyName: '\u202Eآدم' },
      { ...EMPTY_PERSON, givenName: 'Plain', familyName: 'Contact' },
    ];
    await using linked = await startLinkedSandbox({ google: people, service: [] });
    linked.sandbox.google.account.createPerson({});
    const { summary } = await linked.sync();
    expect(summary).toMatchObject({ outcome: 'completed', skipped: 1 });
    expect(linked.sandbox.service.account.contacts()).toHaveLength(4);
    expect(linked.sandbox.service.account.contacts().map((c) => c.email_addresses.length)).toContain(50);
  });
});
