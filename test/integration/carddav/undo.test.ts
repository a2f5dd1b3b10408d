import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCarddavLink, type CarddavLink } from '../../support/carddav/carddav-link.ts';
import { hasRadicale, startRadicale } from '../../support/carddav/radicale.ts';
import type { CarddavServer } from '../../support/carddav/server.ts';

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

  test.each(['google', 'service'] as const)(
    'the edits, creates, deletions and memberships that a run wrote to %s and to the address book are reverted',
    async (provider) => {
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
    },
  );
});
