import { z } from 'zod';
import { choice, issued, issuedSecret, rateLimit, urlWithoutSlash } from '../../util/values.ts';

export const serviceSettings = z.object({
  /** Without a slash at the end. */
  baseUrl: urlWithoutSlash.meta({
    description: 'Address of the API, without /v2.',
    example: 'https://api.service.example',
  }),
  authUrl: urlWithoutSlash.nullable().default(null).meta({
    description: 'Address of the sign-in pages, required by connect.',
    example: 'https://auth.service.example',
  }),
  clientId: issued
    .nullable()
    .default(null)
    .meta({ description: 'Id of the registered application, required by connect.', example: 'your-application-id' }),
  clientSecret: issuedSecret.nullable().default(null).meta({
    description: 'Secret of the registered application, required by connect.',
    example: 'your-application-secret',
  }),
  rateLimit: rateLimit.prefault('500/minute').describe('How many requests may be sent: <n>/second, /minute or /hour.'),
  rateScope: choice('token', 'application')
    .prefault('token')
    .describe('What the limit applies to: each access token, or the application with all its users.'),
});

export type ServiceSettings = z.output<typeof serviceSettings>;
