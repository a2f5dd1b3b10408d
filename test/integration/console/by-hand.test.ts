import { expect, test } from 'vitest';
import { EMPTY_PERSON, type Person } from '../../../src/sandbox/people/person.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { startDaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, says } from '../../support/jobs/log-lines.ts';
import { seen, settled, signIn, startPage, type Visitor } from './page-client.ts';

// Decisions by hand on the page, over HTTP: pair contacts, undo a wrong write, retry a refused write.

const SLOW = { syncInterval: '7d', sweepInterval: '7d' };
const PAGE = { listen: '127.0.0.1:0' };

const named = (givenName: string, familyName: string, email: string): Person => ({
  ...EMPTY_PERSON,
  givenName,
  familyName,
  emails: [{ value: email, label: null }],
});
const ADA = named('Ada', 'Lovelace', 'ada@x.org');

const startWith = async (google: readonly Person[], service: readonly Person[], settings: object = {}) => {
  const world = await startDaemonWorld({ work: { people: { google, service }, ...SLOW, ...settings } }, PAGE);
  const sandbox = world.sandbox('work');
  const { daemon, address } = await startPage(world);
  await daemon.until('firstSync' in settings ? says('run halted', 'work') : completed('work', 'full'));
  return { world, sandbox, daemon, address, visitor: await signIn(world, address) };
};

const googleId = ({ google }: Sandbox, name: string): string =>
  google.account.people().find(({ names }) => names?.[0]?.givenName === name)?.resourceName ?? '';
const serviceId = ({ service }: Sandbox, name: string): string =>
  service.account.contacts().find((contact) => contact.first_name === name)?.id ?? '';

const HOME = 'family@x.org';
/** Returns a person of a household whose members all have different names. */
const person = (givenName: string) => ({
  names: [{ givenName, familyName: 'Smith' }],
  emailAddresses: [{ value: HOME }],
});
const contact = (first_name: string) => ({ first_name, last_name: 'Smith', email_addresses: [{ address: HOME }] });

const planOf = async (visitor: Visitor): Promise<string> => {
  expect((await visitor.press('/links/work/plan', '/links/work/plan')).status).toBe(303);
  return settled(visitor, '/links/work/plan');
};

const sync = async ({ visitor, daemon }: Awaited<ReturnType<typeof startWith>>): Promise<void> => {
  const from = daemon.lines.length;
  await visitor.press('/links/work', '/links/work/sync');
  await daemon.until(completed('work', 'incremental'), from);
};

test('[R13] candidates are shown side by side, are marked as one person or two people, and the decision can be removed', async () => {
  const started = await startWith([ADA], []);
  await using _ = started.world;
  const { sandbox, visitor } = started;
  const { google, service } = sandbox;
  const [mia, tim] = ['Mia', 'Tim'].map((name) => google.account.createPerson(person(name)));
  const [amelia, eve] = ['Amelia', 'Eve'].map((name) => service.account.createContact(contact(name)).id);
  const plan = await planOf(visitor);
  expect(seen(plan)).toMatch(
    /Not paired: 1 .*not the name of one person.*Google: Mia Smith \(\d\).*Service: Eve Smith \(\d\)/u,
  );
  expect(seen(plan)).not.toContain('contact-sync pair');
  const decide = (left: string | undefined, right: string | undefined, word: string) =>
    visitor.press('/links/work/plan', '/links/work/verdicts', { left: left ?? '', right: right ?? '', says: word });
  expect((await decide(mia, amelia, 'together')).headers['location']).toBe('/links/work/plan');
  const kept = (await visitor.get('/links/work/plan')).text;
  expect(seen(kept)).toContain('Saved: the contacts are one person.');
  expect(seen(kept)).toMatch(/Decisions by hand: 1 .* Mia Smith Amelia Smith one person/u);
  // An impossible decision is reported and not stored.
  await decide(mia, eve, 'together');
  expect(seen((await visitor.get('/links/work/plan')).text)).toContain('are to be paired');
  await decide('', eve, 'apart');
  expect(seen((await visitor.get('/links/work/plan')).text)).toContain('Choose one contact on each side.');
  await decide(tim, eve, 'apart');
  expect(seen(await planOf(visitor))).toMatch(/Pairings: 1 .*Decisions by hand: 2/u);
  await decide(tim, eve, 'forget');
  expect(seen((await visitor.get('/links/work/plan')).text)).toMatch(/Decision removed\..*Decisions by hand: 1/u);
  await sync(started);
  // Each of the other two contacts exists on both sides. Mia and Amelia are one contact.
  expect([google.account.people().length, service.account.contacts().length]).toEqual([4, 4]);
  expect(googleId(sandbox, 'Amelia') === '' || serviceId(sandbox, 'Mia') === '').toBe(true);
});

