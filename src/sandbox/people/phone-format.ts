import type { Random } from './random.ts';

const EXTENSION = /\s*(?:ext\.?|x)\s*(\d+)$/i;

const inThrees = (digits: string): string => digits.replace(/\d{3}(?=\d{2})/g, '$& ');

/**
 * The same number as somebody else might have typed it: without separators, with dots, in groups, with `00` for `+`.
 * A national number stays national, an extension stays, and what is not just digits and separators stays as it is.
 */
export const reformatPhone = (phone: string, random: Random): string => {
  const extension = EXTENSION.exec(phone)?.[1];
  const number = phone.replace(EXTENSION, '').replace('(0)', '').replace(/^00/, '+');
  const digits = number.replace(/\D/g, '');
  if (digits.length < 7 || /[^\d\s()./+-]/.test(number)) return phone;
  const forms = number.startsWith('+')
    ? [`+${digits}`, `00${digits}`, `+${inThrees(digits)}`]
    : [digits, inThrees(digits), inThrees(digits).replaceAll(' ', '.')];
  const ending = extension === undefined ? '' : random.pick([` x${extension}`, ` ext. ${extension}`]);
  return random.pick(forms.map((form) => form + ending).filter((form) => form !== phone));
};
