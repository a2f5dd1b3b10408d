import { expect, test } from 'vitest';
import { chooseLinks } from '../../../src/cli/command/configuration.ts';
import { UsageError } from '../../../src/cli/command/exit-codes.ts';
import { loadConfig } from '../../../src/app/config/config.ts';

const variables = { SERVICE_BASE_URL: 'http://x.test', GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' };
const single = loadConfig({ env: variables, cwd: import.meta.dirname });
const [link] = single.links;
const config = { ...single, links: ['work', 'home'].flatMap((name) => (link ? [{ ...link, name }] : [])) };

test('without a name every link is selected, in the order of the configuration', () => {
  expect(chooseLinks(config, undefined).map(({ name }) => name)).toEqual(['work', 'home']);
});

test('a name selects that link only', () => {
  expect(chooseLinks(config, 'home').map(({ name }) => name)).toEqual(['home']);
});

test.each(['wrok', 'Work', 'wor', 'worrk'])('%s is treated as a typing error for work', (name) => {
  expect(() => chooseLinks(config, name)).toThrow(
    new UsageError(`There is no link named ${name}. Did you mean work? The configuration has: work, home.`),
  );
});

test('a name that resembles no other gets no suggestion', () => {
  expect(() => chooseLinks(config, 'elsewhere')).toThrow(
    new UsageError('There is no link named elsewhere. The configuration has: work, home.'),
  );
});
