import type { Contact } from './contact.ts';
import { emailKey, phoneKey } from './keys.ts';
import { NAME_TABLES as TABLES, type Gender } from './name-tables.ts';
import { foldText } from './names.ts';

/** A folded word in two spellings: `muller` and `mueller` for Müller. */
export type Word = readonly [plain: string, spelt: string];

/** A name in folded words, without titles, qualifications and remarks. */
export type PersonName = {
  readonly given: readonly Word[];
  readonly family: readonly Word[];
  /** Such as `jr`, `sr` and `ii`; empty where the name has none. */
  readonly suffix: string;
  /** The gender that a title names. */
  readonly gender: Gender | null;
  /** The folded text in brackets or quotation marks; empty where there is none. */
  readonly remark: string;
  /** Whether it names several people, such as `Anna & Ben` and `Familie Huber`. */
  readonly isSeveral: boolean;
  /** Equal for two spellings of one name, however it is divided and ordered; rarely also for two names. Empty for no name. */
  readonly key: string;
};

export const NO_NAME: PersonName = {
  given: [],
  family: [],
  suffix: '',
  gender: null,
  remark: '',
  isSeveral: false,
  key: '',
};

/** Whether a contact has a person's name. */
export const hasName = ({ key }: PersonName): boolean => key !== '';

const UMLAUT = /[äöüøåæœ]/iu;
const SPELT: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };

const wordsIn = (text: string): readonly Word[] => {
  const plain = foldText(text);
  if (plain === '') return [];
  const words = plain.split(' ');
  if (!UMLAUT.test(text)) return words.map((word) => [word, word]);
  const spelt = foldText(text.toLowerCase().replace(/[äöüøå]/gu, (letter) => SPELT[letter] ?? letter)).split(' ');
  return words.map((word, index) => [word, spelt[index] ?? word]);
};

/** Vowels in either spelling: `mueller` and `muller`. */
export const withoutDigraphs = (text: string): string => text.replace(/([aou])e/gu, '$1');

const SPACELESS =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Whether the word is of a script that writes names without spaces. */
export const isSpaceless = ([plain]: Word): boolean => plain > '\u0E00' && SPACELESS.test(plain);

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/u;
const MINIMUM_PHONE_DIGITS = 7;

/** Whether a name is no name but an email address or a phone number. */
const isAddress = (name: string, { phoneNumbers, emailAddresses }: Contact): boolean => {
  if (!/[@\p{Nd}]/u.test(name)) return false;
  if (EMAIL.test(name)) return true;
  if (name.includes('@')) return emailAddresses.some(({ value }) => emailKey(value) === emailKey(name));
  if (/\p{L}/u.test(name)) return false;
  if ((name.match(/\p{Nd}/gu)?.length ?? 0) >= MINIMUM_PHONE_DIGITS) return true;
  return phoneNumbers.some(({ value }) => phoneKey(value) === phoneKey(name));
};

/** Longer names are compared as one text. */
const MOST_WORDS = 20;
const LONGEST_ENTRY = 3;

const entryOf = (words: readonly Word[]): string => words.map(([plain]) => plain).join(' ');

/** How many words at the start, or at the end, make an entry of a table, the longest first; 0 where none do. */
const matchAt = (words: readonly Word[], from: 'start' | 'end', has: (entry: string) => boolean): number => {
  for (let count = Math.min(LONGEST_ENTRY, words.length); count > 0; count -= 1) {
    if (has(entryOf(from === 'start' ? words.slice(0, count) : words.slice(-count)))) return count;
  }
  return 0;
};

type Draft = { first: readonly Word[]; last: readonly Word[]; suffix: string; readonly genders: Set<Gender> };

/** Drops titles at the start of the words. `following` counts the words of the other field behind them. */
const dropTitles = (draft: Draft, words: readonly Word[], following: number): readonly Word[] => {
  let rest = words;
  for (;;) {
    const count = matchAt(rest, 'start', (entry) => TABLES.honorifics.has(entry));
    if (count === 0) return rest;
    const entry = entryOf(rest.slice(0, count));
    // A title that is also a name or an initial needs a first name and a family name behind it.
    const behind = rest.length - count;
    const isUnsure = TABLES.unsureHonorifics.has(entry);
    if (isUnsure ? behind === 0 || behind + following < 2 : behind + following === 0) return rest;
    const gender = TABLES.honorifics.get(entry) ?? null;
    if (gender !== null) draft.genders.add(gender);
    rest = rest.slice(count);
    for (;;) {
      const degree = matchAt(rest, 'start', (each) => TABLES.degrees.has(each));
      if (degree === 0 || (rest.length === degree && following === 0)) break;
      rest = rest.slice(degree);
    }
  }
};

type Place = 'first' | 'last' | 'whole';

