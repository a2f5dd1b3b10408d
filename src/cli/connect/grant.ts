import type { Side } from '../../contact/side.ts';

/** What came of a sign-in. */
export type Grant = {
  /** Google's refresh token, or the service's access token. */
  readonly token: string;
  /** Null where the side does not tell. */
  readonly scopes: readonly string[] | null;
};

/** How people call the two sides inside a sentence. */
export const SIDE_NAMES: Readonly<Record<Side, string>> = { google: 'Google', service: 'the service' };

/** How long the token endpoints may take to answer. */
export const ANSWER_TIMEOUT_MS = 30_000;
