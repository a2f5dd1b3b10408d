import Database from 'better-sqlite3';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CredentialsError } from '../../../src/store/store.ts';
import type { Credential } from '../../../src/store/vault.ts';
import { vaultIn } from '../../support/store/vault.ts';

const KEY = '0123456789abcdef'.repeat(4);
const OTHER_KEY = Buffer.alloc(32, 7).toString('base64');
const PASSPHRASE = 'correct horse battery staple';

let dataDir: string;
beforeEach(() => {
  dataDir = join(mkdtempSync(join(tmpdir(), 'contact-sync-vault-')), 'data');
});
afterEach(() => rmSync(join(dataDir, '..'), { recursive: true, force: true }));

const vault = (key: string | null = null, oldKey: string | null = null) => vaultIn(dataDir, key, oldKey);
const credential = (token: string): Credential => ({ token, account: 'people/1', scopes: ['contacts'], storedAtMs: 5 });
const databasePath = (): string => join(dataDir, 'contact-sync.db');
const content = (): string => readFileSync(databasePath(), 'latin1');

/** Changes the stored tokens outside the vault. */
const change = (sql: string, ...values: string[]): void => {
  const client = new Database(databasePath());
  client.prepare(sql).run(...values);
  client.close();
};

test('a token that was never stored is null', async () => {
  expect(await vault().read('default', 'google')).toBeNull();
});

test('a credential is returned as it was stored, from a file that only its owner can read', async () => {
  await vault().save('default', 'google', credential('token-1'));
  await vault().save('work', 'service', credential('token-2'));
  expect(await vault().read('default', 'google')).toEqual(credential('token-1'));
  expect(await vault().read('work', 'service')).toEqual(credential('token-2'));
  expect(await vault().read('work', 'google')).toBeNull();
  expect(await vault().isSealed('work', 'service')).toBe(false);
  expect(statSync(databasePath()).mode & 0o777).toBe(0o600);
});

test('concurrent saves lose no credential', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `link-${index}`);
  await Promise.all(names.map((name) => vault().save(name, 'service', credential(name))));
  for (const name of names) expect((await vault().read(name, 'service'))?.token).toBe(name);
});

describe.each([
  ['a hexadecimal key', KEY],
  ['a base64 key', OTHER_KEY],
  ['a passphrase', PASSPHRASE],
])('with %s', (_name, key) => {
  test('the credential is not readable in the file, and the key decrypts it', async () => {
    await vault(key).save('default', 'google', credential('token-1'));
    expect(content()).not.toMatch(/token-1|people\/1/u);
    expect(await vault(key).read('default', 'google')).toEqual(credential('token-1'));
    expect(await vault(key).isSealed('default', 'google')).toBe(true);
  });

  test('another key or a missing key is reported with a solution', async () => {
    await vault(key).save('default', 'google', credential('token-1'));
    await expect(vault('yet another passphrase').read('default', 'google')).rejects.toThrow(
      /encrypted with another key \([0-9a-f]{8}\).*CREDENTIALS_KEY_OLD.*connect google default/u,
    );
    await expect(vault().read('default', 'google')).rejects.toThrow(/CREDENTIALS_KEY is not set/u);
  });
});

test('an entry that was moved to another side is not decrypted', async () => {
  await vault(KEY).save('default', 'google', credential('token-1'));
  change("update credentials set side = 'service'");
  await expect(vault(KEY).read('default', 'service')).rejects.toThrow('is damaged');
});

test('a changed byte is detected', async () => {
  await vault(KEY).save('default', 'google', credential('token-1'));
  const tag = /"tag":"(.)/u.exec(content())?.[1] ?? '';
  change('update credentials set sealed_json = replace(sealed_json, ?, ?)', `"tag":"${tag}`, '"tag":"/');
  await expect(vault(KEY).read('default', 'google')).rejects.toBeInstanceOf(CredentialsError);
});

