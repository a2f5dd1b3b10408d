import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { configSchema, SCHEMA_FILE } from '../../config/config-schema.ts';

const schema = z.fromJSONSchema(JSON.parse(configSchema()));
const isValid = (yaml: string): boolean => schema.safeParse(parse(yaml)).success;

test('the JSON Schema of the configuration file is current (node config/config-schema.ts writes it)', () => {
  expect(readFileSync(SCHEMA_FILE, 'utf8')).toBe(configSchema());
});

test('it takes the example, with what is commented out too', () => {
  const example = readFileSync(join(import.meta.dirname, '../../config/example.yaml'), 'utf8');
  expect(isValid(example)).toBe(true);
  const settings = example.replaceAll(/^( *)# ([a-zA-Z]+: .+)$/gmu, '$1$2');
  expect(settings).toContain('\nconcurrency: 10');
  expect(schema.safeParse(parse(settings, { uniqueKeys: false })).error).toBeUndefined();
});

test.each([
  ['scalars as YAML has them', 'concurrency: 4\nlogPersonalData: true\ndeleteLimit: 10\ngoogle: { clientId: 12 }'],
  ['a secret in a file', 'google: { clientSecretFile: /run/secrets/google }'],
  ['links as a mapping', 'links: { home: { service: { accessToken: token } } }'],
  ['links as a list', 'links: [{ name: home, left: { provider: google, name: private, refreshToken: token } }]'],
  ['sections that are empty', 'google:\nlinks: { default: }'],
  ['a policy by field', 'conflictPolicy: { default: newest, title: service }'],
  ['sides by their names', 'direction: to-private\nconflictPolicy: work'],
])('it takes %s', (_, yaml) => {
  expect(isValid(yaml)).toBe(true);
});

test.each([
  ['an unknown setting', 'conurrency: 4'],
  ['an unknown setting of a section', 'google: { clientID: client }'],
  ['a word that is none of the choices', 'logLevel: loud'],
  ['a policy for a list', 'conflictPolicy: { emailAddresses: service }'],
  ['a duration without a unit', 'syncInterval: "5"'],
  ['a side without a provider', 'links: [{ name: home, left: { name: private } }]'],
  ['a setting of the process within a link', 'links: { home: { logLevel: info } }'],
])('it marks %s', (_, yaml) => {
  expect(isValid(yaml)).toBe(false);
});
