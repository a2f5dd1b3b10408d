import { join } from 'node:path';
import { expect, test } from 'vitest';
import { showConfig } from '../../../src/cli/setup/config-show.ts';
import { UsageError } from '../../../src/cli/command/exit-codes.ts';
import { allSettings } from '../../../src/app/config/settings.ts';
import { useConfigDirectory } from '../app/config/config-support.ts';
import { createTestTerminal } from './terminal.ts';
import { SettingsDocument } from '../../support/documents.ts';

const { cwd, write } = useConfigDirectory();

const YAML = `google:
  clientId: id-of-the-file
  clientSecretFile: SECRET
service: { baseUrl: 'https://service.test' }
retention: 30d
links:
  home:
    left: { provider: google, name: private, refreshToken: canary-7d20 }
    right: { provider: google, name: work }
    syncInterval: 1m
  other: { deleteLimit: 5 }
  book:
    left: { provider: carddav, url: 'https://dav.test', password: canary-7d20 }
    right: { provider: service }
`;

const show = (link?: string) => {
  const secret = write('secret', 'canary-7d20\n');
  const config = write('given.yaml', YAML.replace('SECRET', secret));
  const terminal = createTestTerminal();
  showConfig(terminal, link, { config, json: true });
  const { settings } = SettingsDocument.parse(JSON.parse(terminal.printed.join('\n')));
  const find = (name: string | null, key: string) =>
    settings.find((setting) => setting.link === name && setting.key === key);
  return { secret, settings, find, text: terminal.printed.join('\n') };
};

test('each value has its source: key in the file, secret file or default', () => {
  const { secret, find } = show();
  const at = (where: string) => ({ source: 'file', where });
  expect(find(null, 'retention')).toMatchObject({ value: '30d', ...at('retention') });
  expect(find('home', 'syncInterval')).toMatchObject({ value: '1m', ...at('links.home.syncInterval') });
  expect(find('other', 'syncInterval')).toMatchObject({ value: '5m', source: 'default', where: null });
  expect(find('other', 'deleteLimit')).toMatchObject({ value: '5', ...at('links.other.deleteLimit') });
  expect(find('home', 'work.clientId')).toMatchObject({ value: 'id-of-the-file', ...at('google.clientId') });
  expect(find('home', 'private.refreshToken')).toMatchObject({
    value: null,
    secret: true,
    set: true,
    ...at('links.home.left.refreshToken'),
  });
  expect(find('other', 'google.refreshToken')).toMatchObject({ value: null, set: false, source: 'default' });
  expect(find('other', 'google.clientSecret')).toMatchObject({ value: null, source: 'secret file', where: secret });
});

test('a variable overrides the file, and is named', () => {
  process.env['RETENTION'] = '7d';
  try {
    expect(show().find(null, 'retention')).toMatchObject({ value: '7d', source: 'variable', where: 'RETENTION' });
  } finally {
    delete process.env['RETENTION'];
  }
});

test('a named link is shown alone, and an unknown one is refused', () => {
  expect(new Set(show('other').settings.map(({ link }) => link))).toEqual(new Set(['other']));
  expect(() => show('nowhere')).toThrow(UsageError);
});

test('every setting is shown, and no secret', () => {
  const { settings, text } = show();
  const shown = new Set(settings.filter(({ link }) => link !== 'home').map(({ key }) => key));
  const expected = allSettings().map(({ key }) => key.replace('links.NAME.', ''));
  expect(expected.filter((key) => !shown.has(key))).toEqual([]);
  expect(text).not.toContain('canary-7d20');
});

test('the readable output is a table with hidden secrets', () => {
  const terminal = createTestTerminal();
  showConfig(terminal, 'other', { config: write('given.yaml', YAML.replace('SECRET', write('secret', 'x'))) });
  const lines = terminal.printed.join('\n').split('\n');
  expect(lines[0]).toBe(`Configuration file: ${join(cwd(), 'given.yaml')}`);
  expect(lines.find((line) => line.includes('clientSecret'))).toMatch(
    /google\.clientSecret +set \(hidden\) +secret file/u,
  );
  expect(lines.find((line) => line.includes('refreshToken'))).toMatch(/google\.refreshToken +not set +default/u);
});
