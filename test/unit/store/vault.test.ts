import Database from 'better-sqlite3';
import { readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CredentialsError } from '../../../src/store/store.ts';
import type { Credential } from '../../../src/store/vault.ts';
import { vaultIn } from '../../support/store/vault.ts';
import { useDirectory } from '../util/use-directory.ts';

const KEY = '0123456789abcdef'.repeat(4);
const OTHER_KEY = Buffer.alloc(32, 7).toString('base64');
const at = useDirectory();
const vault = (key: string | null = null) => vaultIn(at('data'), key);
const credential = (token: string): Credential => ({ token, account: 'people/1', scopes: ['contacts'], storedAtMs: 5 });
const databasePath = (): string => at('data', 'contact-sync.db');
const content = (): string => readFileSync(databasePath(), 'latin1');

/** Changes the stored tokens outside the vault. */
const change = (sql: string, ...values: string[]): void => {
  const client = new Database(databasePath());
  client.prepare(sql).run(...values);
  client.close();
};

test('a credential is returned as it was stored, from a file that only its owner can read', async () => {
  await vault().save('default', 'google', credential('token-1'));
  await vault().save('work', 'service', credential('token-2'));
  expect(await vault().read('default', 'google')).toEqual(credential('token-1'));
  expect(await vault().read('work', 'service')).toEqual(credential('token-2'));
  expect(await vault().read('work', 'google')).toBeNull();
  expect(vault().seals).toBe(false);
  expect(statSync(databasePath()).mode & 0o777).toBe(0o600);
});

test.each([
  ['a hexadecimal key', KEY],
  ['a base64 key', OTHER_KEY],
  ['a passphrase', 'correct horse battery staple'],
])('only %s decrypts a credential, until a new sign-in', async (_, key) => {
  const other = '1234'.repeat(16);
  await vault(key).save('default', 'google', credential('token-1'));
  expect(content()).not.toMatch(/token-1|people\/1/u);
  expect(await vault(key).read('default', 'google')).toEqual(credential('token-1'));
  expect(vault(key).seals).toBe(true);
  await expect(vault(other).read('default', 'google')).rejects.toThrow(
    /encrypted with another key \([0-9a-f]{8}\).*sign in again.*connect google default/su,
  );
  await expect(vault().read('default', 'google')).rejects.toThrow(/CREDENTIALS_KEY is not set/u);
  await vault(other).save('default', 'google', credential('token-2'));
  expect(await vault(other).read('default', 'google')).toEqual(credential('token-2'));
  await expect(vault(key).read('default', 'google')).rejects.toThrow(/encrypted with another key/u);
});

test('an entry that was moved to another side is not decrypted', async () => {
  await vault(KEY).save('default', 'google', credential('token-1'));
  change("update credentials set side = 'service'");
  await expect(vault(KEY).read('default', 'service')).rejects.toThrow('is damaged');
});

test('a changed byte is detected', async () => {
  await vault(KEY).save('default', 'google', credential('token-1'));
  const tag = /"tag":"(.)/u.exec(content())?.[1] ?? '';
  const other = tag === '/' ? 'A' : '/';
  change('update credentials set sealed_json = replace(sealed_json, ?, ?)', `"tag":"${tag}`, `"tag":"${other}`);
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

test('with a key an unencrypted token is neither read nor encrypted, because another program may have written it', async () => {
  await vault(KEY).save('default', 'google', credential('token-1'));
  change('update credentials set sealed_json = ?', JSON.stringify({ open: credential('planted') }));
  await expect(vault(KEY).read('default', 'google')).rejects.toThrow(
    /not encrypted although CREDENTIALS_KEY is set.*connect google default/su,
  );
  await vault(KEY).save('default', 'google', credential('token-3'));
  expect((await vault(KEY).read('default', 'google'))?.token).toBe('token-3');
});
