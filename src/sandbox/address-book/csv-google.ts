import { type Cell, type Columns, type Layout, namesCell, type Row } from './csv-columns.ts';
import { commonLabel, readBirthday } from './values.ts';
import { isFilledAddress, type LabelledText, type PersonAddress, userGroups } from '../people/person.ts';

const splitCell = (text: string): string[] => {
  if (text === '') return [];
  return text.includes(':::') ? text.split(':::').map((part) => part.trim()) : [text];
};

/** Returns common labels in the spelling of the People API, others unchanged. A leading `*` marks the primary value. */
const labelOf = (text: string): string | null => {
  const label = text.replace(/^\*\s*/u, '');
  return label === '' ? null : commonLabel(label);
};

/** Returns `E-mail 1`, `E-mail 2`... if the file has such columns. */
const numbered = ({ englishNames }: Columns, kind: string): string[] => {
  const entries = englishNames.map((column) => /^(?<entry>.+ \d+) - /u.exec(column)?.groups?.['entry'] ?? '');
  const ofKind = entries.filter((entry) => entry.replace(/ \d+$/u, '').toLowerCase() === kind);
  return [...new Set(ofKind)];
};

const labelCell = (columns: Columns, entry: string): Cell => columns.cell(`${entry} - Label`, `${entry} - Type`);

const valuesCell = (columns: Columns, kind: string): ((row: Row) => LabelledText[]) => {
  const entries = numbered(columns, kind).map((entry) => ({
    value: columns.cell(`${entry} - Value`),
    label: labelCell(columns, entry),
  }));
  return (row) => {
    const values: LabelledText[] = [];
    for (const { value, label } of entries) {
      for (const part of splitCell(value(row))) {
        if (part !== '') values.push({ value: part, label: labelOf(label(row)) });
      }
    }
    return values;
  };
};

const addressCell = (columns: Columns, entry: string): ((row: Row) => PersonAddress) => {
  const part = (name: string): Cell => columns.cell(`${entry} - ${name}`);
  const street = ['Street', 'Extended Address', 'PO Box'].map((name) => columns.lines(`${entry} - ${name}`));
  const [city, region, postalCode, country] = [part('City'), part('Region'), part('Postal Code'), part('Country')];
  const [formatted, label] = [columns.lines(`${entry} - Formatted`), labelCell(columns, entry)];
  return (row) => {
    const address = {
      street: street
        .map((cell) => cell(row))
        .filter(Boolean)
        .join('\n'),
      city: city(row),
      region: region(row),
      postalCode: postalCode(row),
      country: country(row),
      label: labelOf(label(row)),
    };
    return isFilledAddress(address) ? address : { ...address, street: formatted(row) };
  };
};

/** Returns whether the columns are those of a "Google CSV": the current ones (`First Name`, `Labels`) or those before 2024. */
export const isGoogle = (columns: Columns): boolean => {
  const hasName = columns.has('First Name') || columns.has('Given Name') || columns.has('Name');
  const hasGroups = columns.has('Labels') || columns.has('Group Membership');
  return hasName && (hasGroups || columns.has('E-mail 1 - Value') || columns.has('Phone 1 - Value'));
};

/** Returns the layout of a "Google CSV". */
export const googleLayout = (columns: Columns): Layout => {
  const names = namesCell(columns);
  const [emails, phones, websites] = ['e-mail', 'phone', 'website'].map((kind) => valuesCell(columns, kind));
  const addresses = numbered(columns, 'address').map((entry) => addressCell(columns, entry));
  const cells = {
    prefix: columns.cell('Name Prefix'),
    suffix: columns.cell('Name Suffix'),
    nickname: columns.cell('Nickname'),
    company: columns.cell('Organization Name', 'Organization 1 - Name'),
    title: columns.cell('Organization Title', 'Organization 1 - Title'),
    department: columns.cell('Organization Department', 'Organization 1 - Department'),
    notes: columns.lines('Notes'),
  };
  const [groups, birthday] = [columns.cell('Labels', 'Group Membership'), columns.cell('Birthday')];
  return (row, skip) => {
    const { day, reason } = readBirthday(birthday(row));
    if (reason !== null) skip(reason);
    return {
      prefix: cells.prefix(row),
      ...names(row),
      suffix: cells.suffix(row),
      nickname: cells.nickname(row),
      company: cells.company(row),
      title: cells.title(row),
      department: cells.department(row),
      emails: emails?.(row) ?? [],
      phones: phones?.(row) ?? [],
      websites: websites?.(row) ?? [],
      addresses: addresses.map((address) => address(row)).filter(isFilledAddress),
      groups: userGroups(splitCell(groups(row))),
      birthday: day ?? '',
      notes: cells.notes(row),
    };
  };
};
