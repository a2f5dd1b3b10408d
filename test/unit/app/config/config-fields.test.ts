import { describe, expect, test } from 'vitest';
import { USUAL_FIELDS } from '../../../../src/core/contact/contact.ts';
import { addableFields, fieldChoice } from '../../../../src/app/config/field-choice.ts';
import { problemsOf, REQUIRED_YAML, useConfigDirectory } from './config-support.ts';

const schema = fieldChoice({ left: 'google', right: 'service' });
const faultOf = (value: unknown): string => schema.safeParse(value).error?.issues[0]?.message ?? '';

describe('FIELDS', () => {
  test('lists the synced fields, which are kept in the canonical order', () => {
    const fields = [
      ...USUAL_FIELDS.filter((field) => field !== 'buckets'),
      'birthday',
      'notes',
      'custom:Budget: net',
      'buckets',
    ];
    const expected = { fields, directions: {}, winners: {} };
    expect(schema.parse('notes, default,birthday,custom:Budget: net')).toEqual(expected);
    expect(schema.parse(['custom:Budget: net', 'birthday', ' notes', 'default'])).toEqual(expected);
    expect(schema.parse('firstName,lastName,title').fields).toEqual(['firstName', 'lastName', 'title']);
  });

  test('is a mapping in the file, which adds to the default fields and sets the direction and winner of a field', () => {
    expect(
      schema.parse({
        title: { winner: 'service' },
        company: { winner: 'ask', direction: 'both' },
        phoneNumbers: { direction: 'to-google' },
        notes: {},
        birthday: '',
        websites: 'off',
        'custom:Budget': { direction: 'to-service' },
      }),
    ).toEqual({
      fields: [
        ...USUAL_FIELDS.filter((field) => field !== 'websites' && field !== 'buckets'),
        'birthday',
        'notes',
        'custom:Budget',
        'buckets',
      ],
      directions: { phoneNumbers: 'to-left', 'custom:Budget': 'to-right' },
      winners: { title: 'right', company: 'ask' },
    });
  });

  test.each<[unknown, string]>([
    ['default,birthdays', '"birthdays" is not a syncable field. Choose from default, '],
    ['company,title', 'Names are always synced'],
    [{ firstName: 'off' }, 'Names are always synced'],
    [{ notes: { direction: 'to-outlook' } }, '"to-outlook" is not a direction of notes'],
    [{ notes: { winner: 'outlook' } }, '"outlook" is not known for notes. Choose one of newest, ask, google, service.'],
    [{ tags: { winner: 'google' } }, '"tags" has no winner'],
    [{ notes: { sync: 'yes' } }, '"notes" takes the options direction and winner, or off.'],
    [{ notes: 'no' }, '"notes" takes the options direction and winner, or off.'],
    [{ notes: ['to-google'] }, '"notes" takes the options direction and winner, or off.'],
    [{ default: { winner: 'google' } }, '"default" takes no options: a mapping adds to the default fields.'],
    [{ constructor: {} }, '"constructor" is not a syncable field'],
    ['default,custom:', 'is not a syncable field'],
    ['default,title:to-google', '"title:to-google" is not a syncable field'],
    [{ lastContacted: { winner: 'google' } }, 'has no winner: one side computes it'],
    ['default,custom:Last contacted,lastContacted', 'is called like the field custom:Last contacted'],
  ])('%j is refused', (value, fault) => {
    expect(faultOf(value)).toContain(fault);
  });
});

describe('computed fields of a link', () => {
  const { loadLink } = useConfigDirectory();
  const link = (left: string, right: string, more = '') =>
    `${REQUIRED_YAML}\nlinks: { home: { left: { provider: ${left} }, right: { provider: ${right} }, ${more} fields: { lastContacted: {} } } }`;
  const faultsOf = (yaml: string) => problemsOf(() => loadLink({}, yaml)).map(({ where, what }) => `${where} ${what}`);
  const LAST = 'lastContacted';

  test.each([
    ['google', 'service', 'to-left'],
    ['service', 'google', 'to-right'],
  ])('between %s and %s have one direction', (left, right, way) => {
    expect(loadLink({}, link(left, right)).directions).toEqual({ [LAST]: way });
  });

  test.each([
    ['google', 'google', ''],
    ['service', 'service', ''],
  ])('between %s and %s are refused', (left, right) => {
    expect(faultsOf(link(left, right))).toEqual([
      expect.stringContaining(`"${LAST}" is computed by the service and shown at the other side`),
    ]);
  });

  test('are refused if the side that would show them must not be written', () => {
    expect(faultsOf(link('google', 'service', 'direction: to-service,'))).toEqual([
      expect.stringContaining('conflicts with the direction of the link and would never be written'),
    ]);
    const both = link('google', 'service').replace(
      '{ lastContacted: {} }',
      '{ lastContacted: { direction: to-service } }',
    );
    expect(faultsOf(both)).toEqual([expect.stringContaining(`"${LAST}" is never written to the service`)]);
  });
});

describe('the fields that a link could sync in addition', () => {
  const { loadLink } = useConfigDirectory();
  const addable = (yaml: string) => addableFields(loadLink({}, `${REQUIRED_YAML}${yaml}`));

  test('are those that it does not name and that a side can store', () => {
    expect(addable('fields: default,notes')).toContain('photo');
    expect(addable('fields: default,notes')).not.toContain('notes');
    expect(addable('fields: { websites: off }')).toContain('websites');
    expect(addable('direction: to-google')).not.toContain('photo');
    expect(addable('links: { home: { left: { provider: google }, right: { provider: google } } }')).not.toContain(
      'photo',
    );
  });
});
