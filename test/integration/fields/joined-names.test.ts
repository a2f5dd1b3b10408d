import { describe, expect, test } from 'vitest';
import { atGoogle, atService, idsOf, NOTHING_WRITTEN, startWith, syncWith } from './support.ts';

const JOINED = { FIELDS: 'default,middleName:joined' };

/** Mary at Google, whose middle name is Ann, and Zoe, who has none. */
const startMary = async (variables: Readonly<Record<string, string>>) => {
  const linked = await startWith(['Mary', 'Zoe'], variables);
  const { google } = linked.sandbox;
  const names = [{ givenName: 'Mary', middleName: 'Ann', familyName: 'Tester', phoneticGivenName: 'Meri' }];
  google.account.updatePerson(idsOf(linked, 'Mary').google, { names });
  await syncWith(linked, variables);
  return linked;
};

describe('a middle name that is joined into the first name', () => {
  test('R10: the service shows the middle name, and Google keeps it separate when the service renames the contact', async () => {
    await using linked = await startMary(JOINED);
    const { google, service } = linked.sandbox;
    const { id } = atService(linked, 'Mary Ann');

    service.account.updateContact(id, { first_name: 'Marie Ann' });
    await syncWith(linked, JOINED);
    expect(atGoogle(linked, 'Marie').names).toMatchObject([
      { givenName: 'Marie', middleName: 'Ann', familyName: 'Tester', phoneticGivenName: 'Meri' },
    ]);

    service.account.updateContact(id, { last_name: 'Ray' });
    await syncWith(linked, JOINED);
    expect(atGoogle(linked, 'Marie').names).toMatchObject([{ middleName: 'Ann', familyName: 'Ray' }]);

    const { google: mary } = idsOf(linked, 'Marie');
    google.account.updatePerson(mary, { names: [{ givenName: 'Marie', middleName: 'Jo', familyName: 'Ray' }] });
    await syncWith(linked, JOINED);
    expect(atService(linked, 'Marie Jo')).toMatchObject({ id, last_name: 'Ray' });

    service.account.updateContact(id, { first_name: 'Marie' });
    await syncWith(linked, JOINED);
    expect(atGoogle(linked, 'Marie').names?.[0]).not.toHaveProperty('middleName');
    expect((await syncWith(linked, JOINED)).summary).toMatchObject({ kind: 'incremental', ...NOTHING_WRITTEN });
  });

  test('a joined middle name is an edit of the first name at Google, also when it is separated again', async () => {
    await using linked = await startMary({});
    const { id } = atService(linked, 'Mary');
    const before = atGoogle(linked, 'Mary');

    const joined = await syncWith(linked, JOINED);
    expect(joined.summary).toMatchObject({ kind: 'full', left: { updated: 0 }, right: { updated: 1 } });
    expect(atService(linked, 'Mary Ann').id).toBe(id);
    expect((await syncWith(linked, JOINED)).summary).toMatchObject({ kind: 'incremental', ...NOTHING_WRITTEN });

    const apart = await syncWith(linked, {});
    expect(apart.summary).toMatchObject({ kind: 'full', left: { updated: 0 }, right: { updated: 1 } });
    expect(atService(linked, 'Mary').id).toBe(id);
    expect(atGoogle(linked, 'Mary')).toEqual(before);
  });

  test('R4: a joined middle name conflicts with an edit of the service like an edit at Google', async () => {
    await using linked = await startMary({});
    linked.sandbox.service.account.updateContact(atService(linked, 'Mary').id, { first_name: 'Marie' });
    const { summary } = await syncWith(linked, { ...JOINED, CONFLICT_POLICY: 'google' });
    expect(summary).toMatchObject({ kind: 'full', conflicts: 1 });
    expect(atService(linked, 'Mary Ann')).toMatchObject({ last_name: 'Tester' });
    expect(atGoogle(linked, 'Mary').names).toMatchObject([{ middleName: 'Ann' }]);
  });
});
