import { partsOfDay } from '../../core/contact/days.ts';

/** A date as Google gives it; a part that is not known is left out, or 0. */
type GoogleDate = { readonly year?: number; readonly month?: number; readonly day?: number };

const padded = (number: number, digits: number): string => String(number).padStart(digits, '0');

/** The day as a contact holds it, `1980-05-17` or `--05-17`; null where month or day is not known. */
export const dayOf = ({ year = 0, month = 0, day = 0 }: GoogleDate = {}): string | null => {
  if (month === 0 || day === 0) return null;
  return `${year === 0 ? '-' : padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
};

/** The date of a day; null where the text is none of the calendar. */
export const dateOf = (
  text: string,
): { readonly year?: number; readonly month: number; readonly day: number } | null => {
  const parts = partsOfDay(text);
  if (parts === null) return null;
  const { year, month, day } = parts;
  return { ...(year !== null && { year }), month, day };
};
