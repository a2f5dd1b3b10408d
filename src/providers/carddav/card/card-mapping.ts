import { hash } from 'node:crypto';
import { type ChosenFields, contactFieldsOf, nameOfFields } from '../../../core/contact/chosen.ts';
import {
  type Contact,
  type ContactField,
  filledFields,
  type ScalarField,
  specOf,
  textIn,
  valueIn,
} from '../../../core/contact/contact.ts';
import { isNamedField, type NamedField } from '../../../core/contact/fields.ts';
import type { ListElement } from '../../../core/contact/keys.ts';
import { tagText, textTags, withOtherSpellings } from '../../../core/contact/lists.ts';
import { readFields, syncableContact } from '../../../core/contact/record.ts';
import type { Card } from './content-line.ts';
import { newCard, textOf, withText } from './edits.ts';
import { type ListMapping, readList, writeList } from './list-mapping.ts';
import {
  ADDRESSES,
  EMAIL_ADDRESSES,
  INSTANT_MESSENGERS,
  PHONE_NUMBERS,
  RELATIONS,
  SOCIAL_PROFILES,
  WEBSITES,
} from './lists.ts';
import { isNameField, readName, withCompanyApart, withFormattedName, writeName } from './names.ts';
import { BIRTHDAY, COMPANY, namedMapping, NICKNAME, PHOTO, property, type ScalarMapping } from './scalars.ts';

/**
 * Raise the number when the same card gives a different record, also if it has one more field by default: all contacts are then
 * read again. Another choice of fields has the same effect without it.
 */
const READER = '3';

/** The mapping of a field to a card. */
type FieldMapping = {
  readonly read: (card: Card) => unknown;
  readonly write: (card: Card, desired: Contact) => Card;
};

/** A text that the card already contains is not written, because its spelling in the card may differ. */
const scalar = (field: ScalarField, { read, write }: ScalarMapping): FieldMapping => ({
  read,
  write: (card, desired) => {
    const text = textIn(desired, field);
    return specOf(field).normalise(read(card)) === text ? card : write(card, text);
  },
});

const list = <Element extends ListElement>(mapping: ListMapping<Element>): FieldMapping => ({
  read: (card) => readList(card, mapping),
  // A mapping writes elements of its field.
  write: (card, desired) => writeList(card, mapping, valueIn(desired, mapping.field) as unknown as readonly Element[]),
});

/** Tags have a separate property, because the categories of a card are groups. */
const TAGS_PROPERTY = 'X-TAGS';

const TAGS: FieldMapping = {
  read: (card) => textTags(textOf(card, TAGS_PROPERTY)),
  write: (card, { tags = [] }) =>
    withText(card, TAGS_PROPERTY, tagText(withOtherSpellings('tags', tags, textTags(textOf(card, TAGS_PROPERTY))))),
};

type NameField = 'firstName' | 'lastName' | 'middleName' | 'namePrefix' | 'nameSuffix';
type PlacedField = Exclude<ContactField, NameField | NamedField>;

const FIELD_MAPPINGS: Readonly<Record<PlacedField, FieldMapping>> = {
  company: scalar('company', COMPANY),
  title: scalar('title', property('TITLE')),
  emailAddresses: list(EMAIL_ADDRESSES),
  phoneNumbers: list(PHONE_NUMBERS),
  addresses: list(ADDRESSES),
  websites: list(WEBSITES),
  nickname: scalar('nickname', NICKNAME),
  birthday: scalar('birthday', BIRTHDAY),
  notes: scalar('notes', property('NOTE')),
  photo: scalar('photo', PHOTO),
  relations: list(RELATIONS),
  instantMessengers: list(INSTANT_MESSENGERS),
  socialProfiles: list(SOCIAL_PROFILES),
  tags: TAGS,
};

const mappingOf = (field: Exclude<ContactField, NameField>): FieldMapping =>
  isNamedField(field) ? scalar(field, namedMapping(field)) : FIELD_MAPPINGS[field];

/** Returns the mapping of cards for a link that syncs the chosen fields. */
export const cardMapping = (chosen: ChosenFields) => {
  const fields = contactFieldsOf(chosen);
  const write = (card: Card, desired: Contact, written: readonly ContactField[]): Card => {
    const isNamed = written.some((field) => field === 'company' || isNameField(field));
    const former = isNamed ? withCompanyApart(card) : card;
    const named = writeName(former, desired, written, chosen);
    const others = written.filter((field) => !isNameField(field));
    const edited = others.reduce((next, field) => mappingOf(field).write(next, desired), named);
    return withFormattedName(edited, former, named !== former, chosen);
  };
  return {
    /** The prefix of the digest of every row that is read with this mapping. */
    reader: `${READER} ${hash('sha1', nameOfFields(chosen), 'base64url').slice(0, 8)}`,
    /** Returns the contact of a card, the rest of its name, and its fields that cannot be synced. */
    read: (stored: Card) => {
      const card = withCompanyApart(stored);
      const { name, unsynced } = readName(card, chosen);
      const readField = (field: ContactField): unknown =>
        isNameField(field) ? name[field] : mappingOf(field).read(card);
      return { ...syncableContact(readFields(fields, readField)), ...unsynced };
    },
    /** Returns the card with the desired values of these fields. Every other line stays unchanged (R10). */
    write,
    /** Returns a new card of a contact. */
    create: (draft: Contact, uid: string, version: '3.0' | '4.0'): Card => {
      const filled = filledFields(draft).filter((field) => fields.includes(field));
      return write(newCard(uid, version), draft, filled);
    },
  };
};

export type CardMapping = ReturnType<typeof cardMapping>;
