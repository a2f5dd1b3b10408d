import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../../src/app/config/config.ts';
import { extentOf } from '../../../support/extent.ts';
import { configText, faultOf, type SetUp } from '../../../../src/app/config/set-up.ts';
import { useDirectory } from '../../util/use-directory.ts';

const USUAL: SetUp['sides'] = { left: { provider: 'google', name: null }, right: { provider: 'service', name: null } };
const REQUIRED = [
  ['google.clientId', 'client'],
  ['google.clientSecret', 'client-secret'],
  ['service.baseUrl', 'https://service.test'],
] as const;

const at = useDirectory();

const read = (setUp: SetUp) => {
  const configPath = at('contact-sync.yaml');
  writeFileSync(configPath, configText(setUp, configPath));
  return loadConfig({ configPath, env: {}, cwd: at() });
};

test.each([
  ['service.baseUrl', 'nowhere', /not a URL/u],
  ['service.baseUrl', '', /is not set/u],
  ['syncInterval', '5', /not a duration/u],
  ['service.authUrl', '', null],
  ['syncInterval', '5m', null],
])('%s=%j is checked as in the configuration', (key, value, fault) => {
  if (fault === null) expect(faultOf(key, value)).toBeNull();
  else expect(faultOf(key, value)).toMatch(fault);
});

test('a written value is read back unchanged, whatever its characters', () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary', minLength: 16 }).filter((text) => text.trim().length >= 16),
    fc.constantFrom('# no comment at all', '- not a list at all', 'not: a map of texts', '[not a list at all'),
    fc.constantFrom(
      '1234567890123456',
      '*all of the others',
      "it's a text of one",
      '!a tag of a name',
      '0x1f0x1f0x1f0x1f',
    ),
  );
  fc.assert(
    fc.property(value, (drawn) => {
      const key = drawn.trim();
      const settings = new Map([...REQUIRED, ['credentialsKey', key] as const]);
      expect(read({ sides: USUAL, settings }).credentialsKey?.reveal()).toBe(key);
    }),
    { numRuns: extentOf({ all: 200, sample: 40 }) },
  );
});

test('the first line names the schema of an installed program or of a checkout', () => {
  const lineIn = (path: string) => configText({ sides: USUAL, settings: new Map(REQUIRED) }, path).split('\n')[0];
  const installed = lineIn('/etc/contact-sync/contact-sync.yaml');
  expect(installed).toMatch(/^# yaml-language-server: \$schema=\/.*\/dist\/contact-sync\.schema\.json$/u);
  const inCheckout = lineIn(join(import.meta.dirname, '../../../../contact-sync.yaml'));
  expect(inCheckout).toBe('# yaml-language-server: $schema=./dist/contact-sync.schema.json');
});

test('sides other than the usual ones are written with their providers and names', () => {
  const sides: SetUp['sides'] = {
    left: { provider: 'google', name: 'private' },
    right: { provider: 'google', name: 'work' },
  };
  const { links } = read({ sides, settings: new Map(REQUIRED) });
  expect(links).toMatchObject([{ name: 'default', sides: { left: { name: 'private' }, right: { name: 'work' } } }]);
});
