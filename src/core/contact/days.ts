import { normaliseText } from './text.ts';

/** A calendar day; `year` is null if it is unknown. */
type Parts = { readonly year: number | null; readonly month: number; readonly day: number };

/** The number of days of each month; February has 29 in a leap year, and if the year is unknown. */
const MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

const isDay = ({ year, month, day }: Parts): boolean => {
  const isLeapDay = month === 2 && day === 29;
  if (year === 0 || (isLeapDay && year !== null && !isLeapYear(year))) return false;
  return day >= 1 && day <= (MONTHS[month - 1] ?? 0);
};

const partsOf = (year: string | undefined, month: string | undefined, day: string | undefined): Parts => ({
  year: year === undefined || year === '' ? null : Number(year),
  month: Number(month),
  day: Number(day),
});

/** Midnight, as written by programs that store a day as a point in time. Any other time may be on the next or previous day. */
const MIDNIGHT = /[T ]00:?00(?::?00(?:\.0+)?)?(?: ?(?:Z|UTC|GMT|[+-]00:?00))?$/u;

const YEAR_FIRST = /^(\d{4})([-./])(\d{1,2})\2(\d{1,2})$/u;
const COMPACT = /^(\d{4})(\d{2})(\d{2})$/u;
const WITHOUT_YEAR = /^--(\d{1,2})-?(\d{1,2})$/u;
/** The day comes first if dots separate the parts. */
const DOTTED = /^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})?$/u;
const YEAR_LAST = /^(\d{1,2})([-/])(\d{1,2})\2(\d{4})$/u;

/** Returns a day whose day and month are in unknown order; null if both orders are valid days and differ. */
const eitherOrder = (first: string | undefined, second: string | undefined, year: string | undefined): Parts | null => {
  const orders = [partsOf(year, first, second), partsOf(year, second, first)].filter(isDay);
  const [only, other = only] = orders;
  return only !== undefined && only.month === other?.month && only.day === other.day ? only : null;
};

const read = (text: string): Parts | null => {
  const [, year, , month, day] = YEAR_FIRST.exec(text) ?? [];
  if (year !== undefined) return partsOf(year, month, day);
  const compact = COMPACT.exec(text);
  if (compact !== null) return partsOf(compact[1], compact[2], compact[3]);
  const yearless = WITHOUT_YEAR.exec(text);
  if (yearless !== null) return partsOf(undefined, yearless[1], yearless[2]);
  const dotted = DOTTED.exec(text);
  if (dotted !== null) return partsOf(dotted[3], dotted[2], dotted[1]);
  const last = YEAR_LAST.exec(text);
  return last === null ? null : eitherOrder(last[1], last[3], last[4]);
};

/** Returns whether the text may be either of two days, because the order of day and month is unknown, for example 05/06/1980. */
export const isAmbiguousDay = (text: string): boolean => {
  const [, first, , second, year] = YEAR_LAST.exec(text) ?? [];
  return (
    first !== undefined && [partsOf(year, first, second), partsOf(year, second, first)].every(isDay) && first !== second
  );
};

/** Returns the parts of a day in the format of {@link normaliseDay}; null if the text is not a day. */
export const partsOfDay = (text: string): Parts | null => {
  const [, year, month, day] = /^(?:(\d{4})|-)-(\d{2})-(\d{2})$/u.exec(text) ?? [];
  const parts = partsOf(year, month, day);
  return isDay(parts) ? parts : null;
};

const padded = (number: number, digits: number): string => String(number).padStart(digits, '0');

/** The year that Apple's programs write for an unknown one. The parameter that says so is lost on the way to other programs. */
const NO_YEAR = 1604;

/**
 * Returns a day as `1980-05-17`, or `--05-17` if its year is unknown, from every unambiguous spelling. Returns any other text, such
 * as 05/06/1980 and 2001-02-29, normalised with {@link normaliseText}.
 */
export const normaliseDay = (text: string | null | undefined): string => {
  const normalised = normaliseText(text);
  const day = read(normalised.replace(MIDNIGHT, ''));
  if (day === null || !isDay(day)) return normalised;
  return `${day.year === null || day.year === NO_YEAR ? '-' : padded(day.year, 4)}-${padded(day.month, 2)}-${padded(day.day, 2)}`;
};
