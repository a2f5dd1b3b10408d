import { describe, expect, it } from 'vitest';
import { hasErrors, serviceWords } from '../../../../../src/providers/service/api/service-words.ts';

describe('error texts of the service', () => {
  it.each<[string, unknown, string | null]>([
    ['a list of texts', { errors: ['one', 'two'] }, 'one; two'],
    ['an object', { errors: { cause: 'disabled' } }, 'cause disabled'],
    ['a list of objects', { errors: [{ message: 'is blank', field: 'name' }] }, 'is blank; field name'],
    ['one text', { error: 'You need to sign in' }, 'You need to sign in'],
    ['an OAuth error', { error: 'invalid_grant', error_description: 'expired' }, 'expired'],
    ['no errors', { data: {} }, null],
    ['something else', 'Bad Gateway', null],
    ['nothing', undefined, null],
  ])('are read from %s', (_name, json, expected) => {
    expect(serviceWords(json, undefined)).toBe(expected);
  });

  it('are truncated to 200 characters', () => {
    expect(serviceWords({ errors: ['long '.repeat(100)] }, undefined)).toHaveLength(200);
  });

  it('are returned without personal data', () => {
    const sent = { data: { first_name: 'Ada', email_addresses: [{ address: 'x@y.example' }], note: 'bucket_7' } };
    const json = { errors: ['Ada (ada@example.org, +34 666 12 34 90) is in bucket_7 of contact_123456789'] };
    expect(serviceWords(json, sent)).toBe('<value> (<email>, <number>) is in bucket_7 of contact_123456789');
  });

  it('are returned without a sent value that contains another sent value', () => {
    const json = { errors: ['Ada Lovelace-King exists'] };
    expect(serviceWords(json, { first_name: 'Ada', full: 'Ada Lovelace-King' })).toBe('<value> exists');
  });

  it('keep a word that contains a short sent value', () => {
    expect(serviceWords({ errors: ['Label is invalid'] }, { last_name: 'Al' })).toBe('Label is invalid');
  });
});

it('an empty list of errors means no error', () => {
  expect(hasErrors({ errors: [] })).toBe(false);
  expect(hasErrors({ errors: {} })).toBe(false);
  expect(hasErrors({ errors: ['x'] })).toBe(true);
});
