import { expect, test } from 'vitest';
import { chooseLinks } from '../../../src/cli/command/configuration.ts';
import { UsageError } from '../../../src/cli/command/exit-codes.ts';
import { loadConfig } from '../../../src/app/config/config.ts';

const variables = { SERVICE_BASE_URL: 'http://x.test', GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' };
const single = loadConfig({ env: variables, cwd: import.meta.dirname });
const [link] = single.links;
const config = { ...single, links: ['work', 'home'].flatMap((name) => (link ? [{ ...link, name }] : [])) };

test('no name means every link, in the order of the configuration', () => {
  expect(chooseLinks(config, undefined).map(({ name }) => name)).toEqual(['work', 'home']);
});

test('a name means that link alone', () => {
  expect(chooseLinks(config, 'home').map(({ name }) => name)).toEqual(['home']);
});

test.each(['wrok', 'Work', 'wor', 'worrk'])('%s is taken for a slip of work', (name) => {
  expect(() => chooseLinks(config, name)).toThrow(
    new UsageError(`There is no link named ${name}. Did you mean work? The configuration has: work, home.`),
  );
});

test('a name like no other gets no guess', () => {
  expect(() => chooseLinks(config, 'elsewhere')).toThrow(
    new UsageError('There is no link named elsewhere. The configuration has: work, home.'),
  );
});
