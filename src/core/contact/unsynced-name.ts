import type { Contact } from './contact.ts';
import { foldText } from './names.ts';
import { normaliseText } from './text.ts';

/** Parts of a contact's name that the side has and the link does not sync. They distinguish people (R13). */
export type UnsyncedName = {
  readonly namePrefix?: string;
  readonly middleName?: string;
  readonly nameSuffix?: string;
  /** The name as it is spoken. No link syncs it. */
  readonly phonetic?: string;
};

/** Returns the filled parts that are not among the chosen fields; empty if there are none. */
export const unsyncedNameOf = (
  chosen: Iterable<string>,
  { namePrefix, middleName, nameSuffix, phonetic }: Readonly<Record<keyof UnsyncedName, string>>,
): { readonly unsyncedName?: UnsyncedName } => {
  if ([namePrefix, middleName, nameSuffix, phonetic].every((text) => text === '')) return {};
  const synced = new Set(chosen);
  const texts = Object.entries({ namePrefix, middleName, nameSuffix, phonetic }).map(
    ([part, text]) => [part, normaliseText(text)] as const,
  );
  const others = texts.filter(([part, text]) => text !== '' && !synced.has(part));
  return others.length === 0 ? {} : { unsyncedName: Object.fromEntries(others) };
};

type Named = { readonly contact: Contact; readonly unsyncedName?: UnsyncedName };

/** Returns the contact with all parts of its name, for comparisons only. */
export const withWholeName = ({ contact, unsyncedName }: Named): Contact => {
  if (unsyncedName === undefined) return contact;
  const { phonetic: _phonetic, ...parts } = unsyncedName;
  return { ...contact, ...parts };
};

const KATAKANA = /[\u30A1-\u30F6]/gu;

/** Returns the spoken name as one text: hiragana and katakana are equal. */
export const phoneticKey = ({ unsyncedName }: Named): string =>
  foldText(unsyncedName?.phonetic ?? '')
    .replaceAll(' ', '')
    .replace(KATAKANA, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) - 0x60));

const isLatin = (text: string): boolean => /\p{Script=Latin}/u.test(text);

/** Returns whether two spoken names are of different people. Names in different scripts are not compared. */
export const soundDifferent = (one: string, other: string): boolean =>
  one !== '' && other !== '' && isLatin(one) === isLatin(other) && !one.includes(other) && !other.includes(one);