test('[R13] a pairing of the plan shows both contacts, and contacts marked as two people are not paired', async () => {
  const started = await startWith([ADA], []);
  await using _ = started.world;
  const { sandbox, visitor } = started;
  const left = sandbox.google.account.createPerson(person('Ben'));
  const right = sandbox.service.account.createContact({ ...contact('Ben'), title: 'Baker' }).id;
  const plan = await planOf(visitor);
  expect(seen(plan)).toMatch(
    /Pairings: 1 .*Both contacts side by side .*Field Google .*title Baker.*They are different people/u,
  );
  await visitor.press('/links/work/plan', '/links/work/verdicts', { left, right, says: 'apart' });
  expect(seen(await planOf(visitor))).not.toContain('Pairings: ');
  await sync(started);
  expect(sandbox.google.account.people()).toHaveLength(3);
});

test('[R13] an unlinked contact is paired on its own page, where the decision can be removed', async () => {
  const contactsOf = (name: string) => named(name, 'Smith', `${name}@x.org`);
  // A first sync that waits for its review has read both sides and linked no contacts.
  const started = await startWith([ADA, contactsOf('Mia')], [contactsOf('Amelia')], { firstSync: 'review' });
  await using _ = started.world;
  const { sandbox, visitor, world, daemon } = started;
  const mia = googleId(sandbox, 'Mia');
  const amelia = serviceId(sandbox, 'Amelia');
  const contactPage = `/links/work/contact?id=${encodeURIComponent(mia)}`;
  const page = await visitor.get(`${contactPage}&with=Amelia`);
  expect(seen(page.text)).toMatch(
    /Pair it by hand .* Amelia Smith Amelia@x\.org They are one person .* They are different people/u,
  );
  const decide = (word: string) =>
    visitor.press('/links/work', '/links/work/contact/pair', { id: mia, left: mia, right: amelia, says: word });
  const saved = await decide('together');
  expect(saved.headers['location']).toBe(contactPage);
  expect(seen((await visitor.get(contactPage)).text)).toMatch(
    /Saved: .*Decisions by hand Mia Smith at Google .*one person/u,
  );
  await decide('forget');
  expect(seen((await visitor.get(contactPage)).text)).toMatch(/Decision removed\./u);
  expect(seen((await visitor.get(contactPage)).text)).not.toContain('Decisions by hand');
  await decide('together');
  await world.configure({ work: SLOW }, PAGE);
  daemon.kill('SIGHUP');
  await daemon.until(says('configuration reloaded'));
  const from = daemon.lines.length;
  await visitor.press('/links/work', '/links/work/sync');
  await daemon.until(completed('work'), from);
  const linked = seen((await visitor.get(contactPage)).text);
  expect(linked).toMatch(/Linked\. .*1 field differs|Linked\. .*identical on both sides/u);
  expect(linked).toContain('These are two people');
  expect([sandbox.google.account.people().length, sandbox.service.account.contacts().length]).toEqual([2, 2]);
});

test('the page of a contact marks different values', async () => {
  const settings = { fields: { title: { winner: 'ask' } } };
  const started = await startWith([ADA, named('Ben', 'Bell', 'ben@x.org')], [], settings);
  await using _ = started.world;
  const { sandbox, visitor } = started;
  const title = { organizations: [{ title: 'Baker' }] };
  sandbox.google.account.updatePerson(googleId(sandbox, 'Ada'), title);
  await sync(started);
  const ada = `/links/work/contact?id=${encodeURIComponent(googleId(sandbox, 'Ada'))}`;
  expect((await visitor.get(ada)).text).not.toContain('<mark>');
  sandbox.service.account.updateContact(serviceId(sandbox, 'Ada'), { title: 'Brewer' });
  sandbox.google.account.updatePerson(googleId(sandbox, 'Ada'), { organizations: [{ title: 'Butcher' }] });
  await sync(started);
  const differing = (await visitor.get(ada)).text;
  expect(seen(differing)).toContain('1 field differs');
  expect(differing).toMatch(/<mark>Butcher<\/mark>[\s\S]*<mark>Brewer<\/mark>/u);
});

