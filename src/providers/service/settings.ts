import { z } from 'zod';
import { choice, issued, issuedSecret, rateLimit, urlWithoutSlash } from '../../config/values.ts';

export const serviceSettings = z.object({
  /** Without a slash at the end. */
  baseUrl: urlWithoutSlash
    .meta({ examples: ['https://api.service.example'] })
    .describe('Address of the API, without /v2.'),
  authUrl: urlWithoutSlash
    .meta({ examples: ['https://auth.service.example'] })
    .nullable()
    .default(null)
    .describe('Address of the sign-in pages, required by connect.'),
  clientId: issued
    .meta({ examples: ['your-application-id'] })
    .nullable()
    .default(null)
    .describe('Id of the registered application, required by connect.'),
  clientSecret: issuedSecret
    .nullable()
    .default(null)
    .describe('Secret of the registered application, required by connect.'),
  rateLimit: rateLimit.prefault('500/minute').describe('How many requests may be sent: <n>/second, /minute or /hour.'),
  rateScope: choice('token', 'application')
    .prefault('token')
    .describe('What the limit applies to: each access token, or the application with all its users.'),
});

export type ServiceSettings = z.output<typeof serviceSettings>;
