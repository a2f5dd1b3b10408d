import { expect, test } from 'vitest';
import { startFakeLink } from '../../support/carddav/fake-link.ts';

const MY_CONTACTS = 'contactGroups/myContacts';

test('R11: the undo of an undo restores a card with its categories', async () => {
  await using linked = await startFakeLink();
  await linked.synced();
  const { account } = linked.sandbox.google;
  const label = account.createGroup('Choir');
  account.createPerson({
    names: [{ givenName: 'Ada', familyName: 'Lind' }],
    memberships: [MY_CONTACTS, label].map((id) => ({ contactGroupMembership: { contactGroupResourceName: id } })),
  });
  const { run } = await linked.synced({ afterMs: 60_000 });
  const categories = (): readonly string[] =>
    linked.server.names().map((name) => /CATEGORIES:(.*)/u.exec(linked.server.text(name) ?? '')?.[1]?.trim() ?? '');
  expect(categories()).toEqual(['Choir']);
  linked.clock.advance(60_000);
  const first = await linked.reopened((program) => program.undo(run));
  expect(categories()).toEqual([]);
  linked.clock.advance(60_000);
  await linked.reopened((program) => program.undo(first.result.summary.run));
  expect(categories()).toEqual(['Choir']);
});
