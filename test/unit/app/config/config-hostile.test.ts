import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nearestWord } from '../../../../src/app/config/nearest.ts';
import { allSettings } from '../../../../src/app/config/settings.ts';
import { faultOf } from '../../../../src/app/config/set-up.ts';
import { placesOf, problemsOf, REQUIRED, useConfigDirectory } from './config-support.ts';

const { cwd, load, write } = useConfigDirectory();
const BYTES = 60_000;
/** Each text is slow for some kind of backtracking parser. */
const TEXTS = ['a', ',', '{', '{a,', '!', '"', '"a,', '[', '*', '+(a|', '/', '1', '=', ':to-', '\\', '\u0301'];
const SETTINGS = allSettings();
/** Each provider is a side of a link, so its variables are read. */
const ALL_PROVIDERS = `
links:
  - name: home
  - name: book
    left: { provider: carddav }
    right: { provider: service }
`;
const ALL_REQUIRED = { ...REQUIRED, CARDDAV_URL: 'https://dav.test' };

describe.each(TEXTS)('60 KB of %j', (text) => {
  const long = text.repeat(BYTES / text.length);

  test('as any variable is refused', () => {
    for (const { variable } of SETTINGS) {
      expect(placesOf(() => load({ ...ALL_REQUIRED, [variable]: long }, ALL_PROVIDERS))).toContain(variable);
    }
  });

  test('as a key of the file, the name of a link or an element of a list is refused', () => {
    const yaml = (document: object) => JSON.stringify(document);
    for (const document of [{ [long]: 'x' }, { links: { [long]: {} } }, { buckets: [long] }, { fields: [long] }]) {
      expect(problemsOf(() => load(REQUIRED, yaml(document)))).not.toEqual([]);
    }
    expect(problemsOf(() => load(REQUIRED, long))).not.toEqual([]);
  });

  test('as an answer of init is checked without hanging', () => {
    for (const { key, variable } of SETTINGS)
      if (variable !== null) expect(['object', 'string']).toContain(typeof faultOf(key, long));
  });
});

test('a list of many elements is refused', () => {
  const many = JSON.stringify({ buckets: Array.from({ length: 1001 }, () => 'a') });
  expect(problemsOf(() => load(REQUIRED, many))).toEqual([
    { where: 'buckets', what: expect.stringContaining('has 1001 patterns') },
  ]);
});

test('the nearest word of a long word is searched among words of its length', () => {
  expect(nearestWord('a'.repeat(1_000_000), ['a', 'b'], 3)).toBeNull();
});

test('a message does not repeat a long key or name', () => {
  const long = 'k'.repeat(9000);
  const problems = problemsOf(() => load(REQUIRED, JSON.stringify({ [long]: 'x', links: { [long]: {} } })));
  expect(problems).toHaveLength(2);
  for (const { where, what } of problems) expect(where.length + what.length).toBeLessThan(300);
});

test.each([
  ['__proto__: {}', '__proto__'],
  ['__proto__: { retention: 4d }', '__proto__'],
  ['google: { __proto__: {} }', 'google.__proto__'],
  ['links: { home: { service: { __proto__: { baseUrl: token } } } }', 'links.home.service.__proto__'],
])('%s is refused, and the problem names it', (yaml, where) => {
  expect(problemsOf(() => load(REQUIRED, yaml))).toEqual([
    { where, what: expect.stringContaining('is not a setting. Remove it') },
  ]);
});

test.each(['/dev/zero', 'pipe'])(
  '%s is refused as a file of the configuration, of variables or of a secret',
  (file) => {
    if (file === 'pipe') execFileSync('mkfifo', [join(cwd(), 'pipe')]);
    const refused = (where: string) => [{ where, what: expect.stringContaining('is not a regular file') }];
    expect(problemsOf(() => load({ ...REQUIRED, CONTACT_SYNC_CONFIG: file }))).toEqual(refused('CONTACT_SYNC_CONFIG'));
    expect(problemsOf(() => load({ ...REQUIRED, REDIS_URL_FILE: file }))).toEqual(refused('REDIS_URL_FILE'));
  },
);

test('a secret can be in a file behind a symbolic link', () => {
  write('secret', 'redis://127.0.0.1\n');
  execFileSync('ln', ['-s', 'secret', join(cwd(), 'link')]);
  expect(load({ ...REQUIRED, REDIS_URL_FILE: 'link' }).redisUrl?.reveal()).toBe('redis://127.0.0.1');
});