/** Drops suffixes and qualifications at the end of the words, and keeps what the suffix says. */
const dropSuffixes = (draft: Draft, words: readonly Word[], place: Place): readonly Word[] => {
  let rest = words;
  for (;;) {
    const [end] = rest.at(-1) ?? [''];
    const isSure = TABLES.suffixes.has(end) && (rest.length > 1 || place === 'last');
    const isLikely = TABLES.unsureSuffixes.has(end) && rest.length > (place === 'last' ? 1 : 2) && place !== 'first';
    const suffix = TABLES.suffixes.get(end) ?? TABLES.unsureSuffixes.get(end);
    if ((isSure || isLikely) && suffix !== undefined) {
      draft.suffix ||= suffix;
      rest = rest.slice(0, -1);
      continue;
    }
    const count = matchAt(rest, 'end', (entry) => TABLES.qualifications.has(entry));
    if (count === 0 || count >= rest.length) break;
    rest = rest.slice(0, -count);
  }
  const at = place === 'whole' ? rest.findIndex(([plain], index) => index > 0 && TABLES.suffixes.has(plain)) : -1;
  if (at < 0) return rest;
  draft.suffix ||= TABLES.suffixes.get(rest[at]?.[0] ?? '') ?? '';
  return rest.toSpliced(at, 1);
};

/** Drops a title that is written behind the last word without a space. */
const dropAttached = (draft: Draft, words: readonly Word[]): readonly Word[] => {
  const end = words.at(-1);
  if (end === undefined || !isSpaceless(end)) return words;
  const found = TABLES.attached.find(([title]) => end[0].length > title.length && end[0].endsWith(title));
  if (found === undefined) return words;
  const [title, gender] = found;
  if (gender !== null) draft.genders.add(gender);
  const bare = end[0].slice(0, -title.length);
  return [...words.slice(0, -1), [bare, bare]];
};

const dropLeadingSuffix = (draft: Draft, words: readonly Word[]): readonly Word[] => {
  const suffix = words.length > 1 ? TABLES.leadingSuffixes.get(words[0]?.[0] ?? '') : undefined;
  if (suffix === undefined) return words;
  draft.suffix ||= suffix;
  return words.slice(1);
};

