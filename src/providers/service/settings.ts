import { z } from 'zod';
import { choice, issued, issuedSecret, rateLimit, urlWithoutSlash, type RateLimit } from '../../config/values.ts';

const DEFAULT_LIMIT: RateLimit = { requests: 500, windowMs: 60_000 };

export const serviceSettings = z.object({
  /** Without a slash at the end. */
  baseUrl: urlWithoutSlash.describe('The root of the resource API; /v2/... is appended.'),
  authUrl: urlWithoutSlash.nullable().default(null).describe('The root of the authorization endpoints; to sign in.'),
  clientId: issued.nullable().default(null).describe('The registered application; to sign in.'),
  clientSecret: issuedSecret.nullable().default(null).describe("The registered application's secret; to sign in."),
  rateLimit: rateLimit
    .default(DEFAULT_LIMIT)
    .describe('Requests that may be sent: <n>/second, <n>/minute or <n>/hour.'),
  /** Whom the limit belongs to: each access token, or the registered application with all its users. */
  rateScope: choice('token', 'application')
    .default('token')
    .describe('Whom the limit belongs to: each access token, or the application with all its users.'),
});

export type ServiceSettings = z.output<typeof serviceSettings>;
