import { z } from 'zod';
import { choice, rateLimit, secureUrl, text } from '../../util/values.ts';

export const carddavSettings = z.object({
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
