import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { z } from 'zod';
import { configSchema } from '../../config/config-schema.ts';
import { PROVIDERS } from '../../src/providers/registry.ts';

const isValidDocument = new Ajv({ strict: false }).compile(JSON.parse(configSchema()));
const isValid = (yaml: string): boolean => isValidDocument(parse(yaml, { uniqueKeys: false }));

test('the schema accepts the example, including its commented-out settings', () => {
  const example = readFileSync(join(import.meta.dirname, '../../config/example.yaml'), 'utf8');
  expect(isValid(example)).toBe(true);
  const settings = example.replaceAll(/^( *)# ([a-zA-Z]+: .+)$/gmu, '$1$2');
  expect(settings).toContain('\nretention: 180d');
  expect(settings).toContain('\n  clientId: ');
  expect(isValid(settings)).toBe(true);
});

test('the schema has every setting of every provider directly in a side, for the completion of editors', () => {
  const { definitions } = z
    .object({
      definitions: z.record(z.string(), z.object({ properties: z.record(z.string(), z.unknown()).exactOptional() })),
    })
    .parse(JSON.parse(configSchema()));
  const keysOf = (name: string) => Object.keys(definitions[name]?.properties ?? {});
  expect(keysOf('google')).toContain('refreshTokenFile');
  expect(new Set(keysOf('side'))).toEqual(
    new Set(['provider', 'name', ...PROVIDERS.flatMap((provider) => keysOf(provider.name))]),
  );
});

test.each([
  ['scalars as YAML has them', 'retention: off\nlogPersonalData: true\ndeleteLimit: 10\ngoogle: { clientId: 12 }'],
  ['a secret in a file', 'google: { clientSecretFile: /run/secrets/google }'],
  ['links as a mapping', 'links: { home: { service: { accessToken: token } } }'],
  [
    'every setting of a provider within a side',
    'links: { a: { left: { provider: service, name: x, baseUrl: y, accessTokenFile: z, contacts: [k] } } }',
  ],
  ['sections that are empty', 'google:\nlinks: { default: }'],
  ['the winner of a field', 'fields: { title: { winner: service }, websites: off }'],
  ['sides by their names', 'direction: to-private\nconflictPolicy: work'],
])('the schema accepts %s', (_, yaml) => {
  expect(isValid(yaml)).toBe(true);
});

test.each([
  ['an unknown setting', 'conurrency: 4'],
  ['an unknown setting of a section', 'google: { clientID: client }'],
  ['a word that is not one of the choices', 'logLevel: loud'],
  ['a policy for a list', 'conflictPolicy: { emailAddresses: service }'],
  ['a duration without a unit', 'syncInterval: "5"'],
  ['a side without a provider', 'links: [{ name: home, left: { name: private } }]'],
  ['an unknown setting of a side', 'links: { a: { left: { provider: google, clientID: x } } }'],
  ['a setting of another provider within a side', 'links: { a: { left: { provider: google, baseUrl: x } } }'],
  ['a wrong value within a side', 'links: { a: { right: { provider: service, rateLimit: fast } } }'],
  ['a provider that does not exist', 'links: { a: { right: { provider: outlook } } }'],
  ['a setting of a link within a side', 'links: { a: { right: { provider: google, direction: both } } }'],
  ['a setting of the process within a link', 'links: { home: { logLevel: info } }'],
])('the schema refuses %s', (_, yaml) => {
  expect(isValid(yaml)).toBe(false);
});
