import { expect, test } from 'vitest';
import { loadConfig } from '../../../../src/app/config/config.ts';
import { settingGroups } from '../../../../src/app/config/setting-groups.ts';
import { allSettings } from '../../../../src/app/config/settings.ts';
import { REQUIRED, useConfigDirectory } from './config-support.ts';

const { cwd } = useConfigDirectory();
const SETTINGS = allSettings();

test('each setting is in exactly one group, and each group names settings that exist', () => {
  expect(
    settingGroups(SETTINGS)
      .flatMap(({ keys }) => keys)
      .toSorted(),
  ).toEqual(SETTINGS.map(({ key }) => key).toSorted());
});

test('each setting has a description of one or two sentences that ends with a full stop or a command', () => {
  const unclear = SETTINGS.filter(
    ({ description }) => !/^[A-Z].{10,140}(?:\.|openssl rand -base64 32)$/u.test(description),
  );
  expect(unclear.map(({ key, description }) => `${key}: ${description}`)).toEqual([]);
});

test('the documented default of a setting is the one that the parser uses', () => {
  const usual = SETTINGS.flatMap(({ variable, usual: value }) => (variable && value ? [[variable, value]] : []));
  expect(usual.length).toBeGreaterThan(20);
  const load = (env: Readonly<Record<string, string>>) => loadConfig({ env, cwd: cwd() });
  expect(load({ ...REQUIRED, ...Object.fromEntries(usual) })).toEqual({ ...load(REQUIRED), isListenOptional: false });
});

test('a setting without a default has a flag whether it is required', () => {
  const required = SETTINGS.filter(({ isRequired }) => isRequired).map(({ variable }) => variable);
  expect(new Set(required)).toEqual(new Set([...Object.keys(REQUIRED), 'CARDDAV_URL']));
});
