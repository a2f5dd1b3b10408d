import { expect, test } from 'vitest';
import type { Person } from '../../../src/sandbox/people/person.ts';
import { explainContact, type ContactHistory } from '../../../src/engine/history/explain.ts';
import { googleId, person, serviceId } from '../../support/linked-people.ts';
import { startLinkedSandbox, startSyncedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const singer = (givenName: string): Person => person(givenName, { familyName: 'Ångström', groups: ['Choir'] });

const started = async (service: readonly Person[] = []): Promise<LinkedSandbox> => {
  const google = [singer('Ada'), singer('Ben')];
  const linked = await startLinkedSandbox({ google, service }, { SWEEP_INTERVAL: '1s' });
  await linked.sync();
  linked.clock.advance(60_000);
  return linked;
};

const histories = ({ app, link }: LinkedSandbox, text: string) => explainContact(app.store, link, text);

/** The history in the words of a reader. */
const outline = ({ entries }: ContactHistory) => {
  return entries.map(({ side, action, state, why, changes }) => {
    const fields = changes.map(({ field, from, to }) => `${field}: ${from.join()} -> ${to.join()}`);
    return [side, action, state, why.kind, ...fields];
  });
};

const causes = (history: ContactHistory | undefined) =>
  history?.entries.map(({ side, action, why }) => [side, action, why.kind]);

test('explain lists each write with its run, field, side, values and cause', async () => {
  await using linked = await started();
  const { google, service } = linked.sandbox;
  const [leftId, rightId] = [googleId(linked, 'Ada'), serviceId(linked, 'Ada')];
  service.account.updateContact(rightId, { title: 'Director' });
  const second = await linked.sync();
  linked.clock.advance(60_000);
  google.account.updatePerson(leftId, { organizations: [{ title: 'Baker' }] });
  linked.clock.advance(5_000);
  service.account.updateContact(rightId, { title: 'Brewer' });
  const third = await linked.sync();
  linked.clock.advance(60_000);
  await linked.undo(third.summary.run);
  const [history, ...others] = await histories(linked, leftId);
  if (history === undefined) throw new Error('There is no history.');
  expect(others).toEqual([]);
  const created = ['firstName:  -> Ada', 'lastName:  -> Ångström', 'emailAddresses:  -> ada@example.org'];
  expect(outline(history)).toEqual([
    ['right', 'create', 'done', 'new', ...created],
    ['right', 'membership', 'done', 'new', 'buckets:  -> Choir'],
    ['left', 'update', 'done', 'changed', 'title:  -> Director'],
    ['left', 'update', 'done', 'changed', 'title: Baker -> Brewer'],
    ['left', 'update', 'done', 'undo', 'title: Brewer -> Baker'],
  ]);
  expect(history.entries.map((entry) => entry.run).slice(2, 4)).toEqual([second.summary.run, third.summary.run]);
  expect(history.entries[3]?.changes[0]?.why).toMatchObject({ kind: 'conflict', winner: 'right', isFirst: false });
  expect(history.entries[4]?.why).toEqual({ kind: 'undo', of: third.summary.run });
  const now = { name: 'Ada Ångström', status: 'linked', left: { id: leftId }, right: { id: rightId } };
  expect(history).toMatchObject(now);
  expect(history.comparisons).toMatchObject([
    { field: 'firstName', left: ['Ada'], right: ['Ada'], from: 'left', why: { kind: 'new', at: 'left' } },
    { field: 'lastName', from: 'left' },
    // The undo brought back what Google's side had; what the service has stays there.
    { field: 'title', left: ['Baker'], right: ['Brewer'], from: 'left', sinceMs: history.entries[4]?.atMs },
    { field: 'emailAddresses', left: ['ada@example.org'], from: 'left', sinceMs: history.entries[0]?.atMs },
    { field: 'buckets', left: ['Choir'], right: ['Choir'], from: 'left', sinceMs: history.entries[1]?.atMs },
  ]);
});

test('explain calls a write to contacts that the run paired a first match, as the plan does', async () => {
  await using linked = await started([{ ...singer('Ada'), title: 'Director' }]);
  const [history] = await histories(linked, googleId(linked, 'Ada'));
  expect(causes(history)).toEqual([['left', 'update', 'first-meeting']]);
});

test('explain includes the history of a contact that was deleted, restored by an edit, deleted again and undone', async () => {
  await using linked = await started();
  const { google, service } = linked.sandbox;
  const first = googleId(linked, 'Ada');
  google.account.deletePerson(first);
  service.account.updateContact(serviceId(linked, 'Ada'), { title: 'Survivor' });
  await linked.sync();
  linked.clock.advance(11 * 60_000);
  service.account.deleteContact(serviceId(linked, 'Ada'));
  const { summary } = await linked.sync();
  linked.clock.advance(60_000);
  await linked.undo(summary.run);
  const [history] = await histories(linked, first);
  expect(causes(history)).toEqual([
    ['right', 'create', 'new'],
    ['right', 'membership', 'new'],
    ['left', 'create', 'edit-beats-delete'],
    ['left', 'delete', 'deleted'],
    ['left', 'create', 'undo'],
  ]);
  expect(history).toMatchObject({ status: 'kept', right: { state: 'none' }, left: { state: 'present' } });
});

test('explain lists refused values, and edits that no run has propagated yet', async () => {
  await using linked = await started();
  linked.sandbox.service.addFault({ method: 'PATCH', path: '/contacts', action: { kind: 'status', status: 422 } });
  linked.sandbox.google.account.updatePerson(googleId(linked, 'Ben'), { organizations: [{ title: 'Baker' }] });
  await linked.sync();
  const [history] = await histories(linked, 'ben@example.org');
  expect(history?.rejected).toHaveLength(1);
  expect(history?.entries.at(-1)).toMatchObject({ state: 'failed', action: 'update' });
  expect(history?.left.unsynced).toEqual(['title']);
  const title = history?.comparisons.find(({ field }) => field === 'title');
  expect(title).toMatchObject({ left: ['Baker'], right: [], from: 'left', why: { kind: 'changed', at: 'left' } });
});

const PEOPLE = ['Ada', 'Ben', 'Cid'].map((name) => person(name));

test('a contact that was deleted on one side is explained once, with the deletion of its counterpart', async () => {
  await using linked = await startSyncedSandbox({ google: PEOPLE, service: PEOPLE });
  const [leftId, rightId] = [googleId(linked, 'Ada'), serviceId(linked, 'Ada')];
  linked.sandbox.google.account.deletePerson(leftId);
  const { right } = await linked.synced({ afterMs: 60_000 });
  expect(right.deleted).toBe(1);
  for (const text of ['Ada', leftId, rightId]) {
    const found = await histories(linked, text);
    const shown = found.map((one) => [one.left.id, one.right.id, one.entries.map(({ action }) => action)]);
    expect(shown).toEqual([[leftId, rightId, ['delete']]]);
  }
});

test('an edit at the target of a one-way link is not called a change that a run has not synced yet', async () => {
  await using linked = await startSyncedSandbox({ google: PEOPLE, service: PEOPLE }, { DIRECTION: 'to-service' });
  linked.sandbox.service.account.updateContact(serviceId(linked, 'Ada'), { title: 'Editor' });
  await linked.synced({ afterMs: 60_000 });
  const explained = async (name: string) => {
    const [found] = await histories(linked, name);
    const title = found?.comparisons.find(({ field }) => field === 'title');
    return { unsynced: [found?.left.unsynced, found?.right.unsynced], title };
  };
  expect(await explained('Ada')).toMatchObject({
    unsynced: [[], []],
    title: { left: [], right: ['Editor'], from: 'right' },
  });
  // An edit at the source is still shown as one that the next run writes.
  linked.sandbox.google.account.updatePerson(googleId(linked, 'Ben'), { organizations: [{ title: 'Baker' }] });
  linked.sandbox.service.addFault({ method: 'PATCH', path: '/contacts', action: { kind: 'status', status: 422 } });
  await linked.synced({ afterMs: 60_000 });
  expect(await explained('Ben')).toMatchObject({ unsynced: [['title'], []], title: { left: ['Baker'], from: 'left' } });
});
