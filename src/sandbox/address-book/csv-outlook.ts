import { isFilledAddress, type LabelledText, type PersonAddress, readBirthday, userGroups } from '../people/person.ts';
import type { Columns, Layout, Row } from './csv-columns.ts';

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

const NAMES = ['First Name', 'Middle Name', 'Last Name', 'Company'];

/** Whether the columns are those of an Outlook export, or some of them. */
export const isOutlook = (columns: Columns): boolean =>
  [...NAMES, ...[...EMAILS, ...PHONES].map(([name]) => name)].some((name) => columns.has(name));

/** How the rows of an Outlook export are read. Its `Title` is what stands before the name. */
export const outlookLayout = (columns: Columns): Layout => {
  const [emails, phones, websites] = [EMAILS, PHONES, WEBSITES].map((kinds) => valuesCell(columns, kinds));
  const addresses = ADDRESSES.map((address) => addressCell(columns, address));
  const cells = {
    prefix: columns.cell('Title'),
    givenName: columns.cell('First Name'),
    middleName: columns.cell('Middle Name'),
    familyName: columns.cell('Last Name'),
    suffix: columns.cell('Suffix'),
    nickname: columns.cell('Nickname'),
    company: columns.cell('Company'),
    title: columns.cell('Job Title'),
    department: columns.cell('Department'),
    notes: columns.lines('Notes'),
  };
  const [groups, birthday] = [columns.cell('Categories'), columns.cell('Birthday')];
  return (row) => ({
    prefix: cells.prefix(row),
    givenName: cells.givenName(row),
    middleName: cells.middleName(row),
    familyName: cells.familyName(row),
    suffix: cells.suffix(row),
    nickname: cells.nickname(row),
    company: cells.company(row),
    title: cells.title(row),
    department: cells.department(row),
    emails: emails?.(row) ?? [],
    phones: phones?.(row) ?? [],
    websites: websites?.(row) ?? [],
    addresses: addresses.map((address) => address(row)).filter(isFilledAddress),
    groups: userGroups(groups(row).split(';')),
    birthday: readBirthday(birthday(row)),
    notes: cells.notes(row),
  });
};
