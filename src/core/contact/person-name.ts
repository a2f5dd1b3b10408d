import type { Contact } from './contact.ts';
import { emailKey, phoneKey } from './keys.ts';
import { parseName } from './name-parts.ts';
import { entryOf, isSpaceless, withoutDigraphs, type Word, wordsIn } from './names.ts';

/** A name in folded words, without titles, qualifications and remarks. */
export type PersonName = {
  readonly given: readonly Word[];
  readonly family: readonly Word[];
  /** For example `jr`, `sr` or `ii`; empty if the name has none. */
  readonly suffix: string;
  /** The gender that a title implies. */
  readonly gender: 'male' | 'female' | null;
  /** The folded text in brackets or quotation marks; empty if there are no brackets. */
  readonly remark: string;
  /** True if it names several people, such as `Anna & Ben` and `Familie Huber`. */
  readonly isSeveral: boolean;
  /** Equal for two spellings of one name, in any division and order; rarely also for two different names. Empty for no name. */
  readonly key: string;
};

const NO_NAME: PersonName = {
  given: [],
  family: [],
  suffix: '',
  gender: null,
  remark: '',
  isSeveral: false,
  key: '',
};

/** Returns whether a contact has a person's name. */
export const hasName = ({ key }: PersonName): boolean => key !== '';

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/u;
const MINIMUM_PHONE_DIGITS = 7;

/** Returns whether a name is actually an email address or a phone number. */
const isAddress = (name: string, { phoneNumbers, emailAddresses }: Contact): boolean => {
  if (!/[@\p{Nd}]/u.test(name)) return false;
  if (EMAIL.test(name)) return true;
  if (name.includes('@')) return emailAddresses.some(({ value }) => emailKey(value) === emailKey(name));
  if (/\p{L}/u.test(name)) return false;
  if ((name.match(/\p{Nd}/gu)?.length ?? 0) >= MINIMUM_PHONE_DIGITS) return true;
  return phoneNumbers.some(({ value }) => phoneKey(value) === phoneKey(name));
};

const wholeName = ({ firstName, lastName }: Contact): string => `${firstName} ${lastName}`.trim();

/** Returns whether a contact has an email address or a phone number in place of a name. */
export const isNamedByAddress = (contact: Contact): boolean => isAddress(wholeName(contact), contact);

/** Returns the key of the phone number that a contact has in place of a name; null if it has none. */
export const phoneInName = (contact: Contact): string | null =>
  isNamedByAddress(contact) && !wholeName(contact).includes('@') ? phoneKey(wholeName(contact)) : null;

/** Returns a text of only signs as one word. Punctuation alone is ignored if there is another name. */
const signsIn = (text: string, isAlone: boolean): readonly Word[] => {
  const bare = text.trim();
  if (bare === '' || (!isAlone && /^[\p{P}\s]*$/u.test(bare))) return [];
  return [[bare, bare]];
};

const keyOf = ({ given, family, suffix, remark, isSeveral }: Omit<PersonName, 'key'>): string => {
  const words = [...given, ...family];
  const name = words.every(isSpaceless)
    ? [...words.map(([plain]) => plain).join('')].toSorted().join('')
    : words
        .map(([plain]) => withoutDigraphs(plain))
        .toSorted()
        .join(' ');
  return [name, remark === '' ? '' : `(${remark})`, suffix === '' ? '' : `${suffix}.`, isSeveral ? '&' : '']
    .filter((part) => part !== '')
    .join(' ');
};

const nameOf = (parts: Omit<PersonName, 'key'>): PersonName => ({ ...parts, key: keyOf(parts) });

/** Divides a name that is written in one field: the last word is the family name. A single word after a title is a family name. */
const divided = (words: readonly Word[], hasTitle: boolean): Pick<PersonName, 'given' | 'family'> =>
  words.length < 2 && !hasTitle ? { given: words, family: [] } : { given: words.slice(0, -1), family: words.slice(-1) };

const countOf = ({ first, last }: Readonly<Record<'first' | 'last', readonly Word[]>>): number =>
  first.length + last.length;

/** Returns the parts of a contact's name that matching compares. Pure. */
export const personNameOf = (contact: Contact): PersonName => {
  const whole = wholeName(contact);
  if (whole === '' || isAddress(whole, contact)) return NO_NAME;
  const { texts, written, draft } = parseName(contact);
  if (draft === null) {
    const text = entryOf([...written.first, ...written.last]);
    return nameOf({ ...NO_NAME, given: [[text, text]] });
  }
  const isSigns = countOf(draft) === 0;
  const first = written.first.length > 0 ? draft.first : signsIn(texts.first, isSigns);
  const family = written.last.length > 0 ? draft.last : signsIn(texts.last, isSigns);
  const given = [...first, ...wordsIn(contact.middleName ?? '')];
  const gender = draft.genders.size === 1 ? ([...draft.genders][0] ?? null) : null;
  const rest = { suffix: draft.suffix, gender, remark: texts.remark, isSeveral: texts.isSeveral };
  if (given.length > 0 && family.length > 0) return nameOf({ given, family, ...rest });
  const endsInFamily = written.first.length === 0 || countOf(draft) < countOf(written);
  return nameOf({ ...divided([...given, ...family], endsInFamily), ...rest });
};
