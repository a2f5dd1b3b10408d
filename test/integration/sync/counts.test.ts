import { expect, test } from 'vitest';
import { decidingLinkOf } from '../../../src/app/config/config.ts';
import { SIDES } from '../../../src/core/contact/side.ts';
import { readLinkRecord } from '../../../src/engine/history/link-record.ts';
import { listWrites } from '../../../src/engine/history/run-writes.ts';
import { listRuns } from '../../../src/engine/history/runs.ts';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { countBySide } from '../../../src/core/view/changes.ts';
import { changeKindOf, type Change } from '../../../src/core/view/views.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const PEOPLE = ['Ada', 'Ben', 'Cleo'].map((givenName) => ({ ...EMPTY_PERSON, givenName, groups: ['Friends'] }));

const COUNTED = { creates: 'created', updates: 'updated', deletes: 'deleted' } as const;

/** The numbers of contacts by kind and side that the headings of a list name. */
const headings = (changes: readonly Change[]) => {
  const ofContacts = changes.filter((change) => 'leftId' in change);
  const groups = Map.groupBy(ofContacts, changeKindOf);
  return SIDES.map((side) =>
    Object.fromEntries(
      Object.entries(COUNTED).map(([kind, word]) => {
        return [word, countBySide(groups.get(kind as keyof typeof COUNTED) ?? [], ofContacts)[side]];
      }),
    ),
  );
};

/** The counts of the next run in plan, summary and history: numbers of contacts by side. */
const countsOfNextRun = async (linked: LinkedSandbox) => {
  linked.clock.advance(20 * 60_000);
  const { changes } = await linked.plan();
  const { summary } = await linked.sync();
  const [run] = await listRuns(linked.app.store, 'default', { most: 1 });
  const numbers = (
    of: { readonly created: number; readonly updated: number; readonly deleted: number } | undefined,
  ) => ({
    created: of?.created,
    updated: of?.updated,
    deleted: of?.deleted,
  });
  return {
    plan: headings(changes),
    summary: SIDES.map((side) => numbers(summary[side])),
    runs: SIDES.map((side) => numbers(run?.wrote?.[side])),
    writes: headings(await listWrites(linked.app.store, decidingLinkOf(linked.link), summary.run)),
  };
};

test('the plan, the summary, the list of runs and the writes of a run have the same numbers of contacts', async () => {
  await using linked = await startLinkedSandbox({ google: PEOPLE, service: [] });
  const { google, service } = linked.sandbox;
  const nothing = { created: 0, updated: 0, deleted: 0 };
  const first = [nothing, { ...nothing, created: 3 }];
  expect(await countsOfNextRun(linked)).toEqual({ plan: first, summary: first, runs: first, writes: first });

  // An update and a change of groups of one contact, a deletion, and a new contact in a group.
  const [ada, ben] = google.account.people().map(({ resourceName = '' }) => resourceName);
  google.account.updatePerson(ada ?? '', { names: [{ givenName: 'Ada', familyName: 'Lee' }] });
  google.account.setGroups(ada ?? '', ['contactGroups/myContacts']);
  google.account.deletePerson(ben ?? '');
  const bucket = service.account.buckets()[0]?.id ?? '';
  const added = service.account.createContact({ first_name: 'Dan' });
  service.account.setBuckets(added.id, [bucket]);
  const second = [
    { ...nothing, created: 1 },
    { created: 0, updated: 1, deleted: 1 },
  ];
  expect(await countsOfNextRun(linked)).toEqual({ plan: second, summary: second, runs: second, writes: second });
});

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
