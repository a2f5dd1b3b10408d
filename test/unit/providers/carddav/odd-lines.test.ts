import { expect, test } from 'vitest';
import { USUAL_FIELDS } from '../../../../src/core/contact/contact.ts';
import { cardMapping } from '../../../../src/providers/carddav/card/card-mapping.ts';
import { formatLines, parseLines } from '../../../../src/providers/carddav/card/content-line.ts';
import { cardWith } from './support.ts';

const mapping = cardMapping(USUAL_FIELDS);

const COMPANY = ['FN:Smith, Jones & Co', 'N:;;;;', 'ORG:Smith, Jones & Co;Sales'];

test.each([
  ['marked as a company', ['X-ABShowAs:COMPANY']],
  ['not marked', []],
])('R10: a comma that a card does not escape stays in its company, on a card that is %s', (_, marks) => {
  const card = parseLines(cardWith('3.0', 'UID:1', ...COMPANY, ...marks));
  const { contact } = mapping.read(card);
  expect(contact).toMatchObject({ firstName: '', lastName: '', company: 'Smith, Jones & Co' });
  const written = mapping.write(card, { ...contact, lastName: 'Lee' }, ['lastName']);
  expect(mapping.read(written).contact).toEqual({ ...contact, lastName: 'Lee' });
  const renamed = mapping.write(card, { ...contact, company: 'Smith & Co' }, ['company']);
  expect(mapping.read(renamed).contact).toEqual({ ...contact, company: 'Smith & Co' });
  expect(formatLines(renamed)).toContain('FN:Smith & Co\r\n');
});

test.each(['FN:Ann Lee', 'FN:The Boss'])(
  'R5: a name with a semicolon is stored as it was sent on a card with %s',
  (whole) => {
    const card = parseLines(cardWith('3.0', 'UID:1', whole, 'N:Lee;Ann;;;'));
    const desired = { ...mapping.read(card).contact, firstName: 'Family Lee; House 3', lastName: '' };
    const written = mapping.write(card, desired, ['firstName', 'lastName']);
    expect(mapping.read(parseLines(formatLines(written))).contact).toEqual(desired);
  },
);

test.each(['3.0', '4.0'])(
  'R10: a new label of a line changes no label of another line in its group, in %s',
  (version) => {
    const card = parseLines(
      cardWith(
        version,
        'UID:1',
        'FN:Ann Lee',
        'N:Lee;Ann;;;',
        'HOME.TEL;TYPE=HOME:+49 30 901820',
        'HOME.ADR;TYPE=WORK:;;1 Elm St;Rye;;1;UK',
      ),
    );
    const { contact } = mapping.read(card);
    const phoneNumbers = [{ value: '+49 30 901999', label: 'Holidays' }];
    const written = mapping.write(card, { ...contact, phoneNumbers }, ['phoneNumbers']);
    expect(mapping.read(written).contact).toEqual({ ...contact, phoneNumbers });
    expect(formatLines(written)).toContain('HOME.ADR;TYPE=WORK:;;1 Elm St;Rye;;1;UK\r\n');
  },
);
