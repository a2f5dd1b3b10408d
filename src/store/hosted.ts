import type { Entry } from './credential-entry.ts';
import type { Sealed } from './credential-key.ts';
import type { Store } from './store.ts';

/** Names a stored token by its link and its side. */
export type TokenName = { readonly link: string; readonly side: string };

/** A stored token. */
export type TokenRow = { readonly side: string; readonly entry: Entry };

/** A stored access token. The clock of the database measures `lastsMs`, the time until it expires. */
export type AccessRow = { readonly sealed: Sealed; readonly digest: string; readonly lastsMs: number };

/** The stored settings of a link. */
type LinkSettingsRow = { readonly name: string; readonly sealed: Sealed };

/** A store, and the rows of its database that no run stores. */
export type HostedStore = Store & { readonly hosted: HostedRows };

/** A claim to get a new access token. */
export type AccessClaim = {
  /** Identifies the credential of the access token without containing it. */
  readonly name: string;
  readonly owner: string;
  /** The longest time that others wait for this claim. */
  readonly leaseMs: number;
  /** An access token that expires within this time is not used. */
  readonly leastMs: number;
  /** The digest of an access token that was refused or cannot be opened; it is not used. */
  readonly refused: string | null;
};

/** Rows that daemons on many hosts share in addition to those of runs. Secrets are sealed. Each method is one atomic step. */
export type HostedRows = {
  /** The location, for messages. */
  readonly place: string;
  /** The salt of keys that are derived from a passphrase, as base64. The first call makes it. */
  salt(): Promise<string>;
  tokens(link: string): Promise<readonly TokenRow[]>;
  tokenNames(): Promise<readonly TokenName[]>;
  putToken(link: string, side: string, entry: Entry): Promise<void>;
  /**
   * Adds tokens and the salt that their keys are made with, in one step; tokens that are stored already stay. Returns whether
   * the salt is that of the database: where it is not, nothing is added.
   */
  importTokens(salt: string, tokens: readonly (TokenName & { readonly entry: Entry })[]): Promise<boolean>;
  /** Replaces a token if it is still `before`. */
  swapToken(link: string, side: string, before: Entry, after: Entry): Promise<void>;
  dropTokens(link: string): Promise<void>;
  /** Returns the stored access token; `mine` where the caller must get a new one; null where another process does. */
  claimAccess(claim: AccessClaim): Promise<AccessRow | 'mine' | null>;
  /**
   * Stores the new access token if the claim is still the caller's. Deletes other expired access tokens that have no claim,
   * so that nothing remains of an unused account.
   */
  putAccess(claim: AccessClaim, access: AccessRow): Promise<void>;
  /** Releases the claim, so that another process can get the access token. */
  dropClaim(claim: AccessClaim): Promise<void>;
  /** A number that grows with each change of the stored link settings; 0 before the first change. */
  linksRevision(): Promise<number>;
  /** The stored link settings, by name: those of these names, or all. */
  linkSettings(names: readonly string[] | null): Promise<readonly LinkSettingsRow[]>;
  /** Adds settings. Returns whether none were stored under that name. */
  addLinkSettings(row: LinkSettingsRow): Promise<boolean>;
  /** Replaces settings if they are still `before`; returns whether they were. `isNews`: the values differ. */
  swapLinkSettings(row: LinkSettingsRow, before: Sealed, options: { readonly isNews: boolean }): Promise<boolean>;
  /** Deletes settings. Returns whether any were stored under that name. */
  dropLinkSettings(name: string): Promise<boolean>;
};
