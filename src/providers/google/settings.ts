import { z } from 'zod';
import { issued, issuedSecret, rateLimit, urlWithSlash, webUrl } from '../../util/values.ts';

export const googleSettings = z.object({
  clientId: issued.meta({
    description: 'Id of the OAuth client of the type Desktop app.',
    example: 'your-client-id.apps.googleusercontent.com',
  }),
  clientSecret: issuedSecret.meta({ description: 'Secret of the OAuth client.', example: 'your-client-secret' }),
  /** With a slash at the end. */
  rootUrl: urlWithSlash
    .prefault('https://people.googleapis.com/')
    .describe('Root address of the People API. Change it only for tests and proxies.'),
  authUrl: webUrl
    .prefault('https://accounts.google.com/o/oauth2/v2/auth')
    .describe('Address of the consent page. Change it only for tests and proxies.'),
  tokenUrl: webUrl
    .prefault('https://oauth2.googleapis.com/token')
    .describe('Address that issues tokens. Change it only for tests and proxies.'),
  /** Per user, as Google counts them. */
  readLimit: rateLimit
    .prefault('90/minute')
    .describe('How many reads may be sent for a user: <n>/second, /minute or /hour.'),
  writeLimit: rateLimit
    .prefault('90/minute')
    .describe('How many writes may be sent for a user: <n>/second, /minute or /hour.'),
});

export type GoogleSettings = z.output<typeof googleSettings>;
