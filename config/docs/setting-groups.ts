import { PROVIDERS } from '../../src/providers/registry.ts';
import type { Setting } from '../../src/app/config/settings.ts';

/** Settings that serve one purpose, by their keys in the file. */
type SettingGroup = { readonly title: string; readonly about: string; readonly keys: readonly string[] };

const FIRST_GROUPS: readonly SettingGroup[] = [
  {
    title: 'First settings',
    about: '`init` asks for these settings and writes them.',
    keys: [
      'google.clientId',
      'google.clientSecret',
      'service.baseUrl',
      'service.authUrl',
      'service.clientId',
      'service.clientSecret',
      'firstSync',
    ],
  },
  {
    title: 'What is synced',
    about: '[The fields](../src/core/README.md) describes each field.',
    keys: ['fields', 'buckets', 'google.contacts', 'service.contacts', 'carddav.contacts', 'direction'],
  },
  {
    title: 'Conflicts and deletions',
    about: 'By default the newer value wins, and a run that would delete many contacts stops.',
    keys: ['conflictPolicy', 'deletePolicy', 'deleteLimit', 'retention'],
  },
  {
    title: 'Schedule',
    about: 'The daemon runs a sync when it starts and after each interval.',
    keys: ['syncInterval'],
  },
  {
    title: 'Tokens',
    about: '`connect` stores the tokens of the accounts. On a machine without a browser, set them here.',
    keys: ['google.refreshToken', 'service.accessToken', 'credentialsKey'],
  },
];

const LAST_GROUPS: readonly SettingGroup[] = [
  {
    title: 'Page, metrics and health',
    about: 'The page is on by default, for this machine only.',
    keys: ['listen', 'consoleToken'],
  },
  {
    title: 'Notifications',
    about: '`contact-sync doctor --notify` sends a test.',
    keys: ['notifyUrl'],
  },
  {
    title: 'State and logs',
    about: '',
    keys: ['dataDir', 'logLevel'],
  },
  {
    title: 'Several hosts',
    about: 'A single host needs none of these.',
    keys: ['databaseUrl', 'redisUrl'],
  },
  {
    title: 'Advanced',
    about: 'The defaults are right for almost everyone.',
    keys: [
      'sweepInterval',
      'service.rateLimit',
      'google.readLimit',
      'google.writeLimit',
      'google.rootUrl',
      'google.authUrl',
      'google.tokenUrl',
      'logPersonalData',
    ],
  },
];

/**
 * Returns the groups of all settings, in the order of config/README.md. Each setting is in exactly one group. The settings of a
 * provider that no other group contains are a group.
 */
export const settingGroups = (settings: readonly Setting[]): readonly SettingGroup[] => {
  const grouped = new Set([...FIRST_GROUPS, ...LAST_GROUPS].flatMap(({ keys }) => keys));
  const others = settings.map(({ key }) => key).filter((key) => !grouped.has(key));
  const providers = PROVIDERS.map(({ name, title, about = '' }) => {
    return { title, about, keys: others.filter((key) => key.startsWith(`${name}.`)) };
  });
  return [...FIRST_GROUPS, ...providers.filter(({ keys }) => keys.length > 0), ...LAST_GROUPS];
};

/** The setting with that key. Throws if it does not exist. */
export const settingNamed = (settings: readonly Setting[], key: string): Setting => {
  const setting = settings.find((each) => each.key === key);
  if (setting === undefined) throw new Error(`There is no setting ${key}. Correct config/docs/setting-groups.ts.`);
  return setting;
};
