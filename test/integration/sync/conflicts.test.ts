import { describe, expect, test } from 'vitest';
import { decidingLinkOf, decidingOf } from '../../../src/app/config/config.ts';
import { decideConflicts, listConflicts } from '../../../src/engine/history/conflicts.ts';
import { explainContact } from '../../../src/engine/history/explain.ts';
import { readLinkRecord } from '../../../src/engine/history/link-record.ts';
import { named } from '../../support/linked-people.ts';
import { type LinkedSandbox, startSyncedSandbox } from '../../support/linked-sandbox.ts';

const ADA = named('Ada', { familyName: 'King', emails: [{ value: 'ada@x.org', label: null }] });

const googleId = ({ sandbox }: LinkedSandbox): string => sandbox.google.account.people()[0]?.resourceName ?? '';
const serviceId = ({ sandbox }: LinkedSandbox): string => sandbox.service.account.contacts()[0]?.id ?? '';

const setTitles = (linked: LinkedSandbox, google: string | null, service: string | null): void => {
  linked.clock.advance(60_000);
  const { sandbox } = linked;
  const organizations = google === '' ? [] : [{ title: google ?? '' }];
  if (google !== null) sandbox.google.account.updatePerson(googleId(linked), { organizations });
  linked.clock.advance(5_000);
  if (service !== null) sandbox.service.account.updateContact(serviceId(linked), { title: service });
};

const start = async (variables: Record<string, string>, conflicts: readonly number[]): Promise<LinkedSandbox> => {
  const linked = await startSyncedSandbox({ google: [ADA], service: [ADA] }, { SWEEP_INTERVAL: '1h', ...variables });
  setTitles(linked, 'Baker', 'Brewer');
  const { summary } = await linked.sync();
  expect([summary.conflicts, summary.asked ?? 0]).toEqual(conflicts);
  linked.clock.advance(60_000);
  return linked;
};
const asking = () => start({ CONFLICT_POLICY: 'ask' }, [0, 1]);
const disputed = (variables: Record<string, string> = {}) => start(variables, [1, 0]);

const titles = ({ sandbox }: LinkedSandbox) => [
  sandbox.google.account.people()[0]?.organizations?.[0]?.title ?? '',
  sandbox.service.account.contacts()[0]?.title ?? '',
];

const rows = ({ app }: LinkedSandbox) => app.store.conflicts('default', { all: true });
const open = ({ app, link }: LinkedSandbox) => listConflicts(app.store, 'default', decidingOf(link), { all: false });

const answer = async (linked: LinkedSandbox, take: 'left' | 'right'): Promise<void> => {
  const { store, holders } = linked.app;
  const ids = (await store.conflicts('default', { all: false })).map(({ id }) => id);
  const parts = { store, clock: linked.clock, newId: () => 'decision', holders };
  await decideConflicts(parts, { link: 'default', terms: decidingOf(linked.link) }, ids, take);
};

const written = ({ left, right }: { left: { updated: number }; right: { updated: number } }) => [
  left.updated,
  right.updated,
];

const expectIdle = async (linked: LinkedSandbox): Promise<void> => {
  const { summary } = await linked.sync({ afterMs: 60_000 });
  expect([summary.left.pulled, summary.right.pulled, summary.asked ?? 0, ...written(summary)]).toEqual([0, 0, 0, 0, 0]);
  expect(await linked.app.store.halves('default', { by: 'state', states: ['changed', 'missing'] })).toEqual([]);
};

