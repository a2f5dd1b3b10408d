import { invalid } from './errors.ts';
import type { ServiceVariants } from './variants.ts';

const MAX_TEXT_LENGTH = 255;

const rewrites = (variants: ServiceVariants, what: ServiceVariants['normalisation']): boolean =>
  variants.normalisation === what || variants.normalisation === 'all';

/** A text within the length that the service stores. Throws a ServiceError where too long a text is refused. */
export const storedText = (text: string, variants: ServiceVariants): string => {
  if (text.length <= MAX_TEXT_LENGTH || variants.longText === 'kept') return text;
  if (variants.longText === '422') throw invalid(variants, 'Text is too long (maximum is 255 characters)');
  return text.slice(0, MAX_TEXT_LENGTH);
};

/** An email address as stored; rewritten: trimmed and in lower case. */
export const storedEmail = (address: string, variants: ServiceVariants): string =>
  rewrites(variants, 'emails') ? address.trim().toLowerCase() : address;

/** A phone number as stored; rewritten: ten digits in the American form. */
export const storedPhone = (number: string, variants: ServiceVariants): string => {
  if (!rewrites(variants, 'phones')) return number;
  const digits = number.replaceAll(/\D/g, '');
  if (digits.length !== 10) return number;
  return `(${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`;
};

/** A label as stored; rewritten: with a capital first letter. */
export const storedLabel = (label: string | null | undefined, variants: ServiceVariants): string | null => {
  if (label === null || label === undefined) return null;
  return rewrites(variants, 'labels') ? label.charAt(0).toUpperCase() + label.slice(1).toLowerCase() : label;
};

/** A part of a postal address as stored; rewritten: trimmed, in upper case. */
export const storedAddressPart = (part: string | null | undefined, variants: ServiceVariants): string | null => {
  if (part === null || part === undefined) return null;
  return rewrites(variants, 'addresses') ? part.trim().toUpperCase() : part;
};

/** Tags as stored; rewritten: the first spelling of each, compared without case. */
export const storedTags = (tags: readonly string[], variants: ServiceVariants): readonly string[] => {
  if (!rewrites(variants, 'tags')) return tags;
  const spellings = new Map<string, string>();
  for (const tag of tags) {
    const key = tag.trim().toLowerCase();
    if (!spellings.has(key)) spellings.set(key, tag.trim());
  }
  return [...spellings.values()];
};
