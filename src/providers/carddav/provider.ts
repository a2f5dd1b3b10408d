import { defineProvider } from '../provider.ts';
import { SignInError } from '../sign-in.ts';
import { PRESETS } from './presets.ts';
import { carddavSettings } from './settings.ts';

const NO_CONSENT = 'A CardDAV server has no sign-in page. It takes a password.';

/** An address book of a CardDAV server. The client is loaded when it is used. */
export const carddav = defineProvider({
  name: 'carddav',
  title: 'CardDAV',
  place: 'the CardDAV server',
  schema: carddavSettings,
  marks: [],
  secretKeys: ['password'],
  accountKeys: ['username', 'addressbook', 'password'],
  tokenKey: 'password',
  hasPassword: true,
  addressKeys: ['url', 'addressbook'],
  addresses: { all: ['url', 'addressbook'], receivingSecret: 'url' },
  clientKeys: [],
  readOnlyFields: ['photo'],
  namesDeletions: true,
  extras: [],
  openRemote: async (settings, token, network, fields) => {
    const { openCarddav } = await import('./connection.ts');
    return openCarddav(settings, token, network, fields);
  },
  inspect: async (settings, token, network, signal) => {
    const { inspectCarddav } = await import('./connection.ts');
    return inspectCarddav(settings, token, network, signal);
  },
  meter: null,
  presets: PRESETS,
  collection: {
    key: 'addressbook',
    word: 'address book',
    list: async (settings, token, network, signal) => {
      const { listBooks } = await import('./connection.ts');
      return listBooks(settings, token, network, signal);
    },
  },
  signIn: {
    checkClient: () => Promise.resolve(null),
    withConsent: () => Promise.reject(new SignInError(NO_CONSENT)),
    withKey: (_settings, key) => Promise.resolve({ token: key, scopes: null, asked: [] }),
    revoke: null,
    revokedAt: "the server's settings, at the app passwords",
    missingRights: () => Promise.resolve(null),
  },
});