describe('R4: a question about a conflict', () => {
  test('an open question is listed, changes no side and causes no request in an idle run', async () => {
    await using linked = await asking();
    expect(titles(linked)).toEqual(['Baker', 'Brewer']);
    expect(await open(linked)).toMatchObject([
      {
        field: 'title',
        left: 'Baker',
        right: 'Brewer',
        winner: null,
        state: 'open',
        by: 'undecided',
        name: 'Ada King',
      },
    ]);
    expect((await readLinkRecord(linked.app.store, 'default')).openConflicts).toBe(1);
    for (const _ of [1, 2, 3]) await expectIdle(linked);
    expect(await rows(linked)).toHaveLength(1);
  });

  test.each([
    ['left', 'Baker', [0, 1]],
    ['right', 'Brewer', [1, 0]],
  ] as const)('an answer writes the %s value, and the write can be undone', async (side, title, updates) => {
    await using linked = await asking();
    await answer(linked, side);
    expect(await open(linked)).toMatchObject([{ state: 'settled', winner: side, by: 'user' }]);
    const { summary } = await linked.sync();
    expect(written(summary)).toEqual(updates);
    expect(titles(linked)).toEqual([title, title]);
    expect(await rows(linked)).toMatchObject([{ decided: side, endedAtMs: expect.any(Number) }]);
    await expectIdle(linked);
    await linked.undo(summary.run);
    expect(titles(linked)).toEqual(['Baker', 'Brewer']);
    linked.clock.advance(60_000);
    expect(written((await linked.sync()).summary)).toEqual([0, 0]);
    expect(titles(linked)).toEqual(['Baker', 'Brewer']);
  });

  test('an edit after the answer opens the question again', async () => {
    await using linked = await asking();
    await answer(linked, 'left');
    setTitles(linked, null, 'Butcher');
    const { summary } = await linked.sync();
    expect([summary.asked, ...written(summary)]).toEqual([1, 0, 0]);
    expect(titles(linked)).toEqual(['Baker', 'Butcher']);
    expect(await open(linked)).toMatchObject([{ left: 'Baker', right: 'Butcher', state: 'open' }]);
    expect(await rows(linked)).toMatchObject([{ decided: null, endedAtMs: expect.any(Number) }, { decided: null }]);
    await expectIdle(linked);
  });

  test('the next run decides an open question after the policy no longer asks', async () => {
    await using linked = await asking();
    const { summary } = await linked.sync({ link: { conflictPolicyByField: { title: 'left' } } });
    expect(written(summary)).toEqual([0, 1]);
    expect(titles(linked)).toEqual(['Baker', 'Baker']);
    expect(await rows(linked)).toMatchObject([
      { winner: null, endedAtMs: expect.any(Number) },
      { winner: 'left', endedAtMs: null },
    ]);
  });
});

const expectQuiet = async (linked: LinkedSandbox): Promise<void> => {
  linked.clock.advance(60_000);
  expect(written((await linked.sync()).summary)).toEqual([0, 0]);
};

describe('R4: a decision about a settled conflict', () => {
  test('the next run writes the other value to both sides once, and the write can be undone', async () => {
    await using linked = await disputed();
    expect(titles(linked)).toEqual(['Brewer', 'Brewer']);
    await answer(linked, 'left');
    const { summary } = await linked.sync();
    expect(written(summary)).toEqual([1, 1]);
    expect(titles(linked)).toEqual(['Baker', 'Baker']);
    expect(await rows(linked)).toMatchObject([{ decided: 'left', endedAtMs: expect.any(Number) }]);
    const [history] = await explainContact(linked.app.store, decidingLinkOf(linked.link), 'ada@x.org');
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

  test('R5: a later edit is kept, and the decision lapses', async () => {
    await using linked = await disputed();
    await answer(linked, 'left');
    linked.sandbox.service.account.updateContact(serviceId(linked), { title: 'Butcher' });
    expect(written((await linked.sync()).summary)).toEqual([1, 0]);
    expect(titles(linked)).toEqual(['Butcher', 'Butcher']);
    expect(await rows(linked)).toMatchObject([{ decided: null, endedAtMs: expect.any(Number) }]);
    await expectQuiet(linked);
  });

  test('R15: a side that refuses the chosen value gets it later', async () => {
    await using linked = await disputed();
    await answer(linked, 'left');
    linked.sandbox.service.addFault({ method: 'PATCH', path: '/contacts', action: { kind: 'status', status: 422 } });
    expect((await linked.sync()).summary.skipped).toBe(1);
    expect(titles(linked)).toEqual(['Baker', 'Brewer']);
    expect(await rows(linked)).toMatchObject([{ decided: 'left', endedAtMs: null }]);
    await linked.sync({ afterMs: 24 * 60 * 60_000 });
    expect(titles(linked)).toEqual(['Baker', 'Baker']);
    expect(await rows(linked)).toMatchObject([{ endedAtMs: expect.any(Number) }]);
    await expectQuiet(linked);
  });

  test('a conflict whose contact is on one side only cannot be decided', async () => {
    await using linked = await disputed({ DELETE_POLICY: 'keep' });
    linked.sandbox.service.account.deleteContact(serviceId(linked));
    for (const _ of [1, 2]) {
      await linked.sync({ afterMs: 60 * 60_000 });
    }
    expect((await linked.app.store.counts('default')).pairs).toBe(0);
    await answer(linked, 'left');
    await expectQuiet(linked);
    expect(await rows(linked)).toMatchObject([{ decided: null, endedAtMs: expect.any(Number) }]);
  });

  test('a decision can be changed before the next run', async () => {
    await using linked = await disputed();
    await answer(linked, 'left');
    expect(await open(linked)).toMatchObject([{ state: 'settled', winner: 'left', by: 'user', choices: ['right'] }]);
    await answer(linked, 'right');
    expect(await open(linked)).toMatchObject([{ winner: 'right', by: 'user', choices: ['left'] }]);
    await expectQuiet(linked);
    expect(titles(linked)).toEqual(['Brewer', 'Brewer']);
  });
});
