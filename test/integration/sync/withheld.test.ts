import { expect, test } from 'vitest';
import type { Fault } from '../../../src/sandbox/service/faults.ts';
import { named } from '../../support/linked-people.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const PEOPLE = ['Ada', 'Ben'].map((name) => named(name));
const MINUTE_MS = 60_000;
const GET_ONE = { method: 'GET', path: '^/v2/contacts/[^/]+$' } as const;

const openWrites = ({ app }: LinkedSandbox) => app.store.journal('default', { open: true });

/** A link in step, of which a title edited at Google is written to the service and the answer is lost. */
const loseAnUpdate = async (linked: LinkedSandbox, action: Fault['action']) => {
  const { google, service } = linked.sandbox;
  await linked.synced();
  const [person] = google.account.people();
  const name = person?.resourceName ?? '';
  google.account.updatePerson(name, { organizations: [{ title: 'Countess' }] });
  linked.sandbox.service.addFault({ method: 'PATCH', path: '^/v2/contacts/[^/]+$', times: 1, action });
  linked.clock.advance(20 * MINUTE_MS);
  const titles = () =>
    service.account
      .contacts()
      .map(({ title }) => title ?? '')
      .toSorted();
  return { titles };
};

test.each(['reset-after', 'reset-before'] as const)(
  'R9, R7: a contact whose read is refused once, after a write without an answer (%s), does not count as deleted',
  async (kind) => {
    await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
    const { titles } = await loseAnUpdate(linked, { kind });
    linked.sandbox.service.addFault({ ...GET_ONE, action: { kind: 'status', status: 403 } });
    const summary = await linked.synced();
    expect(summary).toMatchObject({ skipped: 1, right: { created: 0, deleted: 0 } });
    expect(await openWrites(linked)).toMatchObject([{ kind: 'update', side: 'right' }]);
    expect((await linked.app.store.link('default')).rejections).toMatchObject([{ side: 'right', attempts: 1 }]);

    expect((await linked.sync({ afterMs: 4 * MINUTE_MS })).summary).toMatchObject({
      skipped: 0,
      right: { created: 0, updated: 0 },
    });
    expect(await openWrites(linked)).toHaveLength(1);

    await linked.synced({ afterMs: 2 * MINUTE_MS });
    expect(await openWrites(linked)).toEqual([]);
    expect((await linked.app.store.link('default')).rejections).toEqual([]);
    expect(titles()).toEqual(['', 'Countess']);
    expect((await linked.sync()).summary).toMatchObject({ left: { updated: 0 }, right: { created: 0, updated: 0 } });
  },
);

test('R7, R9: a contact that stays refused and that a listing misses is deleted, and its write is settled', async () => {
  await using linked = await startLinkedSandbox(
    { google: PEOPLE, service: [], variants: { service: { missingRecordStatus: '403' } } },
    { SWEEP_INTERVAL: '1h' },
  );
  const { titles } = await loseAnUpdate(linked, { kind: 'reset-before' });
  linked.sandbox.service.addFault({ ...GET_ONE, action: { kind: 'status', status: 403 } });
  await linked.synced();
  const written = (await openWrites(linked))[0]?.rightId ?? '';
  linked.sandbox.service.account.deleteContact(written);
  for (const minutes of [20, 60, 60]) await linked.synced({ afterMs: minutes * MINUTE_MS });
  expect(await openWrites(linked)).toEqual([]);
  // The edit beats the deletion: the contact comes back, once.
  expect(titles()).toEqual(['', 'Countess']);
  expect(linked.sandbox.google.account.people()).toHaveLength(2);
});
