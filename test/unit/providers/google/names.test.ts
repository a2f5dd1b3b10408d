import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Contact, type ContactField, USUAL_FIELDS } from '../../../../src/core/contact/contact.ts';
import { JOINABLE, type JoinedPart } from '../../../../src/core/contact/fields.ts';
import { normaliseText } from '../../../../src/core/contact/text.ts';
import { createBody, maskOf, updateBody } from '../../../../src/providers/google/mapper.ts';
import { personMapping } from '../../../../src/providers/google/fields.ts';
import { readPerson } from '../../../../src/providers/google/mapper.ts';
import { contact, person } from './support.ts';

const mappingWith = (...joined: readonly JoinedPart[]) => personMapping([...USUAL_FIELDS, ...joined]);
const JOINED = mappingWith('namePrefix:joined', 'middleName:joined');

type Name = Readonly<Record<string, unknown>>;

const recordOf = (name: Name, mapping = JOINED) => {
  const reading = readPerson(person(1, { names: [name] }), mapping);
  return reading.kind === 'contact' ? reading.record : expect.fail(reading.kind);
};

/** Returns the name that an update of these fields sends to Google for a contact with that name. */
const written = (name: Name, changes: Partial<Contact>, mapping = JOINED): Name => {
  const current = recordOf(name, mapping);
  const fields = Object.keys(changes) as ContactField[];
  const desired = { ...current.contact, ...changes };
  const { names } = updateBody({ key: 'k', current, desired, fields }, maskOf(fields), mapping);
  return (names as unknown as readonly Name[])[0] ?? {};
};

const MARY = { honorificPrefix: 'Dr', givenName: 'Mary', middleName: 'Ann', familyName: 'Lee', phoneticGivenName: 'M' };

describe('[R10] an update of a name with parts that are not synced', () => {
  const UNMAPPED = mappingWith();
  const whole = {
    honorificPrefix: 'Dr.',
    givenName: 'Mary',
    middleName: 'Ann',
    familyName: 'Lee',
    honorificSuffix: 'Jr.',
  };

  test.each<[string, Partial<Contact>, Name]>([
    ['the middle name after the given name', { firstName: 'Mary Ann' }, {}],
    ['the middle name in another case', { firstName: 'Mary ANN' }, {}],
    ['the initial of the middle name', { firstName: 'Mary A.' }, {}],
    ['the middle name after another given name', { firstName: 'Marie Ann' }, { givenName: 'Marie' }],
    ['the middle name after a hyphen', { firstName: 'Mary-Ann' }, {}],
    ['the middle name before the family name', { lastName: 'Ann Ray' }, { familyName: 'Ray' }],
    ['the prefix', { firstName: 'Dr Marie' }, { givenName: 'Marie' }],
    ['the prefix and the middle name', { firstName: 'Dr. Mary Ann' }, {}],
    ['the suffix', { lastName: 'Ray Jr' }, { familyName: 'Ray' }],
  ])('does not write such a part again within a synced part: %s', (_, changes, expected) => {
    expect(written(whole, changes, UNMAPPED)).toEqual({ ...whole, ...expected });
  });

  test.each<[string, Partial<Contact>, Name]>([
    ['a name that consists only of such a part', { firstName: 'Ann' }, { givenName: 'Ann' }],
    ['a word that only begins like such a part', { firstName: 'Mary Anna' }, { givenName: 'Mary Anna' }],
    ['a family name that begins with the initial', { lastName: 'Anders Ray' }, { familyName: 'Anders Ray' }],
  ])('writes %s unchanged', (_, changes, expected) => {
    expect(written(whole, changes, UNMAPPED)).toEqual({ ...whole, ...expected });
  });

  test('keeps a repetition that the user of Google entered', () => {
    const doubled = { ...whole, givenName: 'Mary Ann' };
    expect(written(doubled, { lastName: 'Ray' }, UNMAPPED)).toEqual({ ...doubled, familyName: 'Ray' });
    expect(written(doubled, { firstName: 'Marie Ann' }, UNMAPPED)).toEqual({ ...doubled, givenName: 'Marie Ann' });
  });
});

