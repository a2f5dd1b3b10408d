/** A birthday as `Person` has it, or the reason why the text is not read; both are null for a text without a birthday. */
export type ReadBirthday = { readonly day: string | null; readonly reason: string | null };

const NOTHING: ReadBirthday = { day: null, reason: null };
const UNREADABLE: ReadBirthday = { day: null, reason: 'the birthday cannot be read' };
const IMPOSSIBLE: ReadBirthday = { day: null, reason: 'the birthday is not a day of the calendar' };
const AMBIGUOUS: ReadBirthday = { day: null, reason: 'the birthday has two readings: day and month, or month and day' };

/** The year that Apple writes where it does not know one. */
const APPLE_UNKNOWN_YEAR = '1604';

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/** A time of day behind a date. */
const TIME = /(?:T| (?=\d{1,2}:))\d{1,2}.*$/u;

/** The spellings of a day that tell day and month apart. */
const SPELLINGS = [
  /^(?<year>\d{4}|-)(?<sign>[-./]?)(?<month>\d{1,2})\k<sign>(?<day>\d{1,2})$/u,
  /^--(?<month>\d{2})(?<day>\d{2})$/u,
  /^(?<day>\d{1,2})\. ?(?<month>\d{1,2})\.(?: ?(?<year>\d{4}))?$/u,
  /^(?<month>\p{L}{3,}) (?<day>\d{1,2}),? (?<year>\d{4})$/u,
  /^(?<day>\d{1,2})\.? (?<month>\p{L}{3,}),? (?<year>\d{4})$/u,
];
const EITHER_ORDER = /^(\d{1,2})([-/])(\d{1,2})\2(\d{4})$/u;

/** Such as `0/0/00`, which Outlook writes for no birthday. */
const isBlank = (text: string): boolean => !/[1-9\p{L}]/u.test(text);

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

const isDay = (year: string, month: number, day: number): boolean => {
  const lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  if (month === 2 && day === 29 && /^\d+$/u.test(year) && !isLeapYear(Number(year))) return false;
  return day >= 1 && day <= (lengths[month - 1] ?? 0);
};

const dayOf = (year: string, month: number, day: number): ReadBirthday => {
  const known = year === '' || year === '0000' || year === APPLE_UNKNOWN_YEAR ? '-' : year;
  if (!isDay(known, month, day)) return IMPOSSIBLE;
  return { day: `${known}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`, reason: null };
};

const eitherOrder = (first: number, second: number, year: string): ReadBirthday => {
  if (first !== second && first <= 12 && second <= 12) return AMBIGUOUS;
  return first > 12 ? dayOf(year, second, first) : dayOf(year, first, second);
};

/** The number of a month, which may be an English name; 0 for any other text. */
const monthOf = (text: string): number =>
  /^\d+$/u.test(text) ? Number(text) : MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1;

/** Reads a birthday as exports spell it: `19900412`, `1990-04-12T00:00:00Z`, `--0412`, `12.04.1990`, `April 12, 1990`. */
export const readBirthday = (text: string): ReadBirthday => {
  const bare = text.trim();
  if (isBlank(bare)) return NOTHING;
  const date = bare.replace(TIME, '').trim();
  const [, first, , second, ofYear] = EITHER_ORDER.exec(date) ?? [];
  if (ofYear !== undefined) return eitherOrder(Number(first), Number(second), ofYear);
  const parts = SPELLINGS.map((spelling) => spelling.exec(date)?.groups).find((groups) => groups !== undefined);
  const month = monthOf(parts?.['month'] ?? '');
  if (parts === undefined || month === 0) return UNREADABLE;
  const { year = '' } = parts;
  return dayOf(year === '-' ? '' : year, month, Number(parts['day']));
};
