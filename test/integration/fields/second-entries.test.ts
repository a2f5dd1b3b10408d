import { describe, expect, test } from 'vitest';
import { atGoogle, atService, idsOf, NOTHING_WRITTEN, startWith, syncWith } from './support.ts';
import { googleId, serviceId } from '../../support/linked-people.ts';
import type { LinkedSandbox } from '../../support/linked-sandbox.ts';

const FIELDS = 'default,nickname,tags,custom:Budget';

type Json = Readonly<Record<string, unknown>>;

type Kind = {
  readonly name: string;
  readonly list: 'organizations' | 'nicknames' | 'userDefined';
  readonly entries: readonly [Json, Json];
  /** The service's contact with that value; an empty one clears it. */
  readonly set: (value: string, definitions: ReadonlyMap<string, string>) => Json;
  /** The new entry that a value makes at Google. */
  readonly made: (value: string) => Json;
};

const custom =
  (name: string): Kind['set'] =>
  (value, definitions) => ({
    custom_field_values: [{ field: { id: definitions.get(name) ?? '' }, value: value === '' ? null : value }],
  });

const KINDS: readonly Kind[] = [
  {
    name: 'an organization',
    list: 'organizations',
    entries: [
      { name: 'Acme', title: 'CEO' },
      { name: 'OldCo', title: 'Advisor', department: 'Board', startDate: { year: 2001, month: 2, day: 3 } },
    ],
    set: (value) => ({ company: value === '' ? null : value, title: '' }),
    made: (value) => ({ name: value }),
  },
  {
    name: 'a nickname',
    list: 'nicknames',
    entries: [{ value: 'Addie' }, { value: 'The Countess', type: 'MAIDEN_NAME' }],
    set: custom('Nickname'),
    made: (value) => ({ value }),
  },
  {
    name: 'a custom field',
    list: 'userDefined',
    entries: [
      { key: 'Budget', value: '300' },
      { key: 'Budget', value: '900' },
    ],
    set: custom('Budget'),
    made: (value) => ({ key: 'Budget', value }),
  },
  {
    name: 'a field of tags',
    list: 'userDefined',
    entries: [
      { key: 'Tags', value: 'math' },
      { key: 'Tags', value: 'golf, chess' },
    ],
    set: (value) => ({ tags: value === '' ? [] : [value] }),
    made: (value) => ({ key: 'Tags', value }),
  },
];

const started = async ({ list, entries, set }: Kind) => {
  const linked = await startWith(['Ada'], { FIELDS });
  const { google, service } = linked.sandbox;
  const definitions = new Map(
    ['Nickname', 'Budget'].map((name) => [name, service.account.customFields.define(name).id]),
  );
  // A contact that carries each custom field, so that their names are known.
  const custom_field_values = [...definitions.values()].map((id) => ({ field: { id }, value: '1' }));
  service.account.createContact({ first_name: 'Zoe', last_name: 'Tester', custom_field_values });
  const ids = idsOf(linked, 'Ada');
  google.account.updatePerson(ids.google, { [list]: entries });
  await syncWith(linked, { FIELDS });
  /** Gives the contact of the service this value, and syncs. An empty value clears the field. */
  const setValue = async (value: string): Promise<void> => {
    service.account.updateContact(serviceId(linked, 'Ada'), set(value, definitions));
    await syncWith(linked, { FIELDS });
  };
  return { linked, setValue };
};

/** The entries of the list at Google, without what Google adds. */
const held = (linked: LinkedSandbox, list: Kind['list']): readonly Json[] => {
  const entries: readonly Json[] = atGoogle(linked, 'Ada')[list] ?? [];
  return entries.map((entry) => Object.fromEntries(Object.entries(entry).filter(([key]) => key !== 'metadata')));
};

const shown = (linked: LinkedSandbox): string => {
  const { company, title, tags, customFields } = atService(linked, 'Ada');
  return JSON.stringify([company, title, tags, customFields]);
};

