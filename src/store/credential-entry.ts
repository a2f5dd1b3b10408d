import { z } from 'zod';
import { CredentialsError } from './errors.ts';
import { seal, sealedSchema, unseal, type CredentialKey } from './credential-key.ts';

// Entries that are sealed with CREDENTIALS_KEY, in a file or in a database.

const credential = z.object({
  /** The secret that opens the remote, such as a refresh token or an access token. */
  token: z.string().min(1),
  /** The account that signed in, as the remote names it; null if it does not say. */
  account: z.string().nullable(),
  /** The email address of the account, for display; missing or null if the remote does not report it. */
  email: z.string().nullable().exactOptional(),
  /** The granted permissions; null if the remote does not report them. */
  scopes: z.array(z.string()).readonly().nullable(),
  storedAtMs: z.number(),
});

/** The values that `connect` stores of one sign-in. */
export type Credential = Readonly<z.output<typeof credential>>;

/** A token as it is stored: sealed, or open without a key. */
export const entry = z.union([z.object({ sealed: sealedSchema }), z.object({ open: credential })]);
export type Entry = z.output<typeof entry>;

const ownerOf = (link: string, side: string): string => `${link}/${side}`;

const cannotOpen = (link: string, side: string, keyId: string, key: CredentialKey | null): CredentialsError => {
  const fault =
    key === null
      ? `was encrypted with the key ${keyId}, but CREDENTIALS_KEY is not set. Set it`
      : `was encrypted with another key (${keyId}) than CREDENTIALS_KEY. Set the key that it was stored with`;
  return new CredentialsError(
    `The stored ${side} token of the link ${link} ${fault}, or sign in again: contact-sync connect ${side} ${link}.`,
  );
};

const notEncrypted = (link: string, side: string): CredentialsError =>
  new CredentialsError(
    `The stored ${side} token of the link ${link} is not encrypted although CREDENTIALS_KEY is set, so another program may ` +
      `have written it. Sign in again: contact-sync connect ${side} ${link}.`,
  );

/**
 * The credential in an entry. Throws {@link CredentialsError} if the key does not open it. With a key, an unencrypted token is not
 * used, because any user with write access could have added it.
 */
export const openEntry = (stored: Entry, link: string, side: string, key: CredentialKey | null): Credential => {
  if ('open' in stored) {
    if (key === null) return stored.open;
    throw notEncrypted(link, side);
  }
  const { sealed } = stored;
  if (key?.id !== sealed.keyId) throw cannotOpen(link, side, sealed.keyId, key);
  try {
    return credential.parse(JSON.parse(unseal(sealed, ownerOf(link, side), key)));
  } catch {
    throw new CredentialsError(
      `The stored ${side} token of the link ${link} is damaged. Sign in again: contact-sync connect ${side} ${link}.`,
    );
  }
};

/** Without a key the token is stored unencrypted. */
export const closeEntry = (opened: Credential, link: string, side: string, key: CredentialKey | null): Entry =>
  key === null ? { open: opened } : { sealed: seal(JSON.stringify(opened), ownerOf(link, side), key) };
