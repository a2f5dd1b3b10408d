import type { Preset } from '../provider.ts';

const server = (title: string, value: string, hint: string): Preset => ({ title, key: 'url', value, hint });

/** Servers whose addresses are public. All of them refuse the password of the account, or advise against it. */
export const PRESETS: readonly Preset[] = [
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
