import { describe, expect, test } from 'vitest';
import { USUAL_FIELDS } from '../../../../src/core/contact/contact.ts';
import { fieldChoice, withFieldList } from '../../../../src/app/config/field-choice.ts';
import { problemsOf, REQUIRED_YAML, useConfigDirectory } from './config-support.ts';

const schema = fieldChoice({ left: 'google', right: 'service' });
const faultOf = (value: unknown): string => schema.safeParse(value).error?.issues[0]?.message ?? '';

describe('FIELDS', () => {
  test('lists the synced fields in the canonical order, with directions and winners', () => {
    expect(
      schema.parse('notes, default,!websites,birthday:to-google,title=service,custom:Budget: net:to-service'),
    ).toEqual({
      fields: [
        ...USUAL_FIELDS.filter((field) => field !== 'websites' && field !== 'buckets'),
        'birthday',
        'notes',
        'custom:Budget: net',
        'buckets',
      ],
      directions: { birthday: 'to-left', 'custom:Budget: net': 'to-right' },
      winners: { title: 'right' },
    });
  });

  test('is a mapping in the file, which adds to the default', () => {
    const fields = {
      title: { winner: 'service' },
      phoneNumbers: { direction: 'to-google' },
      notes: {},
      websites: 'off',
    };
    const { fields: parts } = withFieldList({ fields, direction: 'both' });
    expect(schema.parse(parts)).toEqual(schema.parse('default,title=service,phoneNumbers:to-google,notes,!websites'));
  });

  test('includes computed fields of the service, by their usual name or another name', () => {
    const parts = 'default,lastContacted,reminderInterval as Keep in touch: days:to-google,!lastContacted as Other';
    const extras = ['lastContacted as Last contacted', 'reminderInterval as Keep in touch: days'] as const;
    expect(schema.parse(parts)).toEqual({
      fields: [...USUAL_FIELDS.filter((field) => field !== 'buckets'), ...extras, 'buckets'],
      directions: { [extras[1]]: 'to-left' },
      winners: {},
    });
    const fields = { lastContacted: {}, reminderInterval: { as: 'Every' }, assignedUser: 'off' };
    const { fields: listed } = withFieldList({ fields });
    expect(schema.parse(listed)).toEqual(schema.parse('default,lastContacted,reminderInterval as Every'));
  });

  test('joins parts of a name into the first name, in their order, after the fields', () => {
    const joined = { fields: [...USUAL_FIELDS, 'namePrefix:joined', 'middleName:joined'], directions: {}, winners: {} };
    expect(schema.parse('middleName:joined,default,namePrefix:joined')).toEqual(joined);
    const fields = { middleName: { joined: 'true' }, namePrefix: { joined: true } };
    expect(schema.parse(withFieldList({ fields })['fields'])).toEqual(joined);
    const apart = withFieldList({ fields: { middleName: { joined: 'false' }, namePrefix: {} } });
    expect(schema.parse(apart['fields'])).toEqual(schema.parse('default,middleName,namePrefix'));
    expect(schema.parse('default,middleName:joined,!middleName').fields).toEqual(USUAL_FIELDS);
    expect(schema.parse('default,custom:joined').fields).toContain('custom:joined');
  });

  test.each([
    'middleName:joined:to-google',
    'middleName:to-google:joined',
    'middleName:joined=google',
    'middleName,middleName:joined',
    'middleName:joined,middleName:to-google',
  ])('a joined part is not a separate field: %s', (part) => {
    expect(schema.safeParse(`default,${part}`).error?.issues.map(({ message }) => message)).toEqual([
      expect.stringContaining('"middleName" is joined into the first name'),
    ]);
    const fields = { middleName: { joined: 'true', direction: 'to-google', winner: 'service' } };
    expect(faultOf(withFieldList({ fields })['fields'])).toContain('"middleName" is joined into the first name');
  });

  test.each([
    ['default,nameSuffix:joined', '"nameSuffix" cannot be joined into the first name'],
    ['default,nickname:to-google:joined', 'Choose from namePrefix, middleName'],
    ['default,birthdays', 'Did you mean birthday?'],
    ['company,title', 'Names are always synced'],
    ['default,!firstName', 'Names are always synced'],
    ['default,notes:to-outlook', '"to-outlook" is no direction of notes'],
    ['default,notes=outlook', '"outlook" is not known for notes'],
    ['default,tags=google', '"tags" has no winner'],
    ['default,custom:', 'is no field'],
    ['default,lastContact', 'Did you mean lastContacted?'],
    ['default,lastContacted as ', '"lastContacted as" is no field'],
    ['default,title as Job', '"title as Job" is no field'],
    ['default,lastContacted=google', 'has no winner: one side computes it'],
    ['default,lastContacted as Seen,reminderInterval as seen', 'is called like the field'],
    ['default,custom:Last contacted,lastContacted', 'is called like the field custom:Last contacted'],
  ])('%s is refused', (value, fault) => {
    expect(faultOf(value)).toContain(fault);
  });

  test('an unknown option of a mapping is refused', () => {
    expect(faultOf(withFieldList({ fields: { notes: { sync: 'yes' } } })['fields'])).toContain('notes:sync');
    const maybe = withFieldList({ fields: { middleName: { joined: 'maybe' } } });
    expect(faultOf(maybe['fields'])).toContain('"middleName:joined maybe" is no field');
  });
});

describe('computed fields of a link', () => {
  const { loadLink } = useConfigDirectory();
  const link = (left: string, right: string, more = '') =>
    `${REQUIRED_YAML}\nlinks: { home: { left: { provider: ${left} }, right: { provider: ${right} }, ${more} fields: { lastContacted: {} } } }`;
  const faultsOf = (yaml: string) => problemsOf(() => loadLink({}, yaml)).map(({ where, what }) => `${where} ${what}`);
  const LAST = 'lastContacted as Last contacted';

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
      expect.stringContaining('would go against the direction of the link'),
    ]);
    const both = link('google', 'service').replace(
      '{ lastContacted: {} }',
      '{ lastContacted: { direction: to-service } }',
    );
    expect(faultsOf(both)).toEqual([expect.stringContaining(`"${LAST}" is never written to the service`)]);
  });
});
