import { describe, expect, test } from 'vitest';
import { decideConflicts, listConflicts } from '../../../src/engine/history/conflicts.ts';
import { explainContact } from '../../../src/engine/history/explain.ts';
import { readLinkRecord } from '../../../src/engine/history/link-record.ts';
import { googleId, person, serviceId } from '../../support/linked-people.ts';
import { type LinkedSandbox, startSyncedSandbox } from '../../support/linked-sandbox.ts';

/** Sets the titles of Ada, the one at the service five seconds later. Null changes nothing. */
const setTitles = ({ clock, ...linked }: LinkedSandbox, google: string | null, service: string | null): void => {
  clock.advance(60_000);
  const { sandbox } = linked;
  const organizations = [{ title: google ?? '' }];
  if (google !== null) sandbox.google.account.updatePerson(googleId(linked, 'Ada'), { organizations });
  clock.advance(5_000);
  if (service !== null) sandbox.service.account.updateContact(serviceId(linked, 'Ada'), { title: service });
};

const start = async (variables: Record<string, string>, conflicts: readonly number[]): Promise<LinkedSandbox> => {
  const people = { google: [person('Ada')], service: [person('Ada')] };
  const linked = await startSyncedSandbox(people, { SWEEP_INTERVAL: '1h', ...variables });
  setTitles(linked, 'Baker', 'Brewer');
  const { conflicts: settled, asked = 0 } = await linked.synced();
  expect([settled, asked]).toEqual(conflicts);
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
const open = ({ app, link }: LinkedSandbox) => listConflicts(app.store, 'default', link, { all: false });

const answer = async (linked: LinkedSandbox, take: 'left' | 'right'): Promise<void> => {
  const { store, lease } = linked.app;
  const ids = (await store.conflicts('default', { all: false })).map(({ id }) => id);
  await decideConflicts(lease, linked.link, ids, take);
};

/** Syncs, and returns the numbers of updates at Google and at the service. */
const updates = async (linked: LinkedSandbox, options: Parameters<LinkedSandbox['sync']>[0] = {}) => {
  const { left, right } = (await linked.sync(options)).summary;
  return [left.updated, right.updated];
};

const expectIdle = async (linked: LinkedSandbox): Promise<void> => {
  const { left, right, asked = 0 } = await linked.synced({ afterMs: 60_000 });
  expect([left, right, asked]).toMatchObject([{ pulled: 0, updated: 0 }, { pulled: 0, updated: 0 }, 0]);
  expect(await linked.app.store.halves('default', { by: 'state', states: ['changed', 'missing'] })).toEqual([]);
};

describe('R4: a question about a conflict', () => {
  test('an open question is listed, changes no side and causes no request in an idle run', async () => {
    await using linked = await asking();
    expect(titles(linked)).toEqual(['Baker', 'Brewer']);
    const question = { field: 'title', left: 'Baker', right: 'Brewer', winner: null, state: 'open', by: 'undecided' };
    expect(await open(linked)).toMatchObject([{ ...question, name: 'Ada Tester' }]);
    expect((await readLinkRecord(linked.app.store, 'default')).openConflicts).toBe(1);
    for (const _ of [1, 2, 3]) await expectIdle(linked);
    expect(await rows(linked)).toHaveLength(1);
  });

  test.each([
    ['left', 'Baker', [0, 1]],
    ['right', 'Brewer', [1, 0]],
  ] as const)('an answer writes the %s value, and the write can be undone', async (side, title, updated) => {
    await using linked = await asking();
    await answer(linked, side);
    expect(await open(linked)).toMatchObject([{ state: 'settled', winner: side, by: 'user' }]);
    expect(await updates(linked)).toEqual(updated);
    expect(titles(linked)).toEqual([title, title]);
    expect(await rows(linked)).toMatchObject([{ decided: side, endedAtMs: expect.any(Number) }]);
    await expectIdle(linked);
    await linked.undo();
    expect(await updates(linked, { afterMs: 60_000 })).toEqual([0, 0]);
    expect(titles(linked)).toEqual(['Baker', 'Brewer']);
  });

  test('the next run decides an open question after the policy no longer asks', async () => {
    await using linked = await asking();
    expect(await updates(linked, { link: { conflictsByField: { title: 'left' } } })).toEqual([0, 1]);
    expect(titles(linked)).toEqual(['Baker', 'Baker']);
    expect(await rows(linked)).toMatchObject([
      { winner: null, endedAtMs: expect.any(Number) },
      { winner: 'left', endedAtMs: null },
    ]);
  });
});

const expectQuiet = async (linked: LinkedSandbox): Promise<void> =>
  expect(await updates(linked, { afterMs: 60_000 })).toEqual([0, 0]);

describe('R4: a decision about a settled conflict', () => {
  test('the next run writes the other value to both sides once, and the write can be undone', async () => {
    await using linked = await disputed();
    expect(titles(linked)).toEqual(['Brewer', 'Brewer']);
    await answer(linked, 'left');
    expect(await updates(linked)).toEqual([1, 1]);
    expect(titles(linked)).toEqual(['Baker', 'Baker']);
    expect(await rows(linked)).toMatchObject([{ decided: 'left', endedAtMs: expect.any(Number) }]);
    const [history] = await explainContact(linked.app.store, linked.link, googleId(linked, 'Ada'));
    const causes = history?.entries.map(({ side, changes }) => [side, changes.map(({ to, why }) => [...to, why.kind])]);
    expect(causes?.slice(-3)).toEqual([
      ['left', [['Brewer', 'conflict']]],
      ['left', [['Baker', 'taken']]],
      ['right', [['Baker', 'taken']]],
    ]);
    await expectQuiet(linked);
    await linked.undo();
    expect(titles(linked)).toEqual(['Brewer', 'Brewer']);
    await expectQuiet(linked);
  });

  test('R5: a later edit is kept, and the decision lapses', async () => {
    await using linked = await disputed();
    await answer(linked, 'left');
    linked.sandbox.service.account.updateContact(serviceId(linked, 'Ada'), { title: 'Butcher' });
    expect(await updates(linked)).toEqual([1, 0]);
    expect(titles(linked)).toEqual(['Butcher', 'Butcher']);
    expect(await rows(linked)).toMatchObject([{ decided: null, endedAtMs: expect.any(Number) }]);
    await expectQuiet(linked);
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
