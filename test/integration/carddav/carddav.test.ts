import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CarddavLink, startCarddavLink } from '../../support/carddav/carddav-link.ts';
import { hasRadicale, startRadicale } from '../../support/carddav/radicale.ts';
import type { BookFolder, CarddavServer } from '../../support/carddav/server.ts';

const works = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

/** Whether this machine has the programs. */
const hasKhard = (): boolean => works('khard') && works('vdirsyncer');

const call = (program: string, words: readonly string[], input = ''): string => {
  const { status, stdout, stderr } = spawnSync(program, words, { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${stdout}${stderr}`);
  return stdout;
};

/** A user of khard, whose cards vdirsyncer exchanges with the server. */
type Khard = {
  /** Exchanges the edits of both. */
  sync(): void;
  /** The details of a contact as khard shows them. */
  show(name: string): string;
  /** Edits a contact in the form in which khard shows it to an editor. */
  edit(name: string, change: (yaml: string) => string): void;
};

/** Sets khard and vdirsyncer up in a folder. */
const openKhard = ({ url, username, password }: BookFolder, folder: string): Khard => {
  const [cards, exchange, khard] = ['cards', 'vdirsyncer', 'khard'].map((name) => join(folder, name));
  if (cards === undefined || exchange === undefined || khard === undefined) throw new Error('There are three places.');
  mkdirSync(cards);
  writeFileSync(
    exchange,
    `[general]
status_path = "${join(folder, 'status')}"
[pair book]
a = "local"
b = "remote"
collections = ["from b"]
[storage local]
type = "filesystem"
path = "${cards}"
fileext = ".vcf"
[storage remote]
type = "carddav"
url = "${url}"
username = "${username}"
password = "${password}"
`,
  );
  writeFileSync(khard, `[addressbooks]\n[[book]]\npath = ${join(cards, 'contacts')}\n[general]\ndebug = no\n`);
  call('vdirsyncer', ['-c', exchange, 'discover'], 'y\n');
  return {
    sync: () => void call('vdirsyncer', ['-c', exchange, 'sync']),
    show: (name) => call('khard', ['-c', khard, 'show', name]),
    edit: (name, change) => {
      const file = join(folder, 'edited.yaml');
      writeFileSync(file, change(call('khard', ['-c', khard, 'show', '--format', 'yaml', name])));
      call('khard', ['-c', khard, 'edit', '-i', file, name], 'y\n');
    },
  };
};

describe.skipIf(!hasRadicale() && process.env['CI'] !== 'true')('the service and Radicale', () => {
  let radicale: CarddavServer;
  beforeAll(async () => {
    radicale = await startRadicale();
  });
  afterAll(() => radicale[Symbol.asyncDispose]());

  test('contacts, buckets, edits and deletions are synced in both directions, and the next run writes nothing', async () => {
    await using link = await startCarddavLink('service', radicale.openBook(), 'categories');
    const { account } = link.sandbox.service;
    const leads = account.createBucket({ name: 'Leads' });
    const ada = account.createContact({ first_name: 'Ada', last_name: 'King', title: 'Analyst' });
    account.setBuckets(ada.id, [leads.id]);
    const ben = link.owner.add({ firstName: 'Ben', lastName: 'Ng', emails: ['ben@example.org'] }, ['category:Golf']);
    const cid = link.owner.add({ firstName: 'Cid', lastName: 'Goes' });
    expect((await link.run())?.error).toBeNull();
    expect(link.rows().left).toEqual(link.rows().right);
    expect(link.rows().left.map(({ name, groups }) => [name, groups])).toEqual([
      ['Ada King', ['Leads']],
      ['Ben Ng', ['Golf']],
      ['Cid Goes', []],
    ]);
    link.owner.edit(ben, { title: 'Baker' });
    link.owner.remove(cid);
    account.updateContact(ada.id, { title: 'Countess' });
    expect((await link.run())?.error).toBeNull();
    expect(link.rows().left).toEqual(link.rows().right);
    expect(link.rows().left.map(({ name, title }) => [name, title])).toEqual([
      ['Ada King', 'Countess'],
      ['Ben Ng', 'Baker'],
    ]);
    const quiet = await link.run();
    const nothing = { created: 0, updated: 0, deleted: 0 };
    expect(quiet?.summary).toMatchObject({ left: nothing, right: nothing });
  });
});

/** The owner of the left side creates a contact, sets its title, and deletes it. */
const leftOwner = {
  google: ({ sandbox: { google } }: CarddavLink) => ({
    add: (firstName: string, lastName: string): string =>
      google.account.createPerson({ names: [{ givenName: firstName, familyName: lastName }] }),
    setTitle: (id: string, title: string): void => google.account.updatePerson(id, { organizations: [{ title }] }),
    remove: (id: string): void => google.account.deletePerson(id),
  }),
  service: ({ sandbox: { service } }: CarddavLink) => ({
    add: (firstName: string, lastName: string): string =>
      service.account.createContact({ first_name: firstName, last_name: lastName }).id,
    setTitle: (id: string, title: string): void => void service.account.updateContact(id, { title }),
    remove: (id: string): void => void service.account.deleteContact(id),
  }),
};

describe.skipIf(!hasRadicale() && process.env['CI'] !== 'true')('undo with Radicale', () => {
  let radicale: CarddavServer;
  beforeAll(async () => {
    radicale = await startRadicale();
  });
  afterAll(() => radicale[Symbol.asyncDispose]());

  test.each(['google', 'service'] as const)('every kind of write is reverted on both sides: %s', async (provider) => {
    await using link = await startCarddavLink(provider, radicale.openBook(), 'categories');
    const left = leftOwner[provider](link);
    const ada = left.add('Ada', 'King');
    const dan = left.add('Dan', 'Left');
    const ben = link.owner.add({ firstName: 'Ben', lastName: 'Ng', title: 'Baker' }, ['category:Golf']);
    const cid = link.owner.add({ firstName: 'Cid', lastName: 'Right', emails: ['cid@example.org'] });
    expect((await link.run())?.error).toBeNull();
    const before = link.rows();
    expect(before.left).toHaveLength(4);
    expect(before.right).toEqual(before.left);

    left.setTitle(ada, 'Countess');
    left.remove(dan);
    link.owner.edit(ben, { title: 'Cook' });
    link.owner.leave(ben, 'category:Golf');
    link.owner.remove(cid);
    link.owner.add({ firstName: 'Eve', lastName: 'New' });
    expect((await link.run())?.error).toBeNull();
    const edited = link.rows();
    expect(edited.right).toEqual(edited.left);
    expect(edited.left.map(({ name }) => name)).toEqual(['Ada King', 'Ben Ng', 'Eve New']);

    // An undo writes where the run wrote: the edits of each owner stay at their own side.
    expect((await link.undo()).error).toBeNull();
    const { left: leftRows, right: rightRows } = link.rows();
    const shown = (rows: typeof leftRows) => rows.map(({ name, title, groups }) => [name, title, groups.join()]);
    expect(shown(leftRows)).toEqual([
      ['Ada King', 'Countess', ''],
      ['Ben Ng', 'Baker', 'Golf'],
      ['Cid Right', '', ''],
    ]);
    expect(shown(rightRows)).toEqual([
      ['Ada King', '', ''],
      ['Ben Ng', 'Cook', ''],
      ['Dan Left', '', ''],
      ['Eve New', '', ''],
    ]);
    const quiet = await link.run();
    const nothing = { created: 0, updated: 0, deleted: 0 };
    expect(quiet?.summary).toMatchObject({ left: nothing, right: nothing });
  });
});

const isSkipped = !(hasRadicale() && hasKhard()) && process.env['CI'] !== 'true';

describe.skipIf(isSkipped)('an address book that khard and vdirsyncer edit too', () => {
  let radicale: CarddavServer;
  let folder: string;
  beforeAll(async () => {
    radicale = await startRadicale();
    folder = mkdtempSync(join(tmpdir(), 'contact-sync-khard-'));
  });
  afterAll(async () => {
    await radicale[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test('khard shows the contacts of Google, and its edits are written to Google without other changes', async () => {
    const book = radicale.openBook();
    await using link = await startCarddavLink('google', book, 'categories');
    const { account } = link.sandbox.google;
    const id = account.createPerson(
      {
        names: [{ givenName: 'Käthe', familyName: 'Weiß; Sohn' }],
        organizations: [{ name: 'Köpfchen, Verlag', title: 'Analyst' }],
        emailAddresses: [{ value: 'kathe@example.org', type: 'work' }],
        phoneNumbers: [{ value: '+49 30 23125 085', type: 'mobile' }],
      },
      { groups: ['contactGroups/myContacts', account.createGroup('Close friends')] },
    );
    expect((await link.run())?.error).toBeNull();
    const khard = openKhard(book, folder);
    khard.sync();
    const shown = khard.show('Käthe');
    for (const text of ['Weiß; Sohn', 'Köpfchen, Verlag', 'kathe@example.org', '+49 30 23125 085', 'Close friends']) {
      expect(shown).toContain(text);
    }
    khard.edit('Käthe', (yaml) => yaml.replace(/^Title *:.*$/mu, 'Title : Countess'));
    khard.sync();
    const before = account.person(id);
    expect((await link.run())?.error).toBeNull();
    const after = account.person(id);
    expect(after?.organizations?.[0]).toMatchObject({ name: 'Köpfchen, Verlag', title: 'Countess' });
    for (const list of ['names', 'emailAddresses', 'phoneNumbers', 'memberships'] as const) {
      expect(after?.[list]).toEqual(before?.[list]);
    }
    const rows = link.rows();
    expect(rows.right).toEqual(rows.left);
  });

  test('an edit at Google is shown by khard, and the next exchange changes nothing', async () => {
    const book = radicale.openBook();
    await using link = await startCarddavLink('google', book, 'categories');
    const { account } = link.sandbox.google;
    const id = account.createPerson({ names: [{ givenName: 'Ben', familyName: 'Ng' }] });
    await link.run();
    const own = mkdtempSync(join(folder, 'ben-'));
    const khard = openKhard(book, own);
    khard.sync();
    account.updatePerson(id, { emailAddresses: [{ value: 'ben@example.org' }] });
    await link.run();
    khard.sync();
    expect(khard.show('Ben')).toContain('ben@example.org');
    const cards = book.cards();
    const result = await link.run();
    expect(result?.summary).toMatchObject({ left: { updated: 0, created: 0 }, right: { updated: 0, created: 0 } });
    expect(book.cards()).toEqual(cards);
  });
});
