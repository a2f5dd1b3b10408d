import { expect, test } from 'vitest';
import { readLinkRecord } from '../../../src/engine/history/link-record.ts';
import { person, googleId, labelId } from '../../support/linked-people.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

const MY_CONTACTS = 'contactGroups/myContacts';

/** Ada is in the groups of both sides, and a run has added her to VIP at the service. */
const startLabelled = async () => {
  const linked = await startLinkedSandbox({
    google: [
      { ...person('Ada'), groups: ['VIP'] },
      { ...person('Ben'), groups: ['VIP'] },
    ],
    service: [],
  });
  const label = (...names: readonly string[]): void => {
    linked.sandbox.google.account.setGroups(googleId(linked, 'Ada'), [
      MY_CONTACTS,
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
    return (await linked.undo(id, { acceptDeletes: true })).result.summary.run;
  };
  const skipped = async () => (await readLinkRecord(linked.app.store, 'default')).skipped.map(({ reason }) => reason);
  return { linked, run, label, undo, skipped };
};

test('R2, R11: a group that an undo reverted is reported until it is equal on both sides, and no longer', async () => {
  const { linked, run, label, undo, skipped } = await startLabelled();
  await using _linked = linked;
  await undo(run);
  expect(await skipped()).toMatchObject([expect.stringContaining('"groups"')]);
  label();
  await linked.synced({ afterMs: 60_000 });
  expect(await skipped()).toEqual([]);
});

test('R2, R11: a group is not reported if the undo of an undo made it equal on both sides again', async () => {
  const { linked, run, undo, skipped } = await startLabelled();
  await using _linked = linked;
  await undo(await undo(run));
  expect(await skipped()).toEqual([]);
});
