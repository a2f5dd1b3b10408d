import { expect, test } from 'vitest';
import { readLinkRecord } from '../../../src/engine/history/link-record.ts';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { startLinkedSandbox } from '../../support/linked-sandbox.ts';

const person = (givenName: string) => ({
  ...EMPTY_PERSON,
  givenName,
  emails: [{ value: `${givenName.toLowerCase()}@x.org`, label: null }],
});

test('the record of a link lists refused, skipped and left-out contacts, and the time since which it fails', async () => {
  const both = [person('Ada'), person('Ben')];
  await using linked = await startLinkedSandbox({ google: both, service: both }, { DELETE_POLICY: 'keep' });
  const { google, service } = linked.sandbox;
  const read = () => readLinkRecord(linked.app.store, 'default');
  expect(await read()).toEqual({
    pairs: 0,
    openConflicts: 0,
    refused: [],
    skipped: [],
    alone: [],
    unselected: { left: 0, right: 0 },
    lastRun: null,
    lastSuccessAtMs: null,
    failures: 0,
  });
  await linked.sync();
  linked.clock.advance(60_000);

  const idOf = (name: string) =>
    google.account.people().find(({ names }) => names?.[0]?.givenName === name)?.resourceName ?? '';
  const [ada, ben] = [idOf('Ada'), idOf('Ben')];
  const empty = google.account.createPerson({ birthdays: [{ date: { year: 1815 } }] });
  google.account.updatePerson(ada, { organizations: [{ title: 'Baker' }] });
  google.account.deletePerson(ben);
  service.addFault({ method: 'PATCH', path: '/contacts', action: { kind: 'status', status: 422 } });
  const { summary } = await linked.sync();
  const afterRefusal = await read();
  expect(afterRefusal).toMatchObject({
    pairs: 1,
    refused: [{ side: 'right', leftId: ada, name: 'Ada', attempts: 1 }],
    skipped: [
      { side: 'left', leftId: empty, name: null, reason: expect.stringContaining('no value in a synced field') },
    ],
    alone: [{ side: 'right', name: 'Ben', undoRun: null }],
    lastRun: { id: summary.run, outcome: 'completed' },
    failures: 0,
  });

  service.addFault({ path: '/', action: { kind: 'status', status: 404 }, times: 1_000 });
  for (const _ of [1, 2]) {
    expect((await linked.sync({ afterMs: 60_000 })).summary.outcome).toBe('failed');
  }
  expect(await read()).toMatchObject({ failures: 2, lastSuccessAtMs: afterRefusal.lastSuccessAtMs });
  service.clearFaults();
  expect((await linked.sync({ afterMs: 60_000 })).summary.outcome).toBe('completed');
  expect(await read()).toMatchObject({ failures: 0 });
});
