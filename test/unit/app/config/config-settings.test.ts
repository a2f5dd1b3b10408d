import { expect, test } from 'vitest';
import { settingGroups } from '../../../../config/docs/setting-groups.ts';
import { allSettings } from '../../../../src/app/config/settings.ts';
import { REQUIRED } from './config-support.ts';

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

test('a setting without a default has a flag whether it is required', () => {
  const required = SETTINGS.filter(({ isRequired }) => isRequired).map(({ variable }) => variable);
  expect(new Set(required)).toEqual(new Set([...Object.keys(REQUIRED), 'CARDDAV_URL']));
});
