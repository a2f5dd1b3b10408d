import { type Cell, type Columns, type Layout, layoutOf, namesCell, type Row } from './csv-columns.ts';
import { commonLabel } from './values.ts';
import { isFilledAddress, type LabelledText, type PersonAddress } from '../people/person.ts';

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
  const groups = columns.cell('Labels', 'Group Membership');
  return layoutOf({
    prefix: columns.cell('Name Prefix'),
    names: namesCell(columns),
    suffix: columns.cell('Name Suffix'),
    nickname: columns.cell('Nickname'),
    company: columns.cell('Organization Name', 'Organization 1 - Name'),
    title: columns.cell('Organization Title', 'Organization 1 - Title'),
    department: columns.cell('Organization Department', 'Organization 1 - Department'),
    emails: valuesCell(columns, 'e-mail'),
    phones: valuesCell(columns, 'phone'),
    websites: valuesCell(columns, 'website'),
    addresses: numbered(columns, 'address').map((entry) => addressCell(columns, entry)),
    groups: (row) => splitCell(groups(row)),
    birthday: columns.cell('Birthday'),
    notes: columns.lines('Notes'),
  });
};
