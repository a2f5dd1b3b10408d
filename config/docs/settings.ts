import { allSettings, type Setting } from '../../src/app/config/settings.ts';
import { code, table } from './markdown.ts';
import { settingGroups, settingNamed } from './setting-groups.ts';

const wordsOf = ({ words }: Setting): string =>
  words.length === 0 || words.includes('true') ? '' : ` One of ${words.join(', ')}.`;

const LEVELS = { process: 'top', link: 'top, link', side: 'side' } as const;

const row = (setting: Setting): readonly string[] => {
  const { key, variable, level, description, usual, isRequired } = setting;
  const otherwise = isRequired ? 'required' : '';
  return [
    code(variable),
    code(key),
    LEVELS[level],
    usual === null ? otherwise : code(usual),
    `${description}${wordsOf(setting)}`.replaceAll(/<(?<word>[np])>/gu, '$<word>'),
  ];
};

const renderGroup = (
  { title, about, keys }: ReturnType<typeof settingGroups>[number],
  settings: readonly Setting[],
): string => {
  const rows = keys.map((key) => row(settingNamed(settings, key)));
  const heads = ['variable', 'key', 'place', 'default', 'meaning'];
  return [`### ${title}`, ...(about === '' ? [] : [about]), table(heads, rows)].join('\n\n');
};

/** Every setting, a table for each purpose. */
export const renderSettings = (): string => {
  const settings = allSettings();
  return settingGroups(settings)
    .map((group) => renderGroup(group, settings))
    .join('\n\n');
};