const REMARK = /\([^()]*\)|\[[^[\]]*\]|（[^（）]*）|"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»/gu;
const MAY_HAVE_REMARK = /[()[\]（）"“”„«»]/u;

const splitRemark = (text: string): { readonly text: string; readonly remark: string } => {
  if (!MAY_HAVE_REMARK.test(text)) return { text, remark: '' };
  const remark = foldText((text.match(REMARK) ?? []).join(' '));
  return { text: text.replace(REMARK, ' ').trim(), remark };
};

const isQualification = (segment: string): boolean => {
  const words = wordsIn(segment);
  const isKnown = (entry: string): boolean =>
    TABLES.suffixes.has(entry) ||
    TABLES.unsureSuffixes.has(entry) ||
    TABLES.qualifications.has(entry) ||
    TABLES.qualificationsAfterComma.has(entry) ||
    TABLES.honorifics.has(entry);
  return words.length > 0 && (isKnown(entryOf(words)) || words.every(([plain]) => isKnown(plain)));
};

const suffixIn = (text: string): string =>
  wordsIn(text)
    .map(([plain]) => TABLES.suffixes.get(plain) ?? TABLES.unsureSuffixes.get(plain) ?? '')
    .find((suffix) => suffix !== '') ?? '';

/** The parts of a text between commas, without those that only qualify the name: `Smith, Jr.` */
const splitCommas = (text: string): { readonly parts: readonly string[]; readonly suffix: string } => {
  if (!text.includes(',')) return { parts: [text], suffix: '' };
  const [name = '', ...others] = text.split(',').filter((part) => foldText(part) !== '');
  const qualifications = others.filter(isQualification);
  return {
    parts: [name, ...others.filter((part) => !qualifications.includes(part))],
    suffix: suffixIn(qualifications.join(' ')),
  };
};

const SIGN_BETWEEN = /[&＆+＋]|\p{L}{2}\s*\/\s*\p{L}{2}/u;
const PLURAL = /^(?:the|die|los|gli)\s.*\p{L}['’]?s['’]?$/iu;
const OF = /^(?:von|of|de)$/iu;

const tokensOf = (text: string): readonly string[] => text.split(/\s+/u).filter((token) => token !== '');

/** Whether a word stands between two people, such as `und` in `Anna und Ben`; in `Ortega y Gasset` it stands in a family name. */
const hasAnd = (first: string, last: string): boolean => {
  const [given, family] = [tokensOf(first), tokensOf(last)];
  const isWhole = given.length === 0 || family.length === 0;
  const tokens = [...given, ...family];
  return tokens.some((token, index) => {
    const behind = tokens.length - index - 1;
    if (index === 0 || behind === 0 || OF.test(tokens[index - 1] ?? '')) return false;
    if (TABLES.and.has(foldText(token))) return true;
    if (!TABLES.lowerCaseAnd.has(token)) return false;
    return isWhole ? index === 1 || behind > 1 : index < given.length;
  });
};

const isHouseholdWord = ([plain]: Word): boolean => TABLES.household.has(plain);

/** Without the household words and what stands between people. */
const bareOf = (words: readonly Word[]): readonly Word[] =>
  words.filter(
    (word) =>
      !isHouseholdWord(word) && !TABLES.and.has(word[0]) && !TABLES.lowerCaseAnd.has(word[0]) && word[0] !== 'the',
  );

/** A text of signs alone, as a word of its own; punctuation alone says nothing where there is another name. */
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

/** Drops titles and suffixes from the words of both fields. */
const strip = (draft: Draft): void => {
  const isWhole = draft.first.length === 0 || draft.last.length === 0;
  draft.first = dropLeadingSuffix(draft, dropTitles(draft, draft.first, draft.last.length));
  draft.last = dropLeadingSuffix(draft, dropTitles(draft, draft.last, 0));
  const isLastOnly = draft.first.length === 0;
  draft.first = dropAttached(draft, dropSuffixes(draft, draft.first, isWhole ? 'whole' : 'first'));
  draft.last = dropAttached(draft, dropSuffixes(draft, draft.last, isWhole || isLastOnly ? 'whole' : 'last'));
};

/** A name that is written in one field ends in the family name. A single word behind a title is one. */
const divided = (words: readonly Word[], hasTitle: boolean): Pick<PersonName, 'given' | 'family'> =>
  words.length < 2 && !hasTitle ? { given: words, family: [] } : { given: words.slice(0, -1), family: words.slice(-1) };

type Texts = { readonly first: string; readonly last: string; readonly remark: string; readonly suffix: string };

/** The texts of both fields without remarks and qualifications, and whether they name several people. */
const textsOf = ({ firstName, lastName }: Contact): Texts & { readonly isSeveral: boolean } => {
  const split = { first: splitRemark(firstName), last: splitRemark(lastName) };
  const isRemark = foldText(`${split.first.text} ${split.last.text}`) === '';
  const { first, last } = isRemark
    ? { first: { text: firstName, remark: '' }, last: { text: lastName, remark: '' } }
    : split;
  const [given, family] = [splitCommas(first.text), splitCommas(last.text)];
  const isWhole = foldText(first.text) === '' || foldText(last.text) === '';
  const own = isWhole && given.parts.length < 2 ? family.parts : given.parts;
  const whole = `${first.text} ${last.text}`.trim();
  const isSeveral =
    own.length > (isWhole ? 2 : 1) ||
    SIGN_BETWEEN.test(`${firstName} ${lastName}`) ||
    (isWhole && PLURAL.test(whole)) ||
    wordsIn(whole).some(isHouseholdWord) ||
    hasAnd(firstName, lastName);
  const rest = {
    remark: [first.remark, last.remark].filter((text) => text !== '').join(' '),
    suffix: given.suffix || family.suffix,
    isSeveral,
  };
  const [before = '', behind] = own;
  // Lovelace, Ada
  if (isWhole && !isSeveral && behind !== undefined) return { first: behind, last: before, ...rest };
  return { first: given.parts.join(' '), last: family.parts.join(' '), ...rest };
};

/** What matching reads of a contact's name. Pure. */
export const personNameOf = (contact: Contact): PersonName => {
  const { firstName, lastName, middleName = '', namePrefix = '', nameSuffix = '' } = contact;
  if (firstName === '' && lastName === '') return NO_NAME;
  if (isAddress(`${firstName} ${lastName}`.trim(), contact)) return NO_NAME;
  const texts = textsOf(contact);
  const written = { first: wordsIn(texts.first), last: wordsIn(texts.last) };
  if (written.first.length + written.last.length > MOST_WORDS) {
    const text = entryOf([...written.first, ...written.last]);
    return nameOf({ ...NO_NAME, given: [[text, text]] });
  }
  const isWhole = written.first.length === 0 || written.last.length === 0;
  const draft: Draft = { ...written, suffix: texts.suffix, genders: new Set() };
  if (texts.isSeveral) [draft.first, draft.last] = [bareOf(draft.first), bareOf(draft.last)];
  strip(draft);
  const hasTitle = draft.first.length + draft.last.length < written.first.length + written.last.length;
  dropTitles(draft, wordsIn(namePrefix), 1);
  draft.suffix ||= suffixIn(nameSuffix);
  if (draft.first.length + draft.last.length === 0) [draft.first, draft.last] = [written.first, written.last];
  const isSigns = draft.first.length + draft.last.length === 0;
  const given = [
    ...draft.first,
    ...(written.first.length > 0 ? [] : signsIn(texts.first, isSigns)),
    ...wordsIn(middleName),
  ];
  const family = written.last.length > 0 ? draft.last : signsIn(texts.last, isSigns);
  const gender = draft.genders.size === 1 ? ([...draft.genders][0] ?? null) : null;
  const rest = { suffix: draft.suffix, gender, remark: texts.remark, isSeveral: texts.isSeveral };
  if (given.length > 0 && family.length > 0) return nameOf({ given, family, ...rest });
  if (!isWhole && given.length + family.length < 2) return nameOf({ given, family, ...rest });
  return nameOf({ ...divided([...given, ...family], hasTitle || written.first.length === 0), ...rest });
};
