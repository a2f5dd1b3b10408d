import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCarddavLink } from '../../support/carddav/carddav-link.ts';
import { hasRadicale, startRadicale } from '../../support/carddav/radicale.ts';
import type { CarddavServer } from '../../support/carddav/server.ts';

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
