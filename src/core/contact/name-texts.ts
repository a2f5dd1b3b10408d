import type { Contact } from './contact.ts';
import { NAME_TABLES as TABLES } from './name-tables.ts';
import { suffixIn } from './name-titles.ts';
import { entryOf, wordsIn, type Word } from './name-words.ts';
import { foldText } from './names.ts';

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
export const withoutAnd = (words: readonly Word[]): readonly Word[] =>
  words.filter(
    (word) =>
      !isHouseholdWord(word) && !TABLES.and.has(word[0]) && !TABLES.lowerCaseAnd.has(word[0]) && word[0] !== 'the',
  );

/** The texts of both name fields without remarks and qualifications. */
export type NameTexts = {
  readonly first: string;
  readonly last: string;
  readonly remark: string;
  readonly suffix: string;
  readonly isSeveral: boolean;
};

const isBlank = (text: string): boolean => foldText(text) === '';

type Split = ReturnType<typeof splitRemark>;

/** Both fields without their remarks; as they are where they say nothing else. */
const splitRemarks = ({ firstName, lastName }: Contact): { readonly first: Split; readonly last: Split } => {
  const split = { first: splitRemark(firstName), last: splitRemark(lastName) };
  if (!isBlank(split.first.text) || !isBlank(split.last.text)) return split;
  return { first: { text: firstName, remark: '' }, last: { text: lastName, remark: '' } };
};

/** Whether the texts name several people: Anna & Ben, Familie Huber, the Millerbys. `parts` stand between commas. */
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

/** Reads the texts of a contact's name. Pure. */
export const nameTextsOf = (contact: Contact): NameTexts => {
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
