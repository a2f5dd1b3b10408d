import type { Clock } from '../util/clock.ts';
import { closeEntry, openEntry, type Credential } from './credential-entry.ts';
import { keepResult } from '../util/share.ts';
import { deriveKey, type CredentialKey } from './credential-key.ts';
import { CredentialsError } from './errors.ts';
import type { TokenTable } from './sql/token-table.ts';
import type { Store } from './store.ts';

export type { Credential } from './credential-entry.ts';

/** A store, with the tokens in its database. */
export type StoreWithTokens = Store & { readonly tokens: TokenTable };

type VaultOptions = {
  /** CREDENTIALS_KEY; null: tokens are stored as they are, in a file of mode 0600. */
  readonly key: string | null;
  readonly rows: TokenTable;
  readonly clock: Clock;
};

/** A run asks for the tokens of a link several times as it begins: those read within this time are not read again. */
const KEPT_MS = 1_000;
const MOST_KEPT = 100;

/** Caches the tokens of a link for a short time. */
const createTokenCache = ({ rows, clock }: VaultOptions) => {
  const kept = new Map<string, { readonly atMs: number; readonly tokens: ReturnType<TokenTable['tokens']> }>();
  return {
    tokens: (link: string): ReturnType<TokenTable['tokens']> => {
      const nowMs = clock.monotonic();
      const known = kept.get(link);
      if (known !== undefined && nowMs - known.atMs < KEPT_MS) return known.tokens;
      if (kept.size >= MOST_KEPT) kept.clear();
      const tokens = rows.tokens(link);
      kept.set(link, { atMs: nowMs, tokens });
      tokens.catch(() => kept.delete(link));
      return tokens;
    },
    forget: (link: string): void => void kept.delete(link),
  };
};

/** Returns the key that encrypts tokens; null without CREDENTIALS_KEY. It is derived once, because that takes 0.1 s. */
const createKeyring = ({ key, rows }: VaultOptions): (() => Promise<CredentialKey | null>) => {
  if (key === null) return () => Promise.resolve(null);
  return keepResult(async () => deriveKey(key, Buffer.from(await rows.salt(), 'base64')));
};

/** Opens the vault. A database that hosts share stores sealed tokens only; SQLite stores open ones too: its file has mode 0600. */
export const openVault = (options: VaultOptions) => {
  const { rows } = options;
  const { place, setting } = rows;
  const currentKey = createKeyring(options);
  const cache = createTokenCache(options);
  return {
    place,
    setting,
    /** Whether tokens are stored encrypted; only such tokens are read then. */
    seals: options.key !== null,
    /** Null if nothing is stored. Throws {@link CredentialsError} if it cannot be opened. */
    read: async (link: string, side: string): Promise<Credential | null> => {
      const found = (await cache.tokens(link)).find((row) => row.side === side);
      return found === undefined ? null : openEntry(found.entry, link, side, await currentKey());
    },
    /** Drops the cached tokens of a link, so that the next read returns what another process has stored in the meantime. */
    forget: cache.forget,
    /** Every stored token, whether it can be opened or not. */
    names: rows.tokenNames,
    /** Deletes the tokens of a link. */
    remove: async (link: string): Promise<void> => {
      await rows.dropTokens(link);
      cache.forget(link);
    },
    /** Stores a token. Throws {@link CredentialsError}. */
    save: async (link: string, side: string, opened: Credential): Promise<void> => {
      const entry = closeEntry(opened, link, side, await currentKey());
      if ('open' in entry && setting === 'DATABASE_URL') {
        throw new CredentialsError(`No token is stored in ${place} without CREDENTIALS_KEY. Set it.`);
      }
      await rows.putToken(link, side, entry);
      cache.forget(link);
    },
  };
};

/** Stores the tokens of `connect`, in the database. A link's side is known by its name there. */
export type Vault = ReturnType<typeof openVault>;
