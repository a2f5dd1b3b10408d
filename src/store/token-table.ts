import type { Entry } from './credential-entry.ts';
import type { Store } from './store.ts';

/** Names a stored token by its link and its side. */
export type TokenName = { readonly link: string; readonly side: string };

/** A stored token. */
export type TokenRow = { readonly side: string; readonly entry: Entry };

/** A store, with the tokens in its database. */
export type StoreWithTokens = Store & { readonly tokens: TokenTable };

/** The tokens that `connect` stored. Each method is one atomic step. */
export type TokenTable = {
  /** The location, for messages. */
  readonly place: string;
  /** The setting that names the database. */
  readonly setting: 'DATA_DIR' | 'DATABASE_URL';
  /** The salt of keys that are derived from a passphrase, as base64. The first call makes it. */
  salt(): Promise<string>;
  tokens(link: string): Promise<readonly TokenRow[]>;
  tokenNames(): Promise<readonly TokenName[]>;
  putToken(link: string, side: string, entry: Entry): Promise<void>;
  dropTokens(link: string): Promise<void>;
};
