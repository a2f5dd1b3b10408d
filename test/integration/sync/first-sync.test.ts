import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { LinkConfig } from '../../../src/app/config/link-config.ts';
import { changeLink } from '../../../src/engine/change-link.ts';
import { FIRST_SYNC_WAITS } from '../../../src/engine/errors.ts';
import { samplePeople } from '../../../src/sandbox/people/sample.ts';
import { readSides } from '../../support/compare-sides.ts';
import { named, person } from '../../support/linked-people.ts';
import { extentOf } from '../../support/extent.ts';
import { type LinkedSandbox, startLinkedSandbox } from '../../support/linked-sandbox.ts';

const REVIEW = { FIRST_SYNC: 'review' };
const ADA = person('Ada');
const BOB = named('Bob');
const NOTHING = { created: 0, updated: 0, deleted: 0 };

const ACCEPTED = { accepts: { kind: 'halt', message: FIRST_SYNC_WAITS, loses: true } } as const;

test('R8: a first sync with a review halts each time until it is accepted', async () => {
  await using linked = await startLinkedSandbox({ google: [ADA, BOB], service: [ADA] }, REVIEW);
  const before = readSides(linked.sandbox);
  for (const options of [{}, {}, { accepts: { kind: 'losses' } } as const, { kind: 'full' } as const]) {
    const { summary, error } = await linked.sync(options);
    expect(error).toMatchObject({ halt: { reason: 'first-sync', side: null } });
    expect(summary).toMatchObject({ outcome: 'halted', reason: FIRST_SYNC_WAITS, left: NOTHING, right: NOTHING });
  }
  const { changes, halt } = await linked.plan();
  expect(changes.map(({ action }) => action)).toEqual(['pair', 'create']);
  expect(halt?.reason).toBe('first-sync');
  expect(readSides(linked.sandbox)).toEqual(before);
  expect(await linked.app.store.counts(linked.link.name)).toMatchObject({ pairs: 0 });

  expect(await linked.synced(ACCEPTED)).toMatchObject({ paired: 1, right: { created: 1 } });
  expect((await linked.sync()).summary).toMatchObject({ outcome: 'completed', left: NOTHING, right: NOTHING });
});

test('the plan of a first sync counts the contacts with values that are not synced, and later plans do not', async () => {
  const king = { ...ADA, middleName: 'King' };
  await using linked = await startLinkedSandbox({ google: [king, BOB], service: [] });
  expect((await linked.plan()).unsynced).toMatchObject({ middleName: 1, namePrefix: 0 });
  await linked.synced();
  expect((await linked.plan('full')).unsynced).toBeNull();
});

test('R8: the next run continues an accepted and stopped first sync without another review', async () => {
  const crowd = Array.from({ length: 100 }, (_, index) => ({ ...BOB, givenName: `Bob${index}` }));
  await using linked = await startLinkedSandbox({ google: [ADA, ...crowd], service: [ADA] }, REVIEW);
  await linked.sync();
  const stopping = new AbortController();
  const onEvent = ({ kind }: { readonly kind: string }): void => {
    if (kind === 'written') stopping.abort(new Error('It is stopped here.'));
  };
  const { error, summary } = await linked.sync({ ...ACCEPTED, stop: stopping.signal, onEvent });
  expect(error).toMatchObject({ message: 'It is stopped here.' });
  expect(linked.sandbox.service.account.contacts().length).toBeLessThan(101);
  expect(summary.paired).toBe(1);
  expect(await linked.app.store.counts(linked.link.name)).toMatchObject({ pairs: 1 + summary.right.created });
  await linked.synced();
  expect(linked.sandbox.service.account.contacts()).toHaveLength(101);
});

test('R9: a plan does not report that interrupted writes are settled, because they stay unfinished', async () => {
  await using linked = await startLinkedSandbox({ google: [ADA], service: [] });
  const { app, link, clock, sandbox } = linked;
  sandbox.service.addFault({ method: 'POST', action: { kind: 'reset-after' } });
  const failReads = ({ kind }: { readonly kind: string }): void => {
    if (kind === 'planned') sandbox.service.addFault({ times: 1000, action: { kind: 'status', status: 400 } });
  };
  expect((await linked.sync({ onEvent: failReads })).summary.outcome).toBe('failed');
  sandbox.service.clearFaults();
  clock.advance(60_000);
  const kinds = new Set<string>();
  const onEvent = ({ kind }: { readonly kind: string }) => kinds.add(kind);
  await app.plan(link, { kind: 'full', signal: new AbortController().signal, onEvent });
  expect(kinds).not.toContain('recovered');
  await linked.synced({ onEvent });
  expect(kinds).toContain('recovered');
});

const PEOPLE = ['Ada', 'Ben', 'Cy'].map((name) => named(name));

