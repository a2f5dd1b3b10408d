import { z } from 'zod';
import { issued, issuedSecret, rateLimit, urlWithSlash, webUrl, type RateLimit } from '../../config/values.ts';

const DEFAULT_LIMIT: RateLimit = { requests: 90, windowMs: 60_000 };

export const googleSettings = z.object({
  clientId: issued.describe('The OAuth client of the type Desktop app.'),
  clientSecret: issuedSecret.describe("The OAuth client's secret."),
  /** With a slash at the end. */
  rootUrl: urlWithSlash
    .default('https://people.googleapis.com/')
    .describe('The root of the People API; another one only for tests and proxies.'),
  authUrl: webUrl.default('https://accounts.google.com/o/oauth2/v2/auth').describe('The consent page.'),
  tokenUrl: webUrl.default('https://oauth2.googleapis.com/token').describe('Where tokens are issued.'),
  /** Per user, as Google counts them. */
  readLimit: rateLimit
    .default(DEFAULT_LIMIT)
    .describe('Reads that may be sent for a user: <n>/second, <n>/minute or <n>/hour.'),
  writeLimit: rateLimit.default(DEFAULT_LIMIT).describe('Writes that may be sent for a user, in the same form.'),
});

export type GoogleSettings = z.output<typeof googleSettings>;
