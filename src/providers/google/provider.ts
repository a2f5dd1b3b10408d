import { z } from 'zod';
import { defineProvider } from '../provider.ts';
import { issued, issuedSecret, rateLimit, urlWithSlash, webUrl } from '../../util/values.ts';

const googleSettings = z.object({
  clientId: issued.meta({
    description: 'Id of the OAuth client of the type Desktop app.',
    example: 'your-client-id.apps.googleusercontent.com',
  }),
  clientSecret: issuedSecret.meta({ description: 'Secret of the OAuth client.', example: 'your-client-secret' }),
  /** With a trailing slash. */
  rootUrl: urlWithSlash
    .prefault('https://people.googleapis.com/')
    .describe('Root address of the People API. Change it only for tests and proxies.'),
  authUrl: webUrl
    .prefault('https://accounts.google.com/o/oauth2/v2/auth')
    .describe('Address of the consent page. Change it only for tests and proxies.'),
  tokenUrl: webUrl
    .prefault('https://oauth2.googleapis.com/token')
    .describe('Address that issues tokens. Change it only for tests and proxies.'),
  /** Per user, as Google counts. */
  readLimit: rateLimit
    .prefault('90/minute')
    .describe('How many reads may be sent for a user: <n>/second, /minute or /hour.'),
  writeLimit: rateLimit
    .prefault('90/minute')
    .describe('How many writes may be sent for a user: <n>/second, /minute or /hour.'),
});

export type GoogleSettings = z.output<typeof googleSettings>;

/** Google contacts, through the People API. Google's client takes long to load, so large modules are loaded on first use. */
export const google = defineProvider({
  name: 'google',
  title: 'Google',
  place: 'Google',
  schema: googleSettings,
  marks: ['starred'],
  secretKeys: ['clientSecret', 'refreshToken'],
  accountKeys: ['refreshToken'],
  tokenKey: 'refreshToken',
  addressKeys: ['rootUrl', 'tokenUrl'],
  readOnlyFields: ['photo'],
  namesDeletions: true,
  extras: [],
  setUpHint:
    'Google: enable the People API and create an OAuth client of the type Desktop app in the Google Cloud console: ' +
    'https://console.cloud.google.com/auth/clients',
  openRemote: async (...args) => (await import('./connection.ts')).openRemote(...args),
  inspect: async (...args) => (await import('./connection.ts')).inspect(...args),
  signIn: async (...args) => (await import('./sign-in.ts')).signIn(...args),
});
