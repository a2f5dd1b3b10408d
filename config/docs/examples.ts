import { allSettings, type Setting } from '../../src/app/config/settings.ts';
import { variableOf } from '../../src/app/config/sources.ts';
import { PROVIDERS } from '../../src/providers/registry.ts';
import { settingGroups, settingNamed } from './setting-groups.ts';

/** The examples of the configuration, made from the settings. Everything that could change something is commented out. */

const WIDTH = 110;

const wrapped = (text: string, width: number): readonly string[] => {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
};

const comment = (lines: readonly string[]): readonly string[] => lines.map((line) => (line === '' ? '#' : `# ${line}`));

/** Further forms of a setting in the file. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  fields: [
    "The service's title wins:        { title: { winner: service } }",
    'A person decides about names:    { firstName: { winner: ask }, lastName: { winner: ask } }',
    'Notes too, and no websites:      { notes: {}, websites: off }',
    "Custom fields:                   { 'custom:Budget': {}, 'custom:Source': { direction: to-google } }",
    'Shown on the phone:              { lastContacted: {}, reminderInterval: {} }',
  ],
  buckets: ["Several patterns: ['*', '!Private*']"],
};

const valueOf = ({ usual, examples, words }: Setting): string => usual ?? examples[0] ?? words[0] ?? '';

const yamlSetting = (setting: Setting): readonly string[] => {
  const { key, description, isSecret, words } = setting;
  const name = key.slice(key.lastIndexOf('.') + 1);
  const file = isSecret ? [`# ${name}File: /run/secrets/${variableOf(key).toLowerCase()}`] : [];
  const choice = words.length > 0 ? ` One of ${words.join(', ')}.` : '';
  const value = /^\*|^$/u.test(valueOf(setting)) ? `'${valueOf(setting)}'` : valueOf(setting);
  return [
    '',
    ...comment([...wrapped(description + choice, WIDTH), ...(FORMS[key] ?? [])]),
    `# ${name}: ${value}`,
    ...file,
  ];
};

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => (line === '' ? '' : `  ${line}`));

const heading = (title: string): readonly string[] => ['', `# --- ${title} ${'-'.repeat(WIDTH - title.length)}`];

const YAML_HEAD = `# yaml-language-server: $schema=../dist/contact-sync.schema.json
# Every setting. Copy this file to config/contact-sync.yaml, and remove the # in front of the settings that you change.
# A line that is commented out shows the default, or the form of a value. README.md in this folder explains the settings.`;

/** `example.yaml`. */
export const renderExampleYaml = (): string => {
  const settings = allSettings();
  const top = settingGroups(settings).map(({ title, keys }) => {
    const own = keys.filter((key) => !key.includes('.')).map((key) => settingNamed(settings, key));
    return own.length === 0 ? [] : [...heading(title), ...own.flatMap(yamlSetting)];
  });
  const sides = PROVIDERS.map(({ name, title }) => {
    const own = settingGroups(settings).flatMap(({ keys }) => keys.filter((key) => key.startsWith(`${name}.`)));
    const lines = own.flatMap((key) => yamlSetting(settingNamed(settings, key)));
    return [...heading(title), '', `${name}:`, ...indented(lines.slice(1))];
  });
  const more = [
    'A link has two sides. These are the default ones:',
    'left: { provider: google, name: google }',
    'right: { provider: service, name: service }',
    '',
    'Settings of the link, of its side at Google and of its side at the service:',
    'direction: both',
    'google: { refreshTokenFile: /run/secrets/google_token }',
    'service: { accessTokenFile: /run/secrets/service_token }',
  ];
  return [
    YAML_HEAD,
    ...sides.flat(),
    ...top.flat(),
    ...heading('Links: two accounts each. Settings of a link win over those above'),
    '',
    'links:',
    '  default:',
    ...indented(indented(comment(more))),
    '',
    ...comment(OWN_FILE),
    '',
  ].join('\n');
};

const ENV_HEAD = `# Every setting as an environment variable. A variable wins over the configuration file.
# Copy this file to .env in the folder of that file (config/.env in a checkout), and remove the # in front of the variables
# that you change. A line that is commented out shows the default, or the form of a value. Each secret may be in a file of
# its own: for GOOGLE_CLIENT_SECRET set GOOGLE_CLIENT_SECRET_FILE=/run/secrets/google_client_secret.

# Another configuration file than config/contact-sync.yaml. Works in the environment only, not in a .env file.
# CONTACT_SYNC_CONFIG=/etc/contact-sync.yaml`;

const OWN_FILE = [
  'A link may be in a file of its own instead: links/NAME.yaml in the folder of this file, with the settings of the link.',
  'Write it with: contact-sync init --link NAME',
];

/** `example.env`. */
export const renderExampleEnv = (): string => {
  const settings = allSettings();
  const groups = settingGroups(settings).map(({ title, keys }) => {
    const own = keys.map((key) => settingNamed(settings, key));
    const lines = own.flatMap((setting) => [
      ...comment(wrapped(setting.description, WIDTH)),
      `# ${setting.variable}=${valueOf(setting)}`,
    ]);
    return [...heading(title), ...lines].join('\n');
  });
  return `${[ENV_HEAD, ...groups].join('\n')}\n`;
};
