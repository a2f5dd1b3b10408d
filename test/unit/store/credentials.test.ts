import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock, type Clock } from '../../../src/clock.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { openVault, type Credential } from '../../../src/store/credentials.ts';
import { CredentialsError } from '../../../src/store/store.ts';

const KEY = '0123456789abcdef'.repeat(4);
const OTHER_KEY = Buffer.alloc(32, 7).toString('base64');
const PASSPHRASE = 'correct horse battery staple';

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'contact-sync-vault-'));
  path = join(directory, 'deep', 'credentials.json');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const vault = (key: string | null = null, oldKey: string | null = null) =>
  openVault({ path, key, oldKey, clock: systemClock });
const credential = (token: string): Credential => ({ token, account: 'people/1', scopes: ['contacts'], storedAtMs: 5 });
const content = (): string => readFileSync(path, 'utf8');

test('what was never stored is null, and reading makes no file', async () => {
  expect(await vault().read('default', 'google')).toBeNull();
  expect(readdirSync(directory)).toEqual([]);
});

test('a credential comes back as it was stored, from a file that only its owner can read', async () => {
  await vault().save('default', 'google', credential('token-1'));
  await vault().save('work', 'service', credential('token-2'));
  expect(await vault().read('default', 'google')).toEqual(credential('token-1'));
  expect(await vault().read('work', 'service')).toEqual(credential('token-2'));
  expect(await vault().read('work', 'google')).toBeNull();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(directory, 'deep'))).toEqual(['credentials.json']);
});

test('tokens stored by version 0.1.0, under the names google and service, are read and kept', async () => {
  const stored = { token: 'token-1', account: 'people/1', scopes: null, storedAtMs: 1 };
  const links = { default: { google: { open: stored }, service: { open: { ...stored, token: 'token-2' } } } };
  mkdirSync(dirname(path));
  writeFileSync(path, JSON.stringify({ version: 1, salt: 'c2FsdHNhbHRzYWx0c2FsdA==', links }));
  expect((await vault().read('default', 'google'))?.token).toBe('token-1');
  await vault().save('other', 'private', stored);
  expect((await vault().read('default', 'service'))?.token).toBe('token-2');
});

test('many stores at once lose nothing', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `link-${index}`);
  await Promise.all(names.map((name) => vault().save(name, 'service', credential(name))));
  for (const name of names) expect((await vault().read(name, 'service'))?.token).toBe(name);
});

test('the lock of a process that died is taken over', async () => {
  await vault().save('default', 'google', credential('token-1'));
  writeFileSync(`${path}.lock`, '');
  utimesSync(`${path}.lock`, 1, 1);
  await vault().save('default', 'google', credential('token-2'));
  expect((await vault().read('default', 'google'))?.token).toBe('token-2');
});

test('a lock that is dated in the future is waited for no longer than any other', async () => {
  await vault().save('default', 'google', credential('token-1'));
  writeFileSync(`${path}.lock`, '');
  utimesSync(`${path}.lock`, 4_000_000_000, 4_000_000_000);
  const virtual = createVirtualClock();
  const sleep: Clock['sleep'] = (delayMs) => Promise.resolve(virtual.advance(delayMs));
  const clock = { ...virtual, sleep };
  await openVault({ path, key: null, oldKey: null, clock }).save('default', 'google', credential('token-2'));
  expect((await vault().read('default', 'google'))?.token).toBe('token-2');
  expect(clock.monotonic()).toBeGreaterThan(5_000);
  expect(clock.monotonic()).toBeLessThan(6_000);
});

describe.each([
  ['a hexadecimal key', KEY],
  ['a base64 key', OTHER_KEY],
  ['a passphrase', PASSPHRASE],
])('with %s', (_name, key) => {
  test('nothing of the credential stands in the file, and the key opens it', async () => {
    await vault(key).save('default', 'google', credential('token-1'));
    expect(content()).not.toMatch(/token-1|people\/1|contacts/u);
    expect(await vault(key).read('default', 'google')).toEqual(credential('token-1'));
    expect(await vault(key).isSealed('default', 'google')).toBe(true);
  });

  test('another key, or none, is told with what to do', async () => {
    await vault(key).save('default', 'google', credential('token-1'));
    await expect(vault('yet another passphrase').read('default', 'google')).rejects.toThrow(
      /encrypted with another key \([0-9a-f]{8}\).*CREDENTIALS_KEY_OLD.*connect google default/u,
    );
    await expect(vault().read('default', 'google')).rejects.toThrow(/CREDENTIALS_KEY is not set/u);
  });
});

test('an entry does not open in the place of another one', async () => {
  await vault(KEY).save('default', 'google', credential('token-1'));
  writeFileSync(path, content().replace('"google"', '"service"'));
  await expect(vault(KEY).read('default', 'service')).rejects.toThrow('is damaged');
});

test('a changed byte is noticed', async () => {
  await vault(KEY).save('default', 'google', credential('token-1'));
  writeFileSync(
    path,
    content().replace(/"tag": "(.)/u, (_, first: string) => `"tag": "${first === 'A' ? 'B' : 'A'}`),
  );
  await expect(vault(KEY).read('default', 'google')).rejects.toBeInstanceOf(CredentialsError);
});

test('a file that is no vault is told without quoting it', async () => {
  await vault().save('default', 'google', credential('token-1'));
  writeFileSync(path, content().slice(0, -20));
  const error = await vault()
    .read('default', 'google')
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(CredentialsError);
  expect(JSON.stringify(error) + String(error) + String((error as Error).cause)).not.toContain('token-1');
});

describe('a changed key', () => {
  test('is taken up by the first read, and then the old one is not needed', async () => {
    await vault(KEY).save('default', 'google', credential('token-1'));
    await vault(KEY).save('default', 'service', credential('token-2'));
    expect(await vault(PASSPHRASE, KEY).read('default', 'google')).toEqual(credential('token-1'));
    expect(await vault(PASSPHRASE).read('default', 'service')).toEqual(credential('token-2'));
  });

  test('encrypts what was stored without one, where that is said', async () => {
    await vault().save('default', 'google', credential('token-1'));
    expect(await vault(KEY, 'none').read('default', 'google')).toEqual(credential('token-1'));
    expect(content()).not.toContain('token-1');
    expect(await vault(KEY).read('default', 'google')).toEqual(credential('token-1'));
  });

  test('takes no token that is not encrypted, and does not encrypt it either: anybody may have put it there', async () => {
    await vault(KEY).save('default', 'google', credential('token-1'));
    const planted = JSON.parse(content()) as { links: Record<string, Record<string, unknown>> };
    planted.links['default'] = { google: { open: credential('planted') } };
    writeFileSync(path, JSON.stringify(planted));
    await expect(vault(KEY).read('default', 'google')).rejects.toThrow(
      /not encrypted although CREDENTIALS_KEY is set.*connect google default.*CREDENTIALS_KEY_OLD=none/su,
    );
    await vault(KEY).save('other', 'google', credential('token-2'));
    await expect(vault(KEY).read('default', 'google')).rejects.toThrow(CredentialsError);
    await vault(KEY).save('default', 'google', credential('token-3'));
    expect((await vault(KEY).read('default', 'google'))?.token).toBe('token-3');
  });

  test('leaves what it cannot open as it is', async () => {
    await vault(KEY).save('default', 'google', credential('token-1'));
    await vault(PASSPHRASE).save('default', 'service', credential('token-2'));
    expect(await vault(KEY).read('default', 'google')).toEqual(credential('token-1'));
  });
});
