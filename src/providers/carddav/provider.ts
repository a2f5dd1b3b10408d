import { z } from 'zod';
import { defineProvider } from '../provider.ts';
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
  addressKeys: ['url', 'addressbook'],
  readOnlyFields: ['photo'],
  namesDeletions: true,
  extras: [],
  openRemote: async (...args) => (await import('./connection.ts')).openRemote(...args),
  inspect: async (...args) => (await import('./connection.ts')).inspect(...args),
  setUpHint:
    'CardDAV: the address is https://contacts.icloud.com/ for iCloud, https://carddav.fastmail.com/ for Fastmail, ' +
    'https://dav.mailbox.org/carddav/ for mailbox.org, and https://SERVER/remote.php/dav/ for Nextcloud. Create an app ' +
    'password in the security settings of the account: most servers refuse its usual password.',
  signIn: null,
});
