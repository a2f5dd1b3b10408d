import { expect, test } from 'vitest';
import { readSides } from '../../support/compare-sides.ts';
import { googleId, person } from '../../support/linked-people.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const synced = async (linked: LinkedSandbox): Promise<string> => {
  const summary = await linked.synced();
  linked.clock.advance(60_000);
  return summary.run;
};

test('R9: an undo restores no contact that already exists again next to its restored counterpart', async () => {
  await using linked = await startLinkedSandbox(
    { google: ['Ada', 'Ben', 'Cid', 'Dot'].map((name) => person(name)), service: [] },
    { SWEEP_INTERVAL: '1s' },
  );
  const { account } = linked.sandbox.google;
  await synced(linked);
  const before = readSides(linked.sandbox);
  const ada = account.contacts.living(googleId(linked, 'Ada'));
  if (ada === undefined) throw new Error('There is no Ada.');
  account.deletePerson(ada.resourceName);
  account.deletePerson(googleId(linked, 'Ben'));
  const deletion = await synced(linked);
  // Google's bin gives her back.
  account.contacts.update(
    { ...ada, deleted: false },
    { ...ada.state, updatedMicros: account.nextMicros() },
    account.now(),
  );
  await synced(linked);
  const names = (side: 'google' | 'service') => readSides(linked.sandbox)[side].map(({ name }) => name);
  expect([names('google'), names('service')]).toEqual([
    ['Ada Tester', 'Cid Tester', 'Dot Tester'],
    ['Ada Tester', 'Cid Tester', 'Dot Tester'],
  ]);
  const { report, result } = await linked.undo(deletion);
  expect(result.error).toBeNull();
  expect(report.refused).toEqual([]);
  expect(names('service')).toEqual(before.service.map(({ name }) => name));
  linked.clock.advance(60_000);
  await synced(linked);
  expect(names('google')).toEqual(['Ada Tester', 'Cid Tester', 'Dot Tester']);
});