test('a damaged entry is reported without its content', async () => {
  await vault().save('default', 'google', credential('token-1'));
  change('update credentials set sealed_json = substr(sealed_json, 1, 40)');
  const error: unknown = await vault()
    .read('default', 'google')
    .catch((caught: unknown) => caught);
  expect(String(error)).toContain('damaged');
  expect(JSON.stringify(error) + String(error) + String((error as Error).cause)).not.toContain('token-1');
});

describe('a changed key', () => {
  test('is applied by the first read of each token, which then no longer needs the old key', async () => {
    for (const side of ['google', 'service']) await vault(KEY).save('default', side, credential(side));
    for (const side of ['google', 'service']) {
      expect(await vault(PASSPHRASE, KEY).read('default', side)).toEqual(credential(side));
      expect(await vault(PASSPHRASE).read('default', side)).toEqual(credential(side));
    }
  });

  test('encrypts a token that was stored without a key, if CREDENTIALS_KEY_OLD is none', async () => {
    await vault().save('default', 'google', credential('token-1'));
    expect(await vault(KEY, 'none').read('default', 'google')).toEqual(credential('token-1'));
    expect(content()).not.toContain('token-1');
    expect(await vault(KEY).read('default', 'google')).toEqual(credential('token-1'));
  });

  test('does not read or encrypt an unencrypted token, because another program may have written it', async () => {
    await vault(KEY).save('default', 'google', credential('token-1'));
    change('update credentials set sealed_json = ?', JSON.stringify({ open: credential('planted') }));
    await expect(vault(KEY).read('default', 'google')).rejects.toThrow(
      /not encrypted although CREDENTIALS_KEY is set.*connect google default.*CREDENTIALS_KEY_OLD=none/su,
    );
    await vault(KEY).save('default', 'google', credential('token-3'));
    expect((await vault(KEY).read('default', 'google'))?.token).toBe('token-3');
  });
});

describe('a token file of an earlier version', () => {
  const tokenFile = (): string => join(dataDir, 'credentials.json');
  const put = (links: object, salt = 'c2FsdHNhbHRzYWx0c2FsdA=='): void => {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(tokenFile(), JSON.stringify({ version: 1, salt, links }));
  };

  test('is moved into the database with its tokens, and removed', async () => {
    put({ default: { google: { open: credential('token-1') }, service: { open: credential('token-2') } } });
    expect(await vault().names()).toEqual([
      { link: 'default', side: 'google' },
      { link: 'default', side: 'service' },
    ]);
    expect(existsSync(tokenFile())).toBe(false);
    expect((await vault().read('default', 'service'))?.token).toBe('token-2');
  });

  test('does not replace a token in the database', async () => {
    await vault().save('default', 'google', credential('newer'));
    const client = new Database(databasePath());
    const salt = String(client.prepare('select salt from hosting').pluck().get());
    client.close();
    put({ default: { google: { open: credential('older') } }, work: { google: { open: credential('other') } } }, salt);
    expect((await vault().read('default', 'google'))?.token).toBe('newer');
    expect((await vault().read('work', 'google'))?.token).toBe('other');
  });

  test('is kept if the keys of the database have another salt, because its tokens could not be decrypted', async () => {
    await vault(PASSPHRASE).save('default', 'google', credential('token-1'));
    put({ work: { google: { open: credential('other') } } });
    await expect(vault(PASSPHRASE).read('default', 'google')).rejects.toThrow(/belong to another database/u);
    expect(existsSync(tokenFile())).toBe(true);
  });

  test('that is damaged is reported without its content, and is kept', async () => {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(tokenFile(), '{"links": {"default": {"google": {"open": {"token": "token-1"');
    const error: unknown = await vault()
      .read('default', 'google')
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(CredentialsError);
    expect(JSON.stringify(error) + String(error) + String((error as Error).cause)).not.toContain('token-1');
    expect(existsSync(tokenFile())).toBe(true);
  });
});
