import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { AddressBookError } from './address-book-error.ts';
import {
  EMPTY_PERSON,
  isFilledAddress,
  isIdentified,
  type LabelledText,
  type ParsedPeople,
  type Person,
  type PersonAddress,
  readBirthday,
  splitFullName,
  userGroups,
} from './person.ts';

type Row = Readonly<Record<string, string>>;

const rowsSchema = z.array(z.record(z.string(), z.string()));

/** The first filled cell of the columns named: the header generations call the same thing differently. */
const cell = (row: Row, ...columns: readonly string[]): string =>
  columns.map((column) => row[column]?.trim() ?? '').find((text) => text !== '') ?? '';

const splitCell = (text: string): string[] => text.split(':::').map((part) => part.trim());

const GOOGLE_TYPES: Readonly<Record<string, string>> = {
  home: 'home',
  work: 'work',
  other: 'other',
  mobile: 'mobile',
  main: 'main',
  pager: 'pager',
  profile: 'profile',
  blog: 'blog',
  'home fax': 'homeFax',
  'work fax': 'workFax',
  'other fax': 'otherFax',
  'work mobile': 'workMobile',
  'home page': 'homePage',
  'google voice': 'googleVoice',
};

/** Google's own labels as the People API writes them, others as they stand; a leading `*` marks the primary value. */
const readLabel = (row: Row, entry: string): string | null => {
  const label = cell(row, `${entry} - Label`, `${entry} - Type`).replace(/^\*\s*/, '');
  return label === '' ? null : (GOOGLE_TYPES[label.toLowerCase()] ?? label);
};

/** `E-mail 1`, `E-mail 2`... as far as the row has such columns. */
const numbered = (row: Row, kind: string): string[] => {
  const entries = Object.keys(row).map((column) => /^(.+ \d+) - /.exec(column)?.[1] ?? '');
  return [...new Set(entries.filter((entry) => entry.replace(/ \d+$/, '') === kind))];
};

const readValues = (row: Row, kind: string): LabelledText[] =>
  numbered(row, kind).flatMap((entry) =>
    splitCell(cell(row, `${entry} - Value`))
      .filter(Boolean)
      .map((value) => ({ value, label: readLabel(row, entry) })),
  );

const readAddress = (row: Row, entry: string): PersonAddress => {
  const part = (name: string): string => cell(row, `${entry} - ${name}`);
  const address = {
    street: [part('Street'), part('Extended Address'), part('PO Box')].filter(Boolean).join('\n'),
    city: part('City'),
    region: part('Region'),
    postalCode: part('Postal Code'),
    country: part('Country'),
    label: readLabel(row, entry),
  };
  return isFilledAddress(address) ? address : { ...address, street: part('Formatted') };
};

const readNames = (row: Row): Pick<Person, 'givenName' | 'middleName' | 'familyName'> => {
  const names = {
    givenName: cell(row, 'First Name', 'Given Name'),
    middleName: cell(row, 'Middle Name', 'Additional Name'),
    familyName: cell(row, 'Last Name', 'Family Name'),
  };
  const isEmpty = Object.values(names).every((name) => name === '');
  return isEmpty ? { ...names, ...splitFullName(cell(row, 'Name')) } : names;
};

const toPerson = (row: Row): Person => ({
  ...EMPTY_PERSON,
  ...readNames(row),
  prefix: cell(row, 'Name Prefix'),
  suffix: cell(row, 'Name Suffix'),
  nickname: cell(row, 'Nickname'),
  company: cell(row, 'Organization Name', 'Organization 1 - Name'),
  title: cell(row, 'Organization Title', 'Organization 1 - Title'),
  department: cell(row, 'Organization Department', 'Organization 1 - Department'),
  emails: readValues(row, 'E-mail'),
  phones: readValues(row, 'Phone'),
  websites: readValues(row, 'Website'),
  addresses: numbered(row, 'Address')
    .map((entry) => readAddress(row, entry))
    .filter(isFilledAddress),
  groups: userGroups(splitCell(cell(row, 'Labels', 'Group Membership'))),
  birthday: readBirthday(cell(row, 'Birthday')),
  notes: cell(row, 'Notes'),
});

const readRows = (text: string): Row[] => {
  try {
    const options = { columns: true, bom: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true };
    return rowsSchema.parse(parse(text, options));
  } catch (error) {
    throw new AddressBookError('The CSV cannot be read: is a quoted field left open? Export it again.', {
      cause: error,
    });
  }
};

const assertGoogleColumns = (row: Row): void => {
  const hasName = 'First Name' in row || 'Given Name' in row || 'Name' in row;
  const hasGroups = 'Labels' in row || 'Group Membership' in row;
  if (hasName && (hasGroups || 'E-mail 1 - Value' in row || 'Phone 1 - Value' in row)) return;
  throw new AddressBookError(
    'The CSV is not a Google Contacts export: its first line lacks columns such as "First Name" and "E-mail 1 - Value". ' +
      'Export it as "Google CSV".',
  );
};

/**
 * The people of a "Google CSV" export, of today's columns (`First Name`, `Labels`) or those before 2024 (`Given Name`,
 * `Group Membership`). Rows that identify nobody are reported under `problems`.
 * Throws {@link AddressBookError} for what is no such export.
 */
export const parseGoogleCsv = (text: string): ParsedPeople => {
  const rows = readRows(text);
  if (rows[0] !== undefined) assertGoogleColumns(rows[0]);
  const people = rows.map(toPerson);
  const problems = people
    .map((person, index) => ({ person, entry: index + 1 }))
    .filter(({ person }) => !isIdentified(person))
    .map(({ entry }) => ({ entry, reason: 'the row holds no name, company, email address or phone number' }));
  return { people: people.filter(isIdentified), problems };
};