describe('joined parts of a name', () => {
  test('surround the given name in the first name, without the parts that are not joined', () => {
    expect(recordOf(MARY).contact).toMatchObject({ firstName: 'Dr Mary Ann', lastName: 'Lee' });
    expect(recordOf(MARY).contact).not.toHaveProperty('middleName');
    expect(recordOf(MARY, mappingWith('middleName:joined')).contact.firstName).toBe('Mary Ann');
    expect(recordOf(MARY, mappingWith('namePrefix:joined')).contact.firstName).toBe('Dr Mary');
    expect(recordOf({ middleName: ' Ann  Kay ' }).contact.firstName).toBe('Ann Kay');
  });

  test('do not split a name that was entered as one text: it is the first name', () => {
    expect(recordOf({ unstructuredName: 'Mary Ann Lee' }).contact).toMatchObject({
      firstName: 'Mary Ann Lee',
      lastName: '',
    });
    expect(written({ unstructuredName: 'Mary Ann Lee' }, { lastName: 'Lee' })).toEqual({
      givenName: 'Mary Ann Lee',
      familyName: 'Lee',
    });
  });

  test.each<[string, Name]>([
    ['Dr Marie Ann', { givenName: 'Marie' }],
    ['Dr Mary Jo Ann', { givenName: 'Mary Jo' }],
    ['Dr Ann', { givenName: undefined }],
    ['Mary Ann', { honorificPrefix: undefined }],
    ['Dr Mary', { middleName: undefined }],
    ['Drs Mary Joann', { honorificPrefix: undefined, middleName: undefined, givenName: 'Drs Mary Joann' }],
    ['', { honorificPrefix: undefined, middleName: undefined, givenName: undefined }],
  ])('are kept while the first name contains them: %s', (firstName, changes) => {
    expect(written(MARY, { firstName })).toEqual(JSON.parse(JSON.stringify({ ...MARY, ...changes })));
  });

  test('are kept byte for byte by a write that does not change them', () => {
    const untidy = { ...MARY, honorificPrefix: ' Dr', givenName: ' Mary  Lou ', middleName: 'Ann\u00A0' };
    expect(written(untidy, { lastName: 'Ray' })).toEqual({ ...untidy, familyName: 'Ray' });
    expect(written(untidy, { firstName: 'Dr Mary Lou Ann' })).toEqual(untidy);
  });

  test('are not extracted from the first name of a new contact', () => {
    const draft = contact({ firstName: 'Dr Mary Ann', lastName: 'Lee' });
    const body = createBody({ key: 'k', draft, groupIds: [], originId: 'contact_1' }, JOINED);
    expect(body['names']).toEqual([{ givenName: 'Dr Mary Ann', familyName: 'Lee' }]);
  });

  test('change the template hash and the digests, and never the fields that are read', () => {
    const mappings = [
      [],
      ['namePrefix:joined'],
      ['middleName:joined'],
      ['namePrefix:joined', 'middleName:joined'],
    ] as const;
    const all = mappings.map((joined) => mappingWith(...joined));
    expect(new Set(all.map(({ templateHash }) => templateHash)).size).toBe(4);
    expect(new Set(all.map(({ digestOf }) => digestOf(person(1)))).size).toBe(4);
    expect(new Set(all.map(({ personFields }) => personFields)).size).toBe(1);
  });

  test('and the given name are read back as the first name that was written', () => {
    const words = fc
      .array(fc.constantFrom('Ann', 'Dr', 'Mary', 'Ann Dr', 'X', 'ann', 'Lé', ' ', '  ', '\u0301a'), { maxLength: 4 })
      .map((list) => list.join(' '));
    const name = fc.record({ honorificPrefix: words, givenName: words, middleName: words });
    const choice = fc.subarray(JOINABLE.map((field): JoinedPart => `${field}:joined`));
    fc.assert(
      fc.property(name, words.map(normaliseText), choice, (parts, firstName, joined) => {
        const mapping = mappingWith(...joined);
        // Parts that are not joined get a value that the first name never repeats.
        const apart = {
          ...(!joined.includes('namePrefix:joined') && { honorificPrefix: 'Q' }),
          ...(!joined.includes('middleName:joined') && { middleName: 'Q' }),
        };
        const before = { ...parts, ...apart, familyName: 'Lee' };
        const after = written(before, { firstName }, mapping);
        expect(recordOf(after, mapping).contact).toMatchObject({ firstName, lastName: 'Lee' });
        // Writing the first name that was read changes nothing.
        expect(written(before, { firstName: recordOf(before, mapping).contact.firstName }, mapping)).toEqual(before);
        expect(written(after, { firstName }, mapping)).toEqual(after);
      }),
      { numRuns: 2_000 },
    );
  });
});
