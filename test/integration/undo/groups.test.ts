import { describe, expect, test } from 'vitest';
import { readLinkRecord } from '../../../src/engine/history/link-record.ts';
import { readGroupNames, readSides } from '../../support/compare-sides.ts';
import { bucketId, googleId, labelId, person, serviceId } from '../../support/linked-people.ts';
import { startLinkedSandbox, startSyncedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const PEOPLE = [
  person('Ada', { groups: ['Choir'] }),
  person('Ben', { groups: ['Choir', 'Team'] }),
  person('Cid', { groups: ['Team'] }),
  ...['Dot', 'Eve', 'Fay', 'Gus', 'Hal'].map((name) => person(name)),
];

const started = async (): Promise<LinkedSandbox> => {
  const linked = await startSyncedSandbox({ google: PEOPLE, service: [] }, { SWEEP_INTERVAL: '1s' });
  linked.clock.advance(60_000);
  return linked;
};

/** Syncs, and a minute later undoes what the run wrote. */
const undoNext = async (linked: LinkedSandbox, between: () => unknown = () => undefined) => {
  const { summary } = await linked.sync({ afterMs: 60_000 });
  between();
  linked.clock.advance(60_000);
  const { report, result } = await linked.undo();
  expect([result.error, report.refused]).toEqual([null, []]);
  linked.clock.advance(60_000);
  return { summary, actions: report.actions };
};

const groupsOf = (linked: LinkedSandbox, side: 'google' | 'service') =>
  Object.fromEntries(
    readSides(linked.sandbox)[side].flatMap(({ name, groups }) => (groups.length > 0 ? [[name, groups]] : [])),
  );

const expectQuiet = async (linked: LinkedSandbox): Promise<void> => {
  const none = { created: 0, updated: 0, deleted: 0, groupsChanged: 0, groupsDeleted: 0 };
  for (const kind of ['incremental', 'full'] as const) {
    expect(await linked.synced({ afterMs: 60_000, kind })).toMatchObject({ left: none, right: none });
  }
};

const MEMBERS = { 'Ada Tester': ['Choir'], 'Ben Tester': ['Choir', 'Team'], 'Cid Tester': ['Team'] };

describe('R8: the undo of a run that deleted a group', () => {
  test.each(['google', 'service'] as const)('the undo restores the group and its members at %s', async (side) => {
    await using linked = await started();
    const { google, service } = linked.sandbox;
    if (side === 'google') service.account.deleteBucket(bucketId(linked, 'Choir'));
    else google.account.deleteGroup(labelId(linked, 'Choir'));
    const { actions } = await undoNext(linked, () =>
      expect(readGroupNames(linked.sandbox)).toEqual({ google: ['Team'], service: ['Team'] }),
    );
    const why = { kind: 'undo', of: expect.any(String) };
    expect(actions).toContainEqual({
      side: side === 'google' ? 'left' : 'right',
      action: 'create-group',
      name: 'Choir',
      changes: [{ field: 'name', from: [], to: ['Choir'], why }],
      why,
    });
    expect(readGroupNames(linked.sandbox)[side]).toEqual(['Choir', 'Team']);
    expect(groupsOf(linked, side)).toEqual(MEMBERS);
    // The undo writes to one side only. The next sync creates the group on the other side.
    await linked.sync();
    for (const each of ['google', 'service'] as const) expect(groupsOf(linked, each)).toEqual(MEMBERS);
    await expectQuiet(linked);
    expect(readGroupNames(linked.sandbox)).toEqual({ google: ['Choir', 'Team'], service: ['Choir', 'Team'] });
  });

  test.each(['google', 'service'] as const)(
    'R9, R11: if its user deletes the restored group at %s, and makes a new one on the other side, the new one survives',
    async (side) => {
      await using linked = await started();
      const { google, service } = linked.sandbox;
      if (side === 'google') service.account.deleteBucket(bucketId(linked, 'Choir'));
      else google.account.deleteGroup(labelId(linked, 'Choir'));
      await undoNext(linked);
      if (side === 'google') {
        google.account.deleteGroup(labelId(linked, 'Choir'));
        service.account.createBucket({ name: 'Choir' });
      } else {
        service.account.deleteBucket(bucketId(linked, 'Choir'));
        google.account.createGroup('Choir');
      }
      await linked.synced();
      expect(readGroupNames(linked.sandbox)).toEqual({ google: ['Choir', 'Team'], service: ['Choir', 'Team'] });
      await expectQuiet(linked);
    },
  );

  test('the undo restores goal and reminder interval of a bucket', async () => {
    await using linked = await started();
    const { google, service } = linked.sandbox;
    service.account.updateBucket(bucketId(linked, 'Choir'), { goal: 'Sing together', reminderInterval: 30 });
    google.account.deleteGroup(labelId(linked, 'Choir'));
    await undoNext(linked);
    const returned = service.account.buckets().find(({ name }) => name === 'Choir');
    expect(returned).toMatchObject({ goal: 'Sing together', reminder_interval: 30 });
  });

  test('the undo adds the members to a new group with the same name', async () => {
    await using linked = await started();
    const { google, service } = linked.sandbox;
    service.account.deleteBucket(bucketId(linked, 'Choir'));
    const { actions } = await undoNext(linked, () => google.account.createGroup('Choir'));
    expect(actions.map(({ action }) => action)).toEqual(['update', 'update']);
    expect(readGroupNames(linked.sandbox).google).toEqual(['Choir', 'Team']);
    expect(groupsOf(linked, 'google')).toEqual(MEMBERS);
  });

  test('the undo restores a contact in the group that the same run deleted', async () => {
    await using linked = await started();
    const { google, service } = linked.sandbox;
    service.account.deleteContact(serviceId(linked, 'Ada'));
    service.account.deleteBucket(bucketId(linked, 'Choir'));
    const { summary } = await undoNext(linked);
    expect(summary).toMatchObject({ left: { deleted: 1, groupsDeleted: 1 } });
    expect(groupsOf(linked, 'google')).toEqual(MEMBERS);
    expect(google.account.people()).toHaveLength(PEOPLE.length);
  });

  test('R9: the undo works after the answer to the deletion was lost: the next run reads the outcome', async () => {
    await using linked = await started();
    const { google, service } = linked.sandbox;
    service.account.deleteBucket(bucketId(linked, 'Choir'));
    linked.clock.advance(60_000);
    google.addFault({ method: 'DELETE', path: 'contactGroups', times: 9, action: { kind: 'reset-after' } });
    const broken = await linked.sync();
    expect(broken.summary).toMatchObject({ outcome: 'failed', left: { groupsDeleted: 0 } });
    const open = await linked.app.store.journal('default', { open: true });
    expect(open).toMatchObject([{ kind: 'group-delete', group: { name: 'Choir' } }]);
    expect(open[0]?.kind === 'group-delete' && open[0].group.members).toHaveLength(2);
    google.clearFaults();
    await linked.synced({ afterMs: 60_000 });
    expect(await linked.app.store.journal('default', { run: broken.summary.run })).toMatchObject([{ state: 'done' }]);
    linked.clock.advance(60_000);
    await linked.undo();
    expect(groupsOf(linked, 'google')).toEqual(MEMBERS);
    await linked.sync({ afterMs: 60_000 });
    await expectQuiet(linked);
  });
});

const startLabelled = async () => {
  const linked = await startLinkedSandbox({
    google: ['Ada', 'Ben'].map((name) => person(name, { groups: ['VIP'] })),
    service: [],
  });
  const label = (...names: readonly string[]): void => {
    linked.sandbox.google.account.setGroups(googleId(linked, 'Ada'), [
      'contactGroups/myContacts',
      ...names.map((name) => labelId(linked, name)),
    ]);
  };
  await linked.synced();
  label();
  await linked.synced({ afterMs: 60_000 });
  label('VIP');
  const { run } = await linked.synced({ afterMs: 60_000 });
  const undo = async (id: string): Promise<string> => {
    linked.clock.advance(60_000);
    return (await linked.undo(id, { accepts: { kind: 'losses' } })).result.summary.run;
  };
  const skipped = async () => (await readLinkRecord(linked.app.store, 'default')).skipped.map(({ reason }) => reason);
  return { linked, run, label, undo, skipped };
};

test('R2, R11: a group that an undo reverted is reported until a user or another undo makes it equal on both sides', async () => {
  const { linked, run, label, undo, skipped } = await startLabelled();
  await using _linked = linked;
  const undone = await undo(run);
  expect(await skipped()).toMatchObject([expect.stringContaining('"groups"')]);
  const again = await undo(undone);
  expect(await skipped()).toEqual([]);
  await undo(again);
  expect(await skipped()).toHaveLength(1);
  label();
  await linked.synced({ afterMs: 60_000 });
  expect(await skipped()).toEqual([]);
});
