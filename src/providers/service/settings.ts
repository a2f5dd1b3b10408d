import { z } from 'zod';
import { choice, issued, issuedSecret, rateLimit, urlWithoutSlash, type RateLimit } from '../../config/values.ts';

const DEFAULT_LIMIT: RateLimit = { requests: 500, windowMs: 60_000 };

export const serviceSettings = z.object({
  /** Without a slash at the end. */
  baseUrl: urlWithoutSlash,
  authUrl: urlWithoutSlash.nullable().default(null),
  clientId: issued.nullable().default(null),
  clientSecret: issuedSecret.nullable().default(null),
  rateLimit: rateLimit.default(DEFAULT_LIMIT),
  /** Whom the limit belongs to: each access token, or the registered application with all its users. */
  rateScope: choice('token', 'application').default('token'),
});

export type ServiceSettings = z.output<typeof serviceSettings>;
