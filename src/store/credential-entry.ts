import { z } from 'zod';
import { CredentialsError } from './errors.ts';
import { deriveKey, seal, sealedSchema, unseal, type CredentialKey } from './credential-key.ts';

// Entries that are sealed with CREDENTIALS_KEY, in a file or in a database.

const credential = z.object({
  /** The secret that opens the remote, such as a refresh token or an access token. */
  token: z.string().min(1),
  /** The account that signed in, as the remote names it; null where it does not say. */
  account: z.string().nullable(),
  /** The granted permissions; null where the remote does not report them. */
  scopes: z.array(z.string()).readonly().nullable(),
  storedAtMs: z.number(),
});

/** The values that `connect` stores of one sign-in. */
export type Credential = Readonly<z.output<typeof credential>>;

/** A token as it is kept: sealed, or open where there is no key. */
export const entry = z.union([z.object({ sealed: sealedSchema }), z.object({ open: credential })]);
export type Entry = z.output<typeof entry>;

/** Whether the text of an entry in a database holds a token that is not encrypted. */
export const isOpenText = (text: string): boolean => text.startsWith('{"open"');

/** As the old key: what was stored without encryption is taken over. */
export const NO_KEY = 'none';

export type KeyOptions = {
  /** CREDENTIALS_KEY; null: tokens are stored as they are, in a file of mode 0600. */
  readonly key: string | null;
  /** CREDENTIALS_KEY_OLD: opens what was stored before the key was changed; {@link NO_KEY} before there was one. */
  readonly oldKey: string | null;
};

const ownerOf = (link: string, side: string): string => `${link}/${side}`;

type CredentialKeys = {
  readonly current: CredentialKey | null;
  readonly known: readonly CredentialKey[];
  /** Whether an unencrypted token is used. With a key it is not: any user with write access could have added it. */
  readonly takesOpen: boolean;
};

/** The keys for what was sealed with a salt, which is base64: each is derived once, as a passphrase takes its time. */
export const createKeyring = ({ key, oldKey }: KeyOptions): ((salt: string) => Promise<CredentialKeys>) => {
  let cached: { readonly salt: string; readonly keys: Promise<CredentialKeys> } | null = null;
  const derive = async (salt: string): Promise<CredentialKeys> => {
    const bytes = Buffer.from(salt, 'base64');
    const current = key === null ? null : await deriveKey(key, bytes);
    const old = oldKey === null || oldKey === NO_KEY ? null : await deriveKey(oldKey, bytes);
    const takesOpen = current === null || oldKey === NO_KEY;
    return { current, known: [current, old].filter((one) => one !== null), takesOpen };
  };
  return (salt) => {
    if (cached?.salt !== salt) cached = { salt, keys: derive(salt) };
    return cached.keys;
  };
};

const cannotOpen = (link: string, side: string, keyId: string, keys: CredentialKeys): CredentialsError => {
  const fault =
    keys.known.length === 0
      ? `was encrypted with the key ${keyId}, but CREDENTIALS_KEY is not set. Set it`
      : `was encrypted with another key (${keyId}) than CREDENTIALS_KEY. Set the key that it was stored with, ` +
        'or give that one as CREDENTIALS_KEY_OLD where the key was changed';
  return new CredentialsError(
    `The stored ${side} token of the link ${link} ${fault}, or sign in again: contact-sync connect ${side} ${link}.`,
  );
};

const notEncrypted = (link: string, side: string): CredentialsError =>
  new CredentialsError(
    `The stored ${side} token of the link ${link} is not encrypted although CREDENTIALS_KEY is set, so anybody may have ` +
      `put it there. Sign in again: contact-sync connect ${side} ${link}. Where you stored it yourself before there was ` +
      `a key, set CREDENTIALS_KEY_OLD=${NO_KEY} until every link has run once.`,
  );

/** The credential in an entry. Throws {@link CredentialsError} where no key opens it. */
export const openEntry = (stored: Entry, link: string, side: string, keys: CredentialKeys): Credential => {
  if ('open' in stored) {
    if (keys.takesOpen) return stored.open;
    throw notEncrypted(link, side);
  }
  const { sealed } = stored;
  const key = keys.known.find(({ id }) => id === sealed.keyId);
  if (key === undefined) throw cannotOpen(link, side, sealed.keyId, keys);
  try {
    return credential.parse(JSON.parse(unseal(sealed, ownerOf(link, side), key)));
  } catch {
    throw new CredentialsError(
      `The stored ${side} token of the link ${link} is damaged. Sign in again: contact-sync connect ${side} ${link}.`,
    );
  }
};

export const isCurrent = (stored: Entry, { current }: CredentialKeys): boolean =>
  current === null ? 'open' in stored : 'sealed' in stored && stored.sealed.keyId === current.id;

/** Without a key the token is stored unencrypted. */
export const closeEntry = (opened: Credential, link: string, side: string, { current }: CredentialKeys): Entry =>
  current === null ? { open: opened } : { sealed: seal(JSON.stringify(opened), ownerOf(link, side), current) };