const runLink = async (linked: LinkedSandbox, link: LinkConfig) => {
  const result = await linked.sync({ link, accepts: { kind: 'losses' } });
  linked.clock.advance(60_000);
  return result;
};

const countsOf = ({ sandbox: { google, service } }: LinkedSandbox) => [
  google.account.people().length,
  service.account.contacts().length,
];

const ONCE = [PEOPLE.length, PEOPLE.length];

test.each<[string, (link: LinkConfig) => LinkConfig]>([
  ['another name', (link) => ({ ...link, name: 'second' })],
  [
    'swapped sides',
    ({ sides: { left, right }, ...link }) => ({ ...link, name: 'second', sides: { left: right, right: left } }),
  ],
])('R9: a second link over the same two accounts writes nothing: %s', async (_, change) => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
  expect((await runLink(linked, linked.link)).error).toBeNull();
  for (let run = 0; run < 2; run += 1) {
    const { error, summary } = await runLink(linked, change(linked.link));
    expect(error).toMatchObject({ halt: { reason: 'same-accounts' } });
    expect(summary.reason).toMatch(/links second and default connect the same two accounts.*forget second/u);
    expect(countsOf(linked)).toEqual(ONCE);
  }
  expect((await runLink(linked, linked.link)).error).toBeNull();
});

test('R9: a renamed link names the link to forget, and syncs after that', async () => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
  await linked.synced();
  const renamed = { ...linked.link, name: 'renamed' };
  const { reason } = (await runLink(linked, renamed)).summary;
  const [, former = ''] = /or: contact-sync forget (\S+)$/u.exec(reason ?? '') ?? [];
  expect(former).toBe('default');
  await changeLink({ store: linked.app.store, clock: linked.clock, newId: randomUUID }, former, () => [
    { kind: 'forget-link' },
  ]);
  expect((await runLink(linked, renamed)).summary).toMatchObject({ outcome: 'completed', paired: PEOPLE.length });
  expect(countsOf(linked)).toEqual(ONCE);
});

test('R9: of two links over the same two accounts that start together one syncs, and no contact is created twice', async () => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
  const second: LinkConfig = { ...linked.link, name: 'second' };
  await Promise.all([runLink(linked, linked.link), runLink(linked, second)]);
  for (let run = 0; run < 2; run += 1) {
    await runLink(linked, second);
    await runLink(linked, linked.link);
    expect(Math.max(...countsOf(linked))).toBeLessThanOrEqual(PEOPLE.length);
  }
  expect(countsOf(linked)).toEqual(ONCE);
});

test('R9: links that share one account sync side by side', async () => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
  await using other = await startLinkedSandbox({ google: [], service: [] });
  const sides = { left: linked.link.sides.left, right: other.link.sides.right };
  for (const more of [{}, { name: 'second', sides }]) {
    expect((await runLink(linked, { ...linked.link, ...more })).error).toBeNull();
  }
  expect(other.sandbox.service.account.contacts()).toHaveLength(PEOPLE.length);
});

test('a plan that is made in parts names each contact of a large first sync once, with its groups', async () => {
  const people = samplePeople(1_600).map((one) => ({ ...one, groups: ['Friends'] }));
  await using linked = await startLinkedSandbox({ google: people, service: [] });
  const { changes, estimate, halt } = await linked.plan();
  const creates = changes.filter(({ side, action }) => side === 'right' && action === 'create');
  const ids = creates.map((change) => ('leftId' in change ? change.leftId : null));
  expect(new Set(ids).size).toBe(1_600);
  const groupsOf = ({ changes: fields }: (typeof creates)[number]) =>
    fields.flatMap(({ field, to }) => (field === 'buckets' ? to : [])).join();
  expect(new Set(creates.map(groupsOf))).toEqual(new Set(['Friends']));
  expect(changes).toHaveLength(1_601);
  expect(estimate.requests.right).toBeGreaterThan(1_600);
  expect(halt).toBeNull();
});

/** Of these contacts, as many addresses belong to another one too. `npm test` writes fewer contacts. */
const MANY = { count: extentOf({ all: 1_000, sample: 300 }), sharedAddresses: extentOf({ all: 75, sample: 5 }) };

test('contacts in 10 labels are written to an empty service with one request each and a minimum of others', async () => {
  const { count, sharedAddresses } = MANY;
  const people = samplePeople(count).map((one, index) => ({
    ...one,
    groups: [`Label ${index % 10}`],
  }));
  await using linked = await startLinkedSandbox({ google: people, service: [] });
  const { summary } = await linked.sync();
  expect(summary.right.created).toBe(count);
  const sides = readSides(linked.sandbox);
  expect(sides.service).toEqual(sides.google);
  // Besides the creates: 10 buckets, 10 bulk memberships, and 3 to look (me, contacts, buckets).
  expect(summary.right.requests).toBeLessThanOrEqual(count + sharedAddresses + 23);
  expect(summary.left.requests).toBeLessThanOrEqual(4);
});
