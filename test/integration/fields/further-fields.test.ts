import { describe, expect, test } from 'vitest';
import type { ServiceVariants } from '../../../src/sandbox/service/variants.ts';
import { ALL_FIELDS, atGoogle, atService, idsOf, NOTHING_WRITTEN, startWith, syncWith } from './support.ts';

const NAMES = [
  'Prefix',
  'Middle name',
  'Suffix',
  'Nickname',
  'Birthday',
  'Notes',
  'Relations',
  'Instant messengers',
  'Budget',
];

/** Ada at Google with every further field; at the service Zoe, who carries every custom field that the account has. */
const started = async (variants: Partial<ServiceVariants> = {}) => {
  const linked = await startWith(['Ada'], { FIELDS: ALL_FIELDS }, variants);
  const { google, service } = linked.sandbox;
  const definitions = new Map(NAMES.map((name) => [name, service.account.customFields.define(name).id]));
  const zoe = service.account.createContact({
    first_name: 'Zoe',
    last_name: 'Tester',
    tags: ['vip', 'press, radio'],
    avatar_url: 'https://avatars.example/zoe.png',
    social_media_profiles: [{ label: 'linkedin', url: 'https://linkedin.com/in/zoe' }],
    ...customFieldsOf(
      definitions,
      {
        Prefix: 'Prof.',
        'Middle name': 'Q.',
        Suffix: 'III',
        Nickname: 'Zo',
        Birthday: '1975-03-09',
        Notes: 'Met in Lyon',
        Relations: 'Max (spouse)',
        'Instant messengers': 'zoe.t (skype)',
        Budget: '1200',
      },
      variants,
    ),
  });
  google.account.updatePerson(idsOf(linked, 'Ada').google, {
    names: [
      { givenName: 'Ada', familyName: 'Tester', middleName: 'King', honorificPrefix: 'Dr.', honorificSuffix: 'Jr.' },
    ],
    nicknames: [{ value: 'Addie' }],
    birthdays: [{ date: { year: 1980, month: 5, day: 17 } }],
    biographies: [{ value: 'First line\n\nSecond line', contentType: 'TEXT_PLAIN' }],
    relations: [{ person: 'Ben, the elder', type: 'spouse' }, { person: 'Cid' }],
    imClients: [{ username: 'ada.l', protocol: 'skype' }],
    urls: [
      { value: 'https://ada.example.org', type: 'home' },
      { value: 'https://linkedin.com/in/ada', type: 'linkedin' },
    ],
    userDefined: [
      { key: 'Tags', value: 'friend, math' },
      { key: 'budget', value: '300' },
      { key: 'Shoe size', value: '38' },
    ],
  });
  return { linked, definitions, zoe };
};

const customFieldsOf = (
  definitions: ReadonlyMap<string, string>,
  values: Readonly<Record<string, string>>,
  { customFieldKey = 'custom_field_values' }: Partial<ServiceVariants>,
) => {
  const list = Object.entries(values).map(([name, value]) => ({ field: { id: definitions.get(name) ?? '' }, value }));
  return { [customFieldKey === 'both' ? 'custom_field_values' : customFieldKey]: list };
};

const VARIANTS: readonly Partial<ServiceVariants>[] = [
  {},
  { customFieldUnset: 'omission' },
  { customFieldKey: 'both' },
  { customFieldType: 'told' },
  { arrayPatch: 'merge-by-id' },
  { nullFields: 'absent' },
];

describe('further fields', () => {
  test.each(VARIANTS)(
    'R3, R10: further fields are synced in both directions, and other data is unchanged: %o',
    async (variants) => {
      const { linked, definitions } = await started(variants);
      await using _ = linked;
      await syncWith(linked, { FIELDS: ALL_FIELDS });
      const ada = atService(linked, 'Ada');
      const texts = new Map(ada.customFields.map(({ id, value }) => [id, value]));
      const textOf = (name: string) => texts.get(definitions.get(name) ?? '');
      expect(Object.fromEntries(NAMES.map((name) => [name, textOf(name)]))).toEqual({
        Prefix: 'Dr.',
        'Middle name': 'King',
        Suffix: 'Jr.',
        Nickname: 'Addie',
        Birthday: '1980-05-17',
        Notes: 'First line\n\nSecond line',
        Relations: String.raw`Ben\, the elder (spouse), Cid`,
        'Instant messengers': 'ada.l (skype)',
        Budget: '300',
      });
      expect(ada).toMatchObject({
        tags: ['friend', 'math'],
        websites: [{ address: 'https://ada.example.org' }],
        social_media_profiles: [{ url: 'https://linkedin.com/in/ada', label: 'linkedin' }],
      });
      const zoe = atGoogle(linked, 'Zoe');
      expect(zoe).toMatchObject({
        names: [expect.objectContaining({ middleName: 'Q.', honorificPrefix: 'Prof.', honorificSuffix: 'III' })],
        nicknames: [{ value: 'Zo' }],
        birthdays: [{ date: { year: 1975, month: 3, day: 9 } }],
        biographies: [{ value: 'Met in Lyon' }],
        relations: [{ person: 'Max', type: 'spouse' }],
        imClients: [{ username: 'zoe.t', protocol: 'skype' }],
        urls: [{ value: 'https://linkedin.com/in/zoe', type: 'linkedin' }],
        userDefined: [
          { key: 'Tags', value: String.raw`vip, press\, radio` },
          { key: 'Budget', value: '1200' },
        ],
      });
      // The service's picture is never written to Google.
      expect(zoe).toMatchObject({ photos: [{ default: true }] });
      const { summary } = await syncWith(linked, { FIELDS: ALL_FIELDS });
      expect(summary).toMatchObject({ outcome: 'completed', kind: 'incremental', ...NOTHING_WRITTEN });
    },
  );
});
