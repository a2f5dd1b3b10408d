import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../../src/app/config/config.ts';
import { extentOf } from '../../../support/extent.ts';
import { useDirectory } from '../../util/use-directory.ts';
import { configText, faultOf, settingsToAsk, type SetUp } from '../../../../src/app/config/set-up.ts';

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
  return loadConfig({ config: configPath, env: {}, cwd: at() });
};

test('init asks for the settings without a default', () => {
  const asked = (provider: string) =>
    settingsToAsk(provider).map(({ key, isRequired, isSecret }) => `${key} ${isRequired} ${isSecret}`);
  expect(asked('google')).toEqual(['google.clientId true false', 'google.clientSecret true true']);
  const optional = ['authUrl false false', 'clientId false false', 'clientSecret false true'];
  expect(asked('service')).toEqual(['baseUrl true false', ...optional].map((each) => `service.${each}`));
});

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
    fc.constantFrom('1234567890123456', '*all of a family', "it's a text, one", '!a tag of a name', '0x1f0x1f0x1f0x1f'),
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

test('every setting has a comment, and the first line names the schema', () => {
  const settings = new Map([
    ['dataDir', '/data'],
    ['syncInterval', '1h'],
    ...REQUIRED,
    ['google.clientSecretFile', 'x'],
  ]);
  const lines = configText({ sides: USUAL, settings }, '/etc/contact-sync/contact-sync.yaml').split('\n');
  expect(lines[0]).toMatch(/^# yaml-language-server: \$schema=\/.*\/dist\/contact-sync\.schema\.json$/u);
  for (const [index, line] of lines.entries()) {
    if (/^ *\w+: [^{]/u.test(line)) expect(lines[index - 1]).toMatch(/^ *# \w.*\.$|^ *# .*[\w>]$/u);
  }
  const inCheckout = join(import.meta.dirname, '../../../../contact-sync.yaml');
  const text = configText({ sides: USUAL, settings }, inCheckout);
  expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/dist\/contact-sync\.schema\.json\n/u);
});

test('sides other than the usual ones are written with their providers and names', () => {
  const sides: SetUp['sides'] = {
    left: { provider: 'google', name: 'private' },
    right: { provider: 'google', name: 'work' },
  };
  const { links } = read({ sides, settings: new Map(REQUIRED) });
  expect(links).toMatchObject([{ name: 'default', sides: { left: { name: 'private' }, right: { name: 'work' } } }]);
});
