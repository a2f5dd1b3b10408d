import { mkdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../../src/app/config/config.ts';
import { oneProblem, problemsOf, REQUIRED_YAML, useConfigDirectory } from './config-support.ts';

const { cwd, load: loadWith, write } = useConfigDirectory();
const load = (yaml = REQUIRED_YAML, env: Readonly<Record<string, string>> = {}) => loadWith(env, yaml);

describe('a file of the folder links', () => {
  test('is read like a section of the configuration file: it wins over the top, and variables win over it', () => {
    const sides = 'left: { provider: google, refreshToken: r1 }\nright: { provider: service, name: crm }\n';
    write('links/ada.yaml', `sweepInterval: 2h\ndeleteLimit: 25\n${sides}`);
    const { links, faultyLinks } = load(`${REQUIRED_YAML}syncInterval: 7m\nlinks: { home: {} }`, {
      SWEEP_INTERVAL: '1h',
    });
    expect(faultyLinks).toEqual([]);
    expect(links.map(({ name }) => name)).toEqual(['home', 'ada']);
    expect(links[1]).toMatchObject({
      syncIntervalMs: 7 * 60_000,
      sweepIntervalMs: 3_600_000,
      deleteLimit: { count: 25, percent: null },
      sides: { left: { provider: 'google', settings: { clientId: 'client' } }, right: { name: 'crm' } },
    });
    expect(links[1]?.sides.left.token?.reveal()).toBe('r1');
  });

  test('is left out with all its problems if it is invalid, and the other links are used', () => {
    write('links/bad.yaml', 'direction: sideways\nsyncIntervall: 5m\nleft: { provider: gogle }\nright:\n');
    write('links/broken.yaml', 'buckets: [a\n');
    write('links/good.yaml', '');
    write('links/late.yml', '');
    write('links/no name.yaml', '');
    const { links, faultyLinks } = load();
    expect(links.map(({ name }) => name)).toEqual(['good']);
    expect(
      faultyLinks.map(({ name, problems }) => [name, ...problems.map(({ where, what }) => `${where} ${what}`)]),
    ).toEqual([
      [
        'bad',
        expect.stringMatching(/^links\/bad\.yaml: left\.provider "gogle" is not known/u),
        expect.stringMatching(/^links\/bad\.yaml: right holds no settings/u),
        expect.stringMatching(/^links\/bad\.yaml: syncIntervall is not a setting here. Did you mean syncInterval\?/u),
      ],
      ['broken', expect.stringMatching(/^links\/broken\.yaml is not valid YAML at line 2/u)],
      ['late', 'links/late.yml is not read. Rename it to late.yaml.'],
      ['no name', expect.stringMatching(/^links\/no name\.yaml is not a name for a link/u)],
    ]);
  });

  test('is the link of its name, also if a file with the same name ends with .yml', () => {
    write('links/ada.yaml', '');
    write('links/ada.yml', '');
    const { links, faultyLinks } = load();
    expect(links.map(({ name }) => name)).toEqual(['ada']);
    const what = 'is not read, because links/ada.yaml has the link ada. Remove one of the two.';
    expect(faultyLinks).toEqual([{ name: 'ada.yml', problems: [{ where: 'links/ada.yml', what }] }]);
  });

  test('with the name of a link of the configuration file is an error that names both places', () => {
    write('links/home.yaml', '');
    const what = 'has the name of links.home in the configuration file. Remove one of the two.';
    const problems = problemsOf(() => load(`${REQUIRED_YAML}links: { home: {}, work: {} }`));
    expect(problems).toEqual([{ where: 'links/home.yaml', what }]);
  });

  test('is a further link for a variable that belongs to one account', () => {
    write('links/ada.yaml', '');
    expect(problemsOf(() => load(`${REQUIRED_YAML}links: { home: {} }`, { GOOGLE_REFRESH_TOKEN: 'r1' }))).toEqual(
      oneProblem('GOOGLE_REFRESH_TOKEN', '2 links'),
    );
  });

  test('has its file name in the settings that config show prints', () => {
    write('links/ada.yaml', 'syncInterval: 9m\n');
    const found = readConfig({ env: {}, cwd: cwd(), config: write('given.yaml', REQUIRED_YAML) })
      .effective()
      .find(({ link, key }) => link === 'ada' && key === 'syncInterval');
    expect(found).toMatchObject({ value: '9m', source: 'file', where: 'links/ada.yaml: syncInterval' });
  });
});

test('hidden files and other files of the folder are ignored', () => {
  write('links/.ada.yaml', 'no: setting\n');
  write('links/ada.yaml~', 'no: setting\n');
  write('links/ada.yaml.tmp', 'no: setting\n');
  expect(load()).toMatchObject({ links: [], faultyLinks: [] });
});

test('with the folder, even an empty one, the configuration may name no link; without it, the link default exists', () => {
  expect(load().links.map(({ name }) => name)).toEqual(['default']);
  expect(problemsOf(() => load(`${REQUIRED_YAML}links: {}`)).map(({ where }) => where)).toEqual(['links']);
  mkdirSync(`${cwd()}/links`);
  expect(load().links).toEqual([]);
  expect(load(`${REQUIRED_YAML}links: {}`).links).toEqual([]);
});

test('a folder that cannot be read is an error', () => {
  const folder = write('links', 'a file');
  expect(problemsOf(() => load())).toEqual(oneProblem(folder, '(ENOTDIR)'));
});
