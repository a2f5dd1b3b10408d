import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCarddavLink } from '../../support/carddav/carddav-link.ts';
import { hasKhard, openKhard } from '../../support/carddav/khard.ts';
import { hasRadicale, startRadicale } from '../../support/carddav/radicale.ts';
import type { CarddavServer } from '../../support/carddav/server.ts';

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
    const cards = book.names().map((name) => book.read(name));
    const result = await link.run();
    expect(result?.summary).toMatchObject({ left: { updated: 0, created: 0 }, right: { updated: 0, created: 0 } });
    expect(book.names().map((name) => book.read(name))).toEqual(cards);
  });
});
