import { expect, test } from 'vitest';
import { readSides } from '../../support/compare-sides.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

/** From now on every create at the service is answered by this status. */
const breakCreates = async (linked: LinkedSandbox, status: number): Promise<void> => {
  const response = await fetch(`${linked.sandbox.service.url}/__control/faults`, {
    method: 'POST',
    body: JSON.stringify({ method: 'POST', path: '/v2/contacts$', times: 10_000, action: { kind: 'status', status } }),
  });
  expect(response.ok).toBe(true);
};

const repairCreates = async (linked: LinkedSandbox): Promise<void> => {
  const response = await fetch(`${linked.sandbox.service.url}/__control/faults`, { method: 'DELETE' });
  expect(response.ok).toBe(true);
};

const AT_ONCE = 12;
const UNANSWERED_CALLS = 10;

test('R15: a service that reads well and fails at every write ends the run instead of being asked contact by contact', async () => {
  // The run after the outage waits between its searches for what the lost creations made.
  await using linked = await startLinkedSandbox({ count: 80, seed: 5 }, {}, { hurry: 20 });
  await breakCreates(linked, 500);
  const broken = await linked.sync();
  expect(broken.summary.outcome).toBe('failed');
  expect(broken.summary.right.created).toBe(0);
  const journaled = await linked.app.store.journal('default', { open: true });
  expect(journaled.filter(({ side, kind }) => side === 'right' && kind === 'create').length).toBeLessThan(
    UNANSWERED_CALLS + AT_ONCE,
  );
  await repairCreates(linked);
  const repaired = await linked.sync();
  expect(repaired.error).toBeNull();
  const { google, service } = readSides(linked.sandbox);
  expect(google).toEqual(service);
});

test('R9, R16: a create that is refused with 403 leaves no write of unknown outcome behind', async () => {
  await using linked = await startLinkedSandbox({ count: 20, seed: 6 });
  await breakCreates(linked, 403);
  const refused = await linked.sync();
  expect(refused.summary.outcome).toBe('failed');
  expect(await linked.app.store.journal('default', { open: true })).toEqual([]);
  await repairCreates(linked);
  expect((await linked.sync()).error).toBeNull();
  const { google, service } = readSides(linked.sandbox);
  expect(google).toEqual(service);
});
