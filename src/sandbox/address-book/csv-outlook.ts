import { type Cell, type Columns, type Layout, layoutOf, namesCell, type Row } from './csv-columns.ts';
import type { LabelledText, PersonAddress } from '../people/person.ts';

type LabelledColumn = readonly [column: string, label: string | null];

const EMAILS: readonly LabelledColumn[] = [
  ['E-mail Address', null],
  ['E-mail 2 Address', null],
  ['E-mail 3 Address', null],
];
const PHONES: readonly LabelledColumn[] = [
  ['Mobile Phone', 'mobile'],
  ['Home Phone', 'home'],
  ['Home Phone 2', 'home'],
  ['Business Phone', 'work'],
  ['Business Phone 2', 'work'],
  ['Company Main Phone', 'Company Main'],
  ['Primary Phone', 'Primary'],
  ['Other Phone', 'other'],
  ['Car Phone', 'Car'],
  ['Radio Phone', 'Radio'],
  ['Callback', 'Callback'],
  ["Assistant's Phone", 'Assistant'],
  ['ISDN', 'ISDN'],
  ['Telex', 'Telex'],
  ['TTY/TDD Phone', 'TTY/TDD'],
  ['Pager', 'pager'],
  ['Home Fax', 'homeFax'],
  ['Business Fax', 'workFax'],
  ['Other Fax', 'otherFax'],
];
const WEBSITES: readonly LabelledColumn[] = [
  ['Web Page', null],
  ['Personal Web Page', 'home'],
  ['Business Web Page', 'work'],
];
const ADDRESSES: readonly (readonly [prefix: string, label: string])[] = [
  ['Home', 'home'],
  ['Business', 'work'],
  ['Other', 'other'],
];

const valuesCell = (columns: Columns, kinds: readonly LabelledColumn[]): ((row: Row) => LabelledText[]) => {
  const cells = kinds
    .filter(([name]) => columns.has(name))
    .map(([name, label]) => ({ cell: columns.cell(name), label }));
  return (row) =>
    cells.flatMap(({ cell, label }) => {
      const value = cell(row);
      return value === '' ? [] : { value, label };
    });
};

const addressCell = (columns: Columns, [prefix, label]: (typeof ADDRESSES)[number]): ((row: Row) => PersonAddress) => {
  const street = ['Street', 'Street 2', 'Street 3', 'Address PO Box'].map((part) => columns.lines(`${prefix} ${part}`));
  const city = columns.cell(`${prefix} City`);
  const region = columns.cell(`${prefix} State`);
  const postalCode = columns.cell(`${prefix} Postal Code`);
  const country = columns.cell(`${prefix} Country/Region`, `${prefix} Country`);
  return (row) => ({
    street: street
      .map((cell) => cell(row))
      .filter(Boolean)
      .join('\n'),
    city: city(row),
    region: region(row),
    postalCode: postalCode(row),
    country: country(row),
    label,
  });
};

const ADDRESS_PARTS =
  'Street; Street 2; Street 3; Address PO Box; City; State; Postal Code; Country/Region; Country'.split('; ');
const OTHERS =
  'Title; Suffix; Nickname; Job Title; Department; Notes; Categories; Birthday; Birth Year; Birth Month; Birth Day'.split(
    '; ',
  );
const NAMES = ['First Name', 'Middle Name', 'Last Name', 'Company', 'Name'];

const KNOWN: ReadonlySet<string> = new Set(
  [
    ...NAMES,
    ...[...EMAILS, ...PHONES, ...WEBSITES].map(([name]) => name),
    ...ADDRESSES.flatMap(([prefix]) => ADDRESS_PARTS.map((part) => `${prefix} ${part}`)),
    ...OTHERS,
  ].map((name) => name.toLowerCase()),
);

/** Returns whether the columns are those of an Outlook export, or some of them: a name, an email address or a phone number. */
export const isOutlook = (columns: Columns): boolean => {
  const hasName = NAMES.some((name) => columns.has(name));
  const hasAddress = [...EMAILS, ...PHONES].some(([name]) => columns.has(name));
  const names = columns.englishNames.filter(Boolean);
  const unknown = columns.names.filter(
    (name, index) => name !== '' && !KNOWN.has((columns.englishNames[index] ?? '').toLowerCase()),
  );
  return (hasName && hasAddress) || ((hasName || hasAddress) && unknown.length * 2 <= names.length);
};

/** Returns the birthday as one text. Thunderbird stores it in several columns. */
const birthdayCell = (columns: Columns): Cell => {
  const [year, month] = [columns.cell('Birth Year'), columns.cell('Birth Month')];
  const [day, whole] = [columns.cell('Birth Day'), columns.cell('Birthday')];
  const padded = (text: string): string => text.padStart(2, '0');
  return (row) => {
    // In German, Thunderbird's heading of the day equals Outlook's heading of the whole birthday.
    const ofMonth = day(row) || (columns.has('Birth Month') ? whole(row) : '');
    if (ofMonth === '' || month(row) === '') return whole(row);
    return `${year(row) === '' ? '-' : year(row)}-${padded(month(row))}-${padded(ofMonth)}`;
  };
};

/** Returns the layout of an Outlook export. Its `Title` is the name prefix. */
export const outlookLayout = (columns: Columns): Layout => {
  const groups = columns.cell('Categories');
  return layoutOf({
    prefix: columns.cell('Title'),
    names: namesCell(columns),
    suffix: columns.cell('Suffix'),
    nickname: columns.cell('Nickname'),
    company: columns.cell('Company'),
    title: columns.cell('Job Title'),
    department: columns.cell('Department'),
    emails: valuesCell(columns, EMAILS),
    phones: valuesCell(columns, PHONES),
    websites: valuesCell(columns, WEBSITES),
    addresses: ADDRESSES.map((address) => addressCell(columns, address)),
    groups: (row) => groups(row).split(';'),
    birthday: birthdayCell(columns),
    notes: columns.lines('Notes'),
  });
};
