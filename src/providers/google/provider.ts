import { defineProvider } from '../provider.ts';
import { googleSettings } from './settings.ts';

/** Google contacts, through the People API. What is heavy is loaded when it is used: Google's client takes long to load. */
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
  addresses: { all: ['rootUrl', 'authUrl', 'tokenUrl'], receivingSecret: 'tokenUrl' },
  clientKeys: ['clientId', 'clientSecret'],
  readOnlyFields: ['photo'],
  namesDeletions: true,
  extras: [],
  openRemote: async (settings, token, network, fields) => {
    const { openGoogle } = await import('./connection.ts');
    return openGoogle(settings, token, network, fields);
  },
  inspect: async (settings, token, network, signal) => {
    const { inspectGoogle } = await import('./connection.ts');
    return inspectGoogle(settings, token, network, signal);
  },
  meter: null,
  signIn: {
    checkClient: async (settings, context) => {
      const { checkGoogleClient } = await import('./sign-in.ts');
      return checkGoogleClient(settings, context);
    },
    withConsent: async (settings, ask, context) => {
      const { signInAtGoogle } = await import('./sign-in.ts');
      return signInAtGoogle(settings, ask, context);
    },
    withKey: null,
    revoke: async (settings, token, context) => {
      const { revokeAtGoogle } = await import('./sign-in.ts');
      return revokeAtGoogle(settings, token, context);
    },
    revokedAt: 'https://myaccount.google.com/connections',
    missingRights: () => Promise.resolve(null),
  },
});