test('one write is previewed and undone on the page of its contact, and the other writes of the run remain', async () => {
  const started = await startWith([ADA, named('Ben', 'Bell', 'ben@x.org')], []);
  await using _ = started.world;
  const { sandbox, visitor } = started;
  for (const name of ['Ada', 'Ben']) {
    const title = { organizations: [{ title: `Title of ${name}` }] };
    sandbox.google.account.updatePerson(googleId(sandbox, name), title);
  }
  await sync(started);
  const history = (await visitor.get(`/links/work/contact?id=${encodeURIComponent(googleId(sandbox, 'Ada'))}`)).text;
  const [, preview = '', write = ''] =
    /action="([^"]+\/preview)">\s*<input type="hidden" name="write" value="(\d+)"/u.exec(history) ?? [];
  const shown = await visitor.press('/links/work', preview, { write });
  const path = String(shown.headers['location']);
  expect(path).toBe(`${preview.replace(/\/preview$/u, '')}?write=${write}`);
  const page = seen(await settled(visitor, path));
  expect(page).toMatch(/1 change would revert what the write did\..*Undo this write.*Ada Lovelace/u);
  expect(page).not.toContain('Ben');
  expect(sandbox.service.account.contact(serviceId(sandbox, 'Ada'))?.title).toBe('Title of Ada');
  await visitor.press('/links/work', path.replace(/\?.*$/u, '/undo'), { write });
  expect(seen(await settled(visitor, path))).toContain('The write is undone.');
  expect(sandbox.service.account.contact(serviceId(sandbox, 'Ada'))?.title).toBeFalsy();
  expect(sandbox.service.account.contact(serviceId(sandbox, 'Ben'))?.title).toBe('Title of Ben');
  // The undo is permanent: the value of the other side is not written again.
  await sync(started);
  expect(sandbox.service.account.contact(serviceId(sandbox, 'Ada'))?.title).toBeFalsy();
  expect(sandbox.google.account.person(googleId(sandbox, 'Ada'))?.organizations?.[0]?.title).toBe('Title of Ada');
});

test('[R15] a refused write is retried only on request', async () => {
  const started = await startWith([ADA], []);
  await using _ = started.world;
  const { sandbox, visitor, daemon } = started;
  const takes = (longText: string) =>
    fetch(`${sandbox.service.url}/__control/variants`, { method: 'POST', body: JSON.stringify({ longText }) });
  await takes('422');
  const title = 'long '.repeat(60).trim();
  sandbox.google.account.updatePerson(googleId(sandbox, 'Ada'), { organizations: [{ title }] });
  await sync(started);
  expect(seen((await visitor.get('/links/work/contacts?show=unsynced')).text)).toMatch(/Ada Lovelace .*refused: /u);
  const id = googleId(sandbox, 'Ada');
  const ada = `/links/work/contact?id=${encodeURIComponent(id)}`;
  expect(seen((await visitor.get(ada)).text)).toMatch(/refused the contact: .*Retry now/u);
  await takes('kept');
  await sync(started);
  expect(sandbox.service.account.contact(serviceId(sandbox, 'Ada'))?.title).not.toBe(title);
  const from = daemon.lines.length;
  await visitor.press(ada, '/links/work/contact/retry', { id });
  await daemon.until(completed('work', 'incremental'), from);
  expect(sandbox.service.account.contact(serviceId(sandbox, 'Ada'))?.title).toBe(title);
  expect(seen((await visitor.get('/links/work/contacts?show=unsynced')).text)).toContain('No contacts.');
  await visitor.press(ada, '/links/work/contact/retry', { id: 'people/none' });
  expect(seen((await visitor.get(ada)).text)).toContain('No refused write is left to retry.');
});

test('runs are filtered by kind and outcome, and older runs are on the next page', async () => {
  const started = await startWith([ADA], []);
  await using _ = started.world;
  const { visitor } = started;
  await sync(started);
  const listed = async (query: string): Promise<readonly string[]> => {
    const { text } = await visitor.get(`/links/work/runs${query}`);
    return [...text.matchAll(/href="\/links\/work\/runs\/[^"]+">(\w+)/gu)].map(([, kind = '']) => kind);
  };
  expect(await listed('')).toEqual(['Sync', 'Full']);
  expect(await listed('?kind=full&outcome=completed')).toEqual(['Full']);
  expect(await listed('?outcome=halted')).toEqual([]);
  expect(await listed('?outcome=none&kind=<b>')).toEqual(['Sync', 'Full']);
  const newest = /href="\/links\/work\/runs\/([^"]+)"/u.exec((await visitor.get('/links/work/runs')).text)?.[1];
  expect(await listed(`?before=${newest}`)).toEqual(['Full']);
  expect(await listed(`?before=${newest}&kind=incremental`)).toEqual([]);
  expect(await listed('?before=none')).toEqual(['Sync', 'Full']);
});