describe.each(KINDS)('R10: the second entry of $name', (kind) => {
  const { list, entries, made } = kind;
  const [, second] = entries;

  test('the second entry is unchanged when the first one is cleared and when it gets another value', async () => {
    const { linked, setValue } = await started(kind);
    await using _ = linked;
    await setValue('');
    expect(held(linked, list)).toEqual([second]);
    const cleared = shown(linked);
    // An edit of something else makes Google show the contact again.
    linked.sandbox.google.account.updatePerson(googleId(linked, 'Ada'), { phoneNumbers: [{ value: '+49 30 901820' }] });
    await syncWith(linked, { FIELDS });
    expect(shown(linked)).toBe(cleared);
    for (const value of ['Beta', 'Gamma']) {
      await setValue(value);
      expect(held(linked, list)).toEqual([made(value), second]);
    }
    expect((await syncWith(linked, { FIELDS })).summary).toMatchObject(NOTHING_WRITTEN);
  });

  test('the second entry is kept when the answers to the writes are lost', async () => {
    const { linked, setValue } = await started(kind);
    await using _ = linked;
    for (const [value, expected] of [
      ['', [second]],
      ['Beta', [made('Beta'), second]],
    ] as const) {
      const action = { kind: 'reset-after' } as const;
      linked.sandbox.google.addFault({ method: 'POST', path: 'batchUpdateContacts', action });
      await setValue(value);
      await syncWith(linked, { FIELDS });
      expect(held(linked, list)).toEqual(expected);
    }
    expect((await syncWith(linked, { FIELDS })).summary).toMatchObject(NOTHING_WRITTEN);
    expect(shown(linked)).toContain('Beta');
  });
});

test('R10: a first organization with a department alone does not hide the next one', async () => {
  const linked = await startWith(['Ada'], {});
  await using _ = linked;
  const { google, service } = linked.sandbox;
  const organizations = [{ department: 'Sales' }, { name: 'Acme', title: 'Head' }];
  google.account.updatePerson(googleId(linked, 'Ada'), { organizations });
  await syncWith(linked, {});
  expect(atService(linked, 'Ada')).toMatchObject({ company: 'Acme', title: 'Head' });
  service.account.updateContact(serviceId(linked, 'Ada'), { company: 'Beta' });
  await syncWith(linked, {});
  expect(held(linked, 'organizations')).toEqual([{ department: 'Sales' }, { name: 'Beta', title: 'Head' }]);
});

test('R10: company and title are kept where a user deletes one of two equal organizations', async () => {
  const linked = await startWith(['Ada'], {});
  await using _ = linked;
  const { google } = linked.sandbox;
  const acme = { name: 'Acme', title: 'CEO' };
  for (const organizations of [[{ ...acme, department: 'Board' }, acme], [acme]]) {
    google.account.updatePerson(googleId(linked, 'Ada'), { organizations });
    await syncWith(linked, {});
    expect(atService(linked, 'Ada')).toMatchObject({ company: 'Acme', title: 'CEO' });
  }
});

const RELATIONS = 'default,tags,relations';

test('R10: a side that holds two spellings of one tag or relation keeps both where another one is added', async () => {
  const linked = await startWith(['Ada'], { FIELDS: RELATIONS });
  await using _ = linked;
  const { google, service } = linked.sandbox;
  const { id } = service.account.customFields.define('Relations');
  await syncWith(linked, { FIELDS: RELATIONS });
  const ids = idsOf(linked, 'Ada');
  const custom_field_values = [{ field: { id }, value: 'Ben (Spouse), ben (spouse)' }];
  service.account.updateContact(ids.service, { tags: ['VIP', 'vip', 'A+'], custom_field_values });
  await syncWith(linked, { FIELDS: RELATIONS });
  google.account.updatePerson(ids.google, {
    userDefined: [{ key: 'Tags', value: 'VIP, A+, golf, Golf' }],
    relations: [
      { person: 'Ben', type: 'Spouse' },
      { person: 'Cid', type: 'child' },
    ],
  });
  await syncWith(linked, { FIELDS: RELATIONS });
  expect(atService(linked, 'Ada')).toMatchObject({
    tags: ['VIP', 'A+', 'golf', 'vip'],
    customFields: [{ value: 'Ben (Spouse), Cid (child), ben (spouse)' }],
  });
  service.account.updateContact(ids.service, { tags: ['VIP', 'A+', 'golf', 'vip', 'C#'] });
  await syncWith(linked, { FIELDS: RELATIONS });
  expect(atGoogle(linked, 'Ada').userDefined?.[0]?.value).toBe('VIP, A+, golf, C#, Golf');
  expect((await syncWith(linked, { FIELDS: RELATIONS })).summary).toMatchObject(NOTHING_WRITTEN);
});
