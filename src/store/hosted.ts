import type { Entry } from './credential-entry.ts';
import type { Sealed } from './credential-key.ts';
import type { Store } from './store.ts';

/** Names a stored token by its link and its side. */
export type TokenName = { readonly link: string; readonly side: string };

/** A token as the database keeps it. */
export type TokenRow = { readonly side: string; readonly entry: Entry };

/** An access token as the database keeps it, which says by its own clock how long it still lasts. */
export type AccessRow = { readonly sealed: Sealed; readonly digest: string; readonly lastsMs: number };

/** The settings of a link as the database keeps them. */
type LinkSettingsRow = { readonly name: string; readonly sealed: Sealed };

/** A store, and what its database holds in addition to what runs store. */
export type HostedStore = Store & { readonly hosted: HostedRows };

/** Asks to be the one who gets a new access token. */
export type AccessClaim = {
  /** Names the credential that the access token belongs to, without telling it. */
  readonly name: string;
  readonly owner: string;
  /** How long the others wait for this one at most. */
  readonly leaseMs: number;
  /** An access token that lasts no longer than this is as good as none. */
  readonly leastMs: number;
  /** The digest of an access token that was refused, or cannot be opened: it counts as none. */
  readonly refused: string | null;
};

/** What daemons on many hosts share beside what their runs store. Secrets come here sealed. Each method is one atomic step. */
export type HostedRows = {
  /** Where it is, for people. */
  readonly place: string;
  /** What keys that come of a passphrase are made with, as base64: made by whoever asks first. */
  salt(): Promise<string>;
  tokens(link: string): Promise<readonly TokenRow[]>;
  tokenNames(): Promise<readonly TokenName[]>;
  putToken(link: string, side: string, entry: Entry): Promise<void>;
  /**
   * Adds tokens and the salt that their keys are made with, in one step; tokens that are stored already stay. Returns whether
   * the salt is that of the database: where it is not, nothing is added.
   */
  importTokens(salt: string, tokens: readonly (TokenName & { readonly entry: Entry })[]): Promise<boolean>;
  /** Puts one in the place of another, where that stands there still. */
  swapToken(link: string, side: string, before: Entry, after: Entry): Promise<void>;
  dropTokens(link: string): Promise<void>;
  /** Answers the access token that is there; `mine` where the caller is to get a new one, null where another one does. */
  claimAccess(claim: AccessClaim): Promise<AccessRow | 'mine' | null>;
  /**
   * Keeps the new one for everybody, where nobody else has been asked to get it since. Others that have expired, and that nobody
   * is renewing, go: an account that is asked no more leaves nothing.
   */
  putAccess(claim: AccessClaim, access: AccessRow): Promise<void>;
  /** Leaves it to another one to get it. */
  dropClaim(claim: AccessClaim): Promise<void>;
  /** Grows with each change of the links whose settings are kept here; 0 before the first. */
  linksRevision(): Promise<number>;
  /** The links whose settings are kept here, by name: those of these names, or all. */
  linkSettings(names: readonly string[] | null): Promise<readonly LinkSettingsRow[]>;
  /** Answers whether there was none of that name. */
  addLinkSettings(row: LinkSettingsRow): Promise<boolean>;
  /** Puts settings in the place of others, and answers whether these stood there still; `isNews` where they say something else. */
  swapLinkSettings(row: LinkSettingsRow, before: Sealed, options: { readonly isNews: boolean }): Promise<boolean>;
  /** Answers whether there were settings of that name. */
  dropLinkSettings(name: string): Promise<boolean>;
};
