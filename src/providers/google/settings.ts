import { z } from 'zod';
import { issued, issuedSecret, rateLimit, urlWithSlash, webUrl, type RateLimit } from '../../config/values.ts';

const DEFAULT_LIMIT: RateLimit = { requests: 90, windowMs: 60_000 };

export const googleSettings = z.object({
  clientId: issued,
  clientSecret: issuedSecret,
  /** With a slash at the end. */
  rootUrl: urlWithSlash.default('https://people.googleapis.com/'),
  authUrl: webUrl.default('https://accounts.google.com/o/oauth2/v2/auth'),
  tokenUrl: webUrl.default('https://oauth2.googleapis.com/token'),
  /** Per user, as Google counts them. */
  readLimit: rateLimit.default(DEFAULT_LIMIT),
  writeLimit: rateLimit.default(DEFAULT_LIMIT),
});

export type GoogleSettings = z.output<typeof googleSettings>;
