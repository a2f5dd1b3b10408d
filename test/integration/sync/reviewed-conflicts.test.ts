import { describe, expect, test } from 'vitest';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { explainContact } from '../../../src/engine/history/explain.ts';
import { changeLink } from '../../../src/engine/change-link.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

/** One person, whose title both sides changed: the service's, the later one, won. */
const disputed = async (variables: Record<string, string> = {}): Promise<LinkedSandbox> => {
  const ada = { ...EMPTY_PERSON, givenName: 'Ada', familyName: 'King', emails: [{ value: 'ada@x.org', label: null }] };
  const linked = await startLinkedSandbox({ google: [ada], service: [ada] }, { SWEEP_INTERVAL: '1s', ...variables });
  await linked.sync();
  linked.clock.advance(60_000);
  linked.sandbox.google.account.updatePerson(googleId(linked), { organizations: [{ title: 'Baker' }] });
  linked.clock.advance(5_000);
  linked.sandbox.service.account.updateContact(serviceId(linked), { title: 'Brewer' });
  expect((await linked.sync()).summary.conflicts).toBe(1);
  linked.clock.advance(60_000);
  return linked;
};

const googleId = ({ sandbox }: LinkedSandbox): string => sandbox.google.account.people()[0]?.resourceName ?? '';
const serviceId = ({ sandbox }: LinkedSandbox): string => sandbox.service.account.contacts()[0]?.id ?? '';

const titles = ({ sandbox }: LinkedSandbox) => [
  sandbox.google.account.people()[0]?.organizations?.[0]?.title ?? '',
  sandbox.service.account.contacts()[0]?.title ?? '',
];

const take = async (linked: LinkedSandbox, review: 'left' | 'dismissed'): Promise<void> => {
  const { store, holders } = linked.app;
  await changeLink({ store, clock: linked.clock, newId: () => 'review', holders }, 'default', () => [
    { kind: 'review-conflict', leftId: googleId(linked), field: 'title', review, atMs: linked.clock.now() },
  ]);
};

const rows = ({ app }: LinkedSandbox) => app.store.conflicts('default', { all: true });

const written = ({ left, right }: { left: { updated: number }; right: { updated: number } }) => [
  left.updated,
  right.updated,
];

const expectQuiet = async (linked: LinkedSandbox): Promise<void> => {
  linked.clock.advance(60_000);
  expect(written((await linked.sync()).summary)).toEqual([0, 0]);
};

describe('R4: the review of a conflict', () => {
  test('the next run writes the other value to both sides once, and the write can be undone', async () => {
    await using linked = await disputed();
    expect(titles(linked)).toEqual(['Brewer', 'Brewer']);
    await take(linked, 'left');
    const { summary } = await linked.sync();
    expect(written(summary)).toEqual([1, 1]);
    expect(titles(linked)).toEqual(['Baker', 'Baker']);
    expect(await rows(linked)).toMatchObject([{ review: 'left', resolvedAtMs: expect.any(Number) }]);
    const [history] = await explainContact(linked.app.store, 'default', 'ada@x.org');
    const reasons = history?.entries.map(({ side, changes }) => [
      side,
      changes.map(({ to, why }) => [to[0], why.kind]),
    ]);
    expect(reasons?.slice(-3)).toEqual([
      ['left', [['Brewer', 'conflict']]],
      ['left', [['Baker', 'taken']]],
      ['right', [['Baker', 'taken']]],
    ]);
    await expectQuiet(linked);
    await linked.undo(summary.run);
    expect(titles(linked)).toEqual(['Brewer', 'Brewer']);
    await expectQuiet(linked);
  });

  test('R5: a later edit is kept and ends the review', async () => {
    await using linked = await disputed();
    await take(linked, 'left');
    linked.sandbox.service.account.updateContact(serviceId(linked), { title: 'Butcher' });
    expect(written((await linked.sync()).summary)).toEqual([1, 0]);
    expect(titles(linked)).toEqual(['Butcher', 'Butcher']);
    expect(await rows(linked)).toMatchObject([{ review: null, resolvedAtMs: expect.any(Number) }]);
    await expectQuiet(linked);
  });

  test('R15: a side that refuses the reviewed value gets it later', async () => {
    await using linked = await disputed();
    await take(linked, 'left');
    linked.sandbox.service.addFault({ method: 'PATCH', path: '/contacts', action: { kind: 'status', status: 422 } });
    expect((await linked.sync()).summary.skipped).toBe(1);
    expect(titles(linked)).toEqual(['Baker', 'Brewer']);
    expect(await rows(linked)).toMatchObject([{ review: 'left', resolvedAtMs: null }]);
    await linked.sync({ afterMs: 24 * 60 * 60_000 });
    expect(titles(linked)).toEqual(['Baker', 'Baker']);
    expect(await rows(linked)).toMatchObject([{ resolvedAtMs: expect.any(Number) }]);
    await expectQuiet(linked);
  });

  test('R9: both sides get the reviewed value after the answer of one side was lost', async () => {
    await using linked = await disputed();
    await take(linked, 'left');
    linked.sandbox.service.addFault({ method: 'PATCH', path: '/contacts', action: { kind: 'reset-after' } });
    await linked.sync();
    await linked.sync({ afterMs: 60_000 });
    expect(titles(linked)).toEqual(['Baker', 'Baker']);
    await expectQuiet(linked);
  });

  test('a review ends where the contact is on one side only', async () => {
    await using linked = await disputed({ DELETE_POLICY: 'keep' });
    linked.sandbox.service.account.deleteContact(serviceId(linked));
    for (const _ of [1, 2]) {
      await linked.sync({ afterMs: 60 * 60_000 });
    }
    expect((await linked.app.store.counts('default')).pairs).toBe(0);
    await take(linked, 'left');
    await expectQuiet(linked);
    expect(await rows(linked)).toMatchObject([{ review: null, resolvedAtMs: expect.any(Number) }]);
  });

  test('a dismissed review writes no value', async () => {
    await using linked = await disputed();
    await take(linked, 'dismissed');
    await expectQuiet(linked);
    expect(titles(linked)).toEqual(['Brewer', 'Brewer']);
  });
});
