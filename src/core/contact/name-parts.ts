import type { Contact } from './contact.ts';
import { NAME_TABLES as TABLES } from './name-tables.ts';
import { entryOf, foldText, isSpaceless, type Word, wordsIn } from './names.ts';

const LONGEST_ENTRY = 3;

/** Returns how many words at the start or at the end form an entry of a table, preferring the longest; 0 if none do. */
const matchAt = (words: readonly Word[], from: 'start' | 'end', has: (entry: string) => boolean): number => {
  for (let count = Math.min(LONGEST_ENTRY, words.length); count > 0; count -= 1) {
    if (has(entryOf(from === 'start' ? words.slice(0, count) : words.slice(-count)))) return count;
  }
  return 0;
};

/** The remaining words of both fields while parts are removed. */
type NameDraft = {
  first: readonly Word[];
  last: readonly Word[];
  suffix: string;
  readonly genders: Set<'male' | 'female'>;
};

/** Drops the parts of a degree after its title: Dr. rer. nat. */
const dropDegrees = (words: readonly Word[], following: number): readonly Word[] => {
  let rest = words;
  for (;;) {
    const count = matchAt(rest, 'start', (entry) => TABLES.degrees.has(entry));
    if (count === 0 || rest.length - count + following === 0) return rest;
    rest = rest.slice(count);
  }
};

/**
 * Returns whether an entry is a title, given the number of words after it. An entry that is also a name or an initial needs a first
 * name and a family name after it.
 */
const isTitle = (entry: string, behind: number, following: number): boolean =>
  TABLES.unsureHonorifics.has(entry) ? behind > 0 && behind + following > 1 : behind + following > 0;

/** Drops titles at the start of the words. `following` is the number of words in the other field after them. */
const dropTitles = (draft: NameDraft, words: readonly Word[], following: number): readonly Word[] => {
  let rest = words;
  for (;;) {
    const count = matchAt(rest, 'start', (entry) => TABLES.honorifics.has(entry));
    if (count === 0) return rest;
    const entry = entryOf(rest.slice(0, count));
    if (!isTitle(entry, rest.length - count, following)) return rest;
    const gender = TABLES.honorifics.get(entry) ?? null;
    if (gender !== null) draft.genders.add(gender);
    rest = dropDegrees(rest.slice(count), following);
  }
};

type Place = 'first' | 'last' | 'whole';

/** Returns the suffix in the last word; null if it is not a suffix. A suffix that is also a name needs a family name before it. */
const suffixAt = (words: readonly Word[], place: Place): string | null => {
  const [end] = words.at(-1) ?? [''];
  const suffix = TABLES.suffixes.get(end);
  if (suffix !== undefined) return words.length > 1 || place === 'last' ? suffix : null;
  const isBehindFamily = place !== 'first' && words.length > (place === 'last' ? 1 : 2);
  return isBehindFamily ? (TABLES.unsureSuffixes.get(end) ?? null) : null;
};

/** Drops suffixes and qualifications at the end of the words, and records the suffix. */
const dropEnd = (draft: NameDraft, words: readonly Word[], place: Place): readonly Word[] => {
  let rest = words;
  for (;;) {
    const suffix = suffixAt(rest, place);
    const qualified = suffix === null ? matchAt(rest, 'end', (entry) => TABLES.qualifications.has(entry)) : 1;
    if (qualified === 0 || (suffix === null && qualified >= rest.length)) return rest;
    draft.suffix ||= suffix ?? '';
    rest = rest.slice(0, -qualified);
  }
};

/** Drops a suffix in the middle of a name that is written in one field: John Jr. Smith. */
const dropMiddle = (draft: NameDraft, words: readonly Word[]): readonly Word[] => {
  const at = words.findIndex(([plain], index) => index > 0 && TABLES.suffixes.has(plain));
  if (at < 0) return words;
  draft.suffix ||= TABLES.suffixes.get(words[at]?.[0] ?? '') ?? '';
  return words.toSpliced(at, 1);
};

const dropSuffixes = (draft: NameDraft, words: readonly Word[], place: Place): readonly Word[] => {
  const rest = dropEnd(draft, words, place);
  return place === 'whole' ? dropMiddle(draft, rest) : rest;
};

/** Drops a title that is attached to the last word without a space. */
const dropAttached = (draft: NameDraft, words: readonly Word[]): readonly Word[] => {
  const end = words.at(-1);
  if (end === undefined || !isSpaceless(end)) return words;
  const found = TABLES.attached.find(([title]) => end[0].length > title.length && end[0].endsWith(title));
  if (found === undefined) return words;
  const [title, gender] = found;
  if (gender !== null) draft.genders.add(gender);
  const bare = end[0].slice(0, -title.length);
  return [...words.slice(0, -1), [bare, bare]];
};

const dropLeadingSuffix = (draft: NameDraft, words: readonly Word[]): readonly Word[] => {
  const suffix = words.length > 1 ? TABLES.leadingSuffixes.get(words[0]?.[0] ?? '') : undefined;
  if (suffix === undefined) return words;
  draft.suffix ||= suffix;
  return words.slice(1);
};

