import { createCipheriv, createDecipheriv, createHmac, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';

/** A key that encrypts tokens, and its id, which is stored with each token. */
export type CredentialKey = { readonly id: string; readonly bytes: Buffer };

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const ID_LENGTH = 8;
/** About 0.1 s and 32 MiB a guess. */
const SCRYPT = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

const stretch = promisify<string, Buffer, number, typeof SCRYPT, Buffer>(scrypt);

/** 32 bytes written as hexadecimal or base64; null for anything else. */
const rawKey = (text: string): Buffer | null => {
  if (/^[0-9a-f]{64}$/iu.test(text)) return Buffer.from(text, 'hex');
  return /^[\w+/-]{43}=?$/u.test(text) ? Buffer.from(text, 'base64') : null;
};

/** The key of CREDENTIALS_KEY: its 32 bytes if it consists of them, else the key that scrypt derives from the passphrase. */
export const deriveKey = async (text: string, salt: Buffer): Promise<CredentialKey> => {
  const bytes = rawKey(text) ?? (await stretch(text, salt, KEY_BYTES, SCRYPT));
  const id = createHmac('sha256', bytes).update('contact-sync key id').digest('hex').slice(0, ID_LENGTH);
  return { id, bytes };
};

/** An encrypted text (AES-256-GCM); all but the key's id is base64. */
export const sealedSchema = z.object({ keyId: z.string(), iv: z.base64(), tag: z.base64(), data: z.base64() });
type Sealed = z.output<typeof sealedSchema>;

/** Encrypts a text. It can be decrypted only for the same owner, so that no entry can replace another one. */
export const seal = (text: string, owner: string, { id, bytes }: CredentialKey): Sealed => {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', bytes, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(owner));
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return {
    keyId: id,
    iv: iv.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    data: data.toString('base64'),
  };
};

/** Decrypts. Throws if the key is another one or the text was changed. */
export const unseal = ({ iv, tag, data }: Sealed, owner: string, { bytes }: CredentialKey): string => {
  const decipher = createDecipheriv('aes-256-gcm', bytes, Buffer.from(iv, 'base64'), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(Buffer.from(tag, 'base64'));
  return Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()]).toString('utf8');
};
