import { expect } from 'vitest';
import type { Contact, ContactField } from '../../../src/core/contact/contact.ts';
import { inFieldOrder, specOf, valueIn, USUAL_FIELDS } from '../../../src/core/contact/contact.ts';
import type { ContactRecord } from '../../../src/core/contact/record.ts';
import type { Remote } from '../../../src/providers/remote.ts';
import { ADA, forever, LATER_MS, pullWhole, valueOf, type Scene } from './steps.ts';

/** A value of each optional field of a link. */
const VALUES: Partial<Contact> = {
  namePrefix: 'Dr.',
  middleName: 'King',
  nameSuffix: 'Jr.',
  nickname: 'Addie',
  birthday: '1980-05-17',
  notes: 'First line\n\nSecond line',
  photo: 'https://example.org/another.png',
  relations: [{ value: 'Ben, the elder', label: 'spouse' }],
  instantMessengers: [{ value: 'ada.l', label: 'skype' }],
  socialProfiles: [{ value: 'https://linkedin.com/in/ada', label: 'linkedin' }],
  tags: [{ value: 'friend', label: null }],
  'custom:Budget': '300',
  lastContacted: '2026-01-31',
};
const FIELDS = Object.keys(VALUES) as ContactField[];

/** The custom fields of an account: one that is not mapped, and those for fields that the account does not have. */
const CUSTOM = 'Shoe size,Prefix,Middle name,Suffix,Nickname,Birthday,Notes,Relations,Instant messengers,Budget'.split(
  ',',
);

const recordAt = async (remote: Remote, id: string): Promise<ContactRecord> => {
  const answer = (await remote.read([id], forever)).get(id);
  return answer?.kind === 'found' ? answer.record : expect.fail(`${id} is ${answer?.kind}`);
};

/** Writes one field of a contact. Returns the contact after the write. */
const write = async (remote: Remote, id: string, field: ContactField, value: unknown): Promise<Contact> => {
  const current = await recordAt(remote, id);
  const desired = { ...current.contact, [field]: value };
  const written = valueOf(await remote.update([{ key: 'k', current, desired, fields: [field] }], forever), 'k');
  const { contact } = await recordAt(remote, id);
  expect(valueIn(written.contact, field)).toEqual(valueIn(contact, field));
  return contact;
};

/** Returns a value as text in lower case, because a remote may change the case of labels. */
const normalisedText = (value: unknown): string => JSON.stringify(value).toLowerCase();

/** Optional fields. */
export const fieldScenes = {
  'a write of an optional field changes only that field, and its former value can be restored (R10)': async (
    harness,
  ) => {
    harness.define(CUSTOM);
    const remote = harness.choosing(inFieldOrder([...USUAL_FIELDS, ...FIELDS]));
    const ada = harness.add(ADA);
    harness.giveMore(ada);
    const more = harness.more(ada);
    harness.clock.advance(LATER_MS);
    await pullWhole(remote);
    const before = (await recordAt(remote, ada)).contact;
    for (const field of FIELDS.filter((each) => harness.writes(each))) {
      const other = await write(remote, ada, field, VALUES[field]);
      expect(normalisedText(valueIn(other, field)), field).toBe(normalisedText(VALUES[field]));
      for (const each of FIELDS.filter((one) => one !== field)) {
        expect(valueIn(other, each), `${each} after a write of ${field}`).toEqual(valueIn(before, each));
      }
      const former = await write(remote, ada, field, before[field] ?? specOf(field).empty);
      expect(valueIn(former, field), field).toEqual(valueIn(before, field));
      expect(harness.more(ada), field).toEqual(more);
    }
  },
} satisfies Record<string, Scene>;