/** Drops titles and suffixes from the words of both fields. */
const stripName = (draft: NameDraft): void => {
  const isWhole = draft.first.length === 0 || draft.last.length === 0;
  draft.first = dropLeadingSuffix(draft, dropTitles(draft, draft.first, draft.last.length));
  draft.last = dropLeadingSuffix(draft, dropTitles(draft, draft.last, 0));
  const isLastOnly = draft.first.length === 0;
  draft.first = dropAttached(draft, dropSuffixes(draft, draft.first, isWhole ? 'whole' : 'first'));
  draft.last = dropAttached(draft, dropSuffixes(draft, draft.last, isWhole || isLastOnly ? 'whole' : 'last'));
};

/** Returns the first suffix in a text; empty if it does not exist. */
const suffixIn = (text: string): string =>
  wordsIn(text)
    .map(([plain]) => TABLES.suffixes.get(plain) ?? TABLES.unsureSuffixes.get(plain) ?? '')
    .find((suffix) => suffix !== '') ?? '';

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

/** Splits a text at commas, and removes the parts that only qualify the name: `Smith, Jr.` */
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

/** Returns whether a word joins two people, such as `und` in `Anna und Ben`. In `Ortega y Gasset` it is part of a family name. */
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

/** Returns the words without household words and the words that join people. */
const withoutAnd = (words: readonly Word[]): readonly Word[] =>
  words.filter(
    (word) =>
      !isHouseholdWord(word) && !TABLES.and.has(word[0]) && !TABLES.lowerCaseAnd.has(word[0]) && word[0] !== 'the',
  );

/** The texts of both name fields without remarks and qualifications. */
type NameTexts = {
  readonly first: string;
  readonly last: string;
  readonly remark: string;
  readonly suffix: string;
  readonly isSeveral: boolean;
};

const isBlank = (text: string): boolean => foldText(text) === '';

type Split = ReturnType<typeof splitRemark>;

/** Returns both fields without their remarks. They are unchanged if they contain only remarks. */
const splitRemarks = ({ firstName, lastName }: Contact): { readonly first: Split; readonly last: Split } => {
  const split = { first: splitRemark(firstName), last: splitRemark(lastName) };
  if (!isBlank(split.first.text) || !isBlank(split.last.text)) return split;
  return { first: { text: firstName, remark: '' }, last: { text: lastName, remark: '' } };
};

/**
 * Returns whether the texts name several people: Anna & Ben, Familie Huber, the Millerbys. `parts` is the
 * number of parts between commas.
 */
const nameSeveral = ({ firstName, lastName }: Contact, isWhole: boolean, parts: number): boolean => {
  const whole = `${firstName} ${lastName}`.trim();
  return (
    parts > (isWhole ? 2 : 1) ||
    SIGN_BETWEEN.test(whole) ||
    (isWhole && PLURAL.test(whole)) ||
    wordsIn(whole).some(isHouseholdWord) ||
    hasAnd(firstName, lastName)
  );
};

const nameTextsOf = (contact: Contact): NameTexts => {
  const { first, last } = splitRemarks(contact);
  const [given, family] = [splitCommas(first.text), splitCommas(last.text)];
  const isWhole = isBlank(first.text) || isBlank(last.text);
  const own = isWhole && isBlank(first.text) ? family.parts : given.parts;
  const isSeveral = nameSeveral(contact, isWhole, own.length);
  const remark = [first.remark, last.remark].filter((text) => text !== '').join(' ');
  const rest = { remark, suffix: given.suffix || family.suffix, isSeveral };
  const [before = '', behind] = own;
  // Lovelace, Ada
  if (isWhole && !isSeveral && behind !== undefined) return { first: behind, last: before, ...rest };
  return { first: given.parts.join(' '), last: family.parts.join(' '), ...rest };
};

type Written = { readonly first: readonly Word[]; readonly last: readonly Word[] };

/** Returns the words without titles and suffixes; all words if nothing else remains. */
const draftOf = (written: Written, texts: NameTexts, { namePrefix = '', nameSuffix = '' }: Contact): NameDraft => {
  const { first, last } = written;
  const own = texts.isSeveral ? { first: withoutAnd(first), last: withoutAnd(last) } : written;
  const draft: NameDraft = { ...own, suffix: texts.suffix, genders: new Set() };
  stripName(draft);
  dropTitles(draft, wordsIn(namePrefix), 1);
  draft.suffix ||= suffixIn(nameSuffix);
  return draft.first.length + draft.last.length > 0 ? draft : { ...draft, first, last };
};

/** Longer names are compared as one text. */
const MOST_WORDS = 20;

/**
 * Parses the name fields of a contact: their texts without remarks and qualifications, the words as written, and the words without
 * titles and suffixes (`draft`), which is null for a name of many words. Pure.
 */
export const parseName = (contact: Contact) => {
  const texts = nameTextsOf(contact);
  const written: Written = { first: wordsIn(texts.first), last: wordsIn(texts.last) };
  const isLong = written.first.length + written.last.length > MOST_WORDS;
  return { texts, written, draft: isLong ? null : draftOf(written, texts, contact) };
};
