import { describe, expect, test } from 'vitest';
import { EMPTY_PERSON, type Person } from '../../../src/sandbox/people/person.ts';
import { explainContact, type ContactStory } from '../../../src/sync/explain.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';

const person = (givenName: string): Person => ({
  ...EMPTY_PERSON,
  givenName,
  familyName: 'Ångström',
  emails: [{ value: `${givenName.toLowerCase()}@example.org`, label: 'work' }],
  groups: ['Choir'],
});

const started = async (service: readonly Person[] = []): Promise<LinkedSandbox> => {
  const google = [person('Ada'), person('Ben')];
  const linked = await startLinkedSandbox({ google, service }, { SWEEP_INTERVAL: '1s' });
  await linked.sync();
  linked.clock.advance(60_000);
  return linked;
};

const idAtGoogle = ({ sandbox }: LinkedSandbox, name: string): string => {
  const found = sandbox.google.account.people().find((candidate) => candidate.names?.[0]?.givenName === name);
  return found?.resourceName ?? '';
};

const idAtService = ({ sandbox }: LinkedSandbox, name: string): string => {
  return sandbox.service.account.contacts().find((candidate) => candidate.first_name === name)?.id ?? '';
};

const tell = ({ app, link }: LinkedSandbox, text: string) => explainContact(app.store, link.name, text);

/** The story in the words of a reader. */
const outline = ({ entries }: ContactStory) => {
  return entries.map(({ side, action, state, why, changes }) => {
    const fields = changes.map(({ field, from, to }) => `${field}: ${from} -> ${to}`);
    return [side, action, state, why.kind, ...fields];
  });
};

describe('explain', () => {
  test('tells which run wrote which field on which side, from what to what, and why', async () => {
    await using linked = await started();
    const { google, service } = linked.sandbox;
    const [googleId, serviceId] = [idAtGoogle(linked, 'Ada'), idAtService(linked, 'Ada')];
    service.account.updateContact(serviceId, { title: 'Director' });
    const second = await linked.sync();
    linked.clock.advance(60_000);
    google.account.updatePerson(googleId, { organizations: [{ title: 'Baker' }] });
    linked.clock.advance(5_000);
    service.account.updateContact(serviceId, { title: 'Brewer' });
    const third = await linked.sync();
    linked.clock.advance(60_000);
    const [run] = await linked.app.store.findRuns('default', third.summary.run);
    if (run === undefined) throw new Error('There is no run.');
    await linked.app.undo(linked.link, run, { acceptDeletes: false, signal: new AbortController().signal });
    const [story, ...others] = await tell(linked, googleId);
    if (story === undefined) throw new Error('There is no story.');
    expect(others).toEqual([]);
    expect(outline(story)).toEqual([
      [
        'service',
        'create',
        'done',
        'new',
        'firstName:  -> Ada',
        'lastName:  -> Ångström',
        'emailAddresses:  -> ada@example.org',
      ],
      ['service', 'membership', 'done', 'new', 'buckets:  -> Choir'],
      ['google', 'update', 'done', 'changed', 'title:  -> Director'],
      ['google', 'update', 'done', 'changed', 'title: Baker -> Brewer'],
      ['google', 'update', 'done', 'undo', 'title: Brewer -> Baker'],
    ]);
    expect(story.entries.map((entry) => entry.run).slice(2, 4)).toEqual([second.summary.run, third.summary.run]);
    expect(story.entries[3]?.changes[0]?.why).toEqual({ kind: 'conflict', winner: 'service' });
    expect(story.entries[4]?.why).toEqual({ kind: 'undo', of: third.summary.run });
    expect(story).toMatchObject({ status: 'linked', google: { id: googleId }, service: { id: serviceId } });
  });

  test('finds a contact by either id, by an email address and by its name in any spelling', async () => {
    await using linked = await started();
    const serviceId = idAtService(linked, 'Ada');
    for (const text of [serviceId, idAtGoogle(linked, 'Ada'), 'ADA@example.org', 'angstrom ada', 'Ada']) {
      const stories = await tell(linked, text);
      expect([text, stories.map((story) => story.service.id)]).toEqual([text, [serviceId]]);
    }
    expect(await tell(linked, 'Angstrom')).toHaveLength(2);
    expect(await tell(linked, 'Nobody')).toEqual([]);
  });

  test('follows a contact that was deleted, brought back by an edit, deleted again and undone', async () => {
    await using linked = await started();
    const { google, service } = linked.sandbox;
    const first = idAtGoogle(linked, 'Ada');
    google.account.deletePerson(first);
    service.account.updateContact(idAtService(linked, 'Ada'), { title: 'Survivor' });
    await linked.sync();
    linked.clock.advance(11 * 60_000);
    service.account.deleteContact(idAtService(linked, 'Ada'));
    const { summary } = await linked.sync();
    linked.clock.advance(60_000);
    const [run] = await linked.app.store.findRuns('default', summary.run);
    if (run === undefined) throw new Error('There is no run.');
    await linked.app.undo(linked.link, run, { acceptDeletes: false, signal: new AbortController().signal });
    const [story] = await tell(linked, first);
    expect(story?.entries.map(({ side, action, why }) => [side, action, why.kind])).toEqual([
      ['service', 'create', 'new'],
      ['service', 'membership', 'new'],
      ['google', 'create', 'edit-beats-delete'],
      ['google', 'delete', 'deleted'],
      ['google', 'create', 'undo'],
    ]);
    expect(story).toMatchObject({ status: 'kept', service: { state: 'none' }, google: { state: 'present' } });
  });

  test('names what a side refused and what no run has taken over yet', async () => {
    await using linked = await started();
    linked.sandbox.service.addFault({ method: 'PATCH', path: '/contacts', action: { kind: 'status', status: 422 } });
    linked.sandbox.google.account.updatePerson(idAtGoogle(linked, 'Ben'), { organizations: [{ title: 'Baker' }] });
    await linked.sync();
    const [story] = await tell(linked, 'ben@example.org');
    expect(story?.rejected).toHaveLength(1);
    expect(story?.entries.at(-1)).toMatchObject({ state: 'failed', action: 'update' });
    expect(story?.google.unsynced).toEqual(['title']);
  });
});
