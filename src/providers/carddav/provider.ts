import { z } from 'zod';
import { defineProvider, type Preset } from '../provider.ts';
import { SignInError } from '../sign-in.ts';
import { choice, rateLimit, secureUrl, text } from '../../util/values.ts';

const carddavSettings = z.object({
  url: secureUrl.meta({
    description: 'Address of the CardDAV server, of the account or of the address book.',
    example: 'https://dav.example.org/',
  }),
  username: text.nullable().default(null).meta({
    description: 'User name. Without it, the password is sent as a bearer token.',
    example: 'ada@example.org',
  }),
  addressbook: text.nullable().default(null).meta({
    description: 'Name, path or URL of the address book, required if the account has several.',
    example: 'Contacts',
  }),
  groups: choice('auto', 'cards', 'categories')
    .prefault('auto')
    .describe('How new groups are stored: as group cards, as categories of contacts, or as the address book has them.'),
  rateLimit: rateLimit.prefault('1200/minute').describe('How many requests may be sent: <n>/second, /minute or /hour.'),
});

export type CarddavSettings = z.output<typeof carddavSettings>;

const server = (title: string, value: string, hint: string): Preset => ({ title, key: 'url', value, hint });

/** Servers with public addresses. All of them refuse the password of the account, or advise against it. */
const PRESETS: readonly Preset[] = [
  server(
    'iCloud',
    'https://contacts.icloud.com/',
    'iCloud requires an app-specific password. Create one at account.apple.com, under Sign-In and Security. The user name is the Apple Account email address.',
  ),
  server(
    'Fastmail',
    'https://carddav.fastmail.com/',
    'Fastmail requires an app password with access to contacts (CardDAV). Create one in Settings, Privacy & Security. The user name is the whole email address.',
  ),
  server(
    'Nextcloud',
    'remote.php/dav/',
    'Use an app password, which two-factor authentication requires. Create one in the personal settings of Nextcloud, under Security.',
  ),
  server(
    'mailbox.org',
    'https://dav.mailbox.org/carddav/',
    'Use an app password for CardDAV, which two-factor authentication requires. Create one in the settings of mailbox.org. The user name is the whole email address.',
  ),
];

const NO_CONSENT = 'A CardDAV server has no sign-in page. It takes a password.';

/** An address book of a CardDAV server. The client is loaded on first use. */
export const carddav = defineProvider({
  name: 'carddav',
  title: 'CardDAV',
  place: 'the CardDAV server',
  about:
    'A side with `provider: carddav` is an address book of a CardDAV server, tested with Radicale, Xandikos, Cyrus, SabreDAV and DAViCal. Use an app password where the server has them.',
  schema: carddavSettings,
  marks: [],
  secretKeys: ['password'],
  accountKeys: ['username', 'addressbook', 'password'],
  tokenKey: 'password',
  hasPassword: true,
  addressKeys: ['url', 'addressbook'],
  readOnlyFields: ['photo'],
  namesDeletions: true,
  extras: [],
  openRemote: async (settings, token, network, fields) => {
    const { openRemote } = await import('./connection.ts');
    return openRemote(settings, token, network, fields);
  },
  inspect: async (settings, token, network, signal) => {
    const { inspect } = await import('./connection.ts');
    return inspect(settings, token, network, signal);
  },
  meter: null,
  presets: PRESETS,
  collection: {
    key: 'addressbook',
    word: 'address book',
    list: async (settings, token, network, signal) => {
      const { listCollections } = await import('./connection.ts');
      return listCollections(settings, token, network, signal);
    },
  },
  signIn: {
    checkClient: async (settings, context) => {
      const { checkAddress } = await import('./connection.ts');
      return checkAddress(settings, context);
    },
    withConsent: () => Promise.reject(new SignInError(NO_CONSENT)),
    withKey: (_settings, key) => Promise.resolve({ token: key, scopes: null }),
    revoke: null,
    revokedAt: "the server's settings, at the app passwords",
    missingRights: () => Promise.resolve(null),
  },
});
