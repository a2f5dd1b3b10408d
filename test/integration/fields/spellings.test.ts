import { expect, test } from 'vitest';
import { atGoogle, atService, idsOf, NOTHING_WRITTEN, startWith, syncWith } from './support.ts';

const FIELDS = 'default,tags,relations';

const started = async () => {
  const linked = await startWith(['Ada'], { FIELDS });
  const { google, service } = linked.sandbox;
  const id = service.account.customFields.define('Relations').id;
  await syncWith(linked, { FIELDS });
  const ids = idsOf(linked, 'Ada');
  const relations = (value: string) => ({ custom_field_values: [{ field: { id }, value }] });
  return { linked, google: google.account, service: service.account, ids, relations };
};

const relationsAt = (contact: ReturnType<typeof atService>): unknown => contact.customFields[0]?.value;

test('R10: a side that holds two spellings of one tag or relation keeps both where another one is added', async () => {
  const { linked, google, service, ids, relations } = await started();
  await using _ = linked;
  service.updateContact(ids.service, { tags: ['VIP', 'vip', 'A+'], ...relations('Ben (Spouse), ben (spouse)') });
  await syncWith(linked, { FIELDS });
  const entry = { key: 'Tags', value: 'VIP, A+, golf, Golf' };
  google.updatePerson(ids.google, {
    userDefined: [entry],
    relations: [
      { person: 'Ben', type: 'Spouse' },
      { person: 'Cid', type: 'child' },
    ],
  });
  await syncWith(linked, { FIELDS });
  expect(atService(linked, 'Ada').tags).toEqual(['VIP', 'A+', 'golf', 'vip']);
  expect(relationsAt(atService(linked, 'Ada'))).toBe('Ben (Spouse), Cid (child), ben (spouse)');
  service.updateContact(ids.service, { tags: ['VIP', 'A+', 'golf', 'vip', 'C#'] });
  await syncWith(linked, { FIELDS });
  expect(atGoogle(linked, 'Ada').userDefined?.[0]?.value).toBe('VIP, A+, golf, C#, Golf');
  expect((await syncWith(linked, { FIELDS })).summary).toMatchObject(NOTHING_WRITTEN);
});

test('R5: one user name on two networks, and two relations to one person, are synced', async () => {
  const FIELDS_OF_BOTH = 'default,relations,instantMessengers';
  const linked = await startWith(['Ada'], { FIELDS: FIELDS_OF_BOTH });
  await using _ = linked;
  const { google, service } = linked.sandbox;
  const names = ['Relations', 'Instant messengers'];
  const definitions = names.map((name) => service.account.customFields.define(name).id);
  service.account.createContact({
    first_name: 'Zoe',
    last_name: 'Tester',
    custom_field_values: definitions.map((id) => ({ field: { id }, value: 'x (y)' })),
  });
  google.account.updatePerson(idsOf(linked, 'Ada').google, {
    relations: [
      { person: 'Ben', type: 'friend' },
      { person: 'Ben', type: 'manager' },
    ],
    imClients: [
      { username: 'ada.l', protocol: 'skype' },
      { username: 'ada.l', protocol: 'icq' },
      { username: 'adal', protocol: 'icq' },
    ],
  });
  await syncWith(linked, { FIELDS: FIELDS_OF_BOTH });
  const held = atService(linked, 'Ada').customFields.map(({ value }) => value);
  expect(held).toEqual(['Ben (friend), Ben (manager)', 'ada.l (skype), ada.l (icq), adal (icq)']);
});
