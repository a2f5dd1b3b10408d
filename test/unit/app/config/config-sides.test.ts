import { expect, test } from 'vitest';
import { placeOf } from '../../../../src/app/config/accounts.ts';
import { placesOf, oneProblem, problemsOf, REQUIRED, REQUIRED_YAML, useConfigDirectory } from './config-support.ts';

const { load, loadLink, write } = useConfigDirectory();

const GOOGLES = `
google: { clientId: client, clientSecret: client-secret }
links:
  home:
    left: { provider: google, name: private }
    right: { provider: google, name: work }
`;
const links = (left: string, right: string) =>
  `${REQUIRED_YAML}links: { home: { left: { provider: ${left} }, right: { provider: ${right} } } }`;

test.each([
  ['two accounts of one provider, by their names', GOOGLES, ['Google (private)', 'Google (work)']],
  ['sides without names, by their roles', links('service', 'service'), ['Service (left)', 'Service (right)']],
  ['each provider on either side', links('service', 'google'), ['Service', 'Google']],
])('names distinguish %s', (_, yaml, titles) => {
  const { left, right } = loadLink({}, yaml).sides;
  expect([left.title, right.title]).toEqual(titles);
  const names = titles.map((title) => (/\((\w+)\)/u.exec(title)?.[1] ?? title).toLowerCase());
  expect([left.name, right.name]).toEqual(names);
  expect([left.place, right.place]).toEqual(titles.map((title) => title.replace('Service', 'the service')));
});

test('a direction and a policy name a provider, whichever side it is', () => {
  const link = loadLink({ DIRECTION: 'to-google', CONFLICT_POLICY: 'service' }, links('service', 'google'));
  expect(link).toMatchObject({ direction: 'to-right', conflicts: 'left' });
  expect(link.sides.left.settings).toMatchObject({ baseUrl: 'https://service.test' });
});

test('the section of a side wins over its link, the link over the top, and a variable over all', () => {
  const yaml = `
google: { clientId: top, clientSecret: s, readLimit: 1/second, writeLimit: 1/second, rootUrl: 'https://top.test' }
links:
  home:
    google: { clientId: link, readLimit: 2/second }
    left: { provider: google, clientId: own, rootUrl: 'https://own.test' }
    right: { provider: google }
`;
  const { left, right } = loadLink({ GOOGLE_ROOT_URL: 'https://variable.test' }, yaml).sides;
  const expected = { readLimit: { requests: 2 }, writeLimit: { requests: 1 }, rootUrl: 'https://variable.test/' };
  expect(left.settings).toMatchObject({ ...expected, clientId: 'own' });
  expect(right.settings).toMatchObject({ ...expected, clientId: 'link' });
});

test('each side has its own token, also from a file', () => {
  write('token', 'right-token');
  const yaml = GOOGLES.replace('name: private', 'name: private, refreshToken: left-token').replace(
    'name: work',
    'name: work, refreshTokenFile: token',
  );
  const { left, right } = loadLink({}, yaml).sides;
  expect([left.token?.reveal(), right.token?.reveal()]).toEqual(['left-token', 'right-token']);
  expect(left.settings).not.toHaveProperty('refreshToken');
});

test('a token is named by the variable or the key of the file that sets it', () => {
  const yaml = `
links:
  home:
    left: { provider: service, baseUrl: 'https://service.test', accessToken: a }
    right: { provider: carddav, url: 'https://dav.test', username: ada }
`;
  write('password', 'secret');
  const { left, right } = loadLink({ CARDDAV_PASSWORD_FILE: 'password' }, yaml).sides;
  expect([left.tokenKey, right.tokenKey]).toEqual(['links.home.left.accessToken', 'CARDDAV_PASSWORD_FILE']);
});

test.each([
  ['DIRECTION', 'to-private', 'direction', 'to-left'],
  ['DIRECTION', 'to-work', 'direction', 'to-right'],
  ['CONFLICT_POLICY', 'private', 'conflicts', 'left'],
  ['CONFLICT_POLICY', 'work', 'conflicts', 'right'],
] as const)('%s=%s names a side: %s is %s', (variable, value, key, expected) => {
  expect(loadLink({ [variable]: value }, GOOGLES)[key]).toBe(expected);
});

test.each([
  ['DIRECTION', 'to-google', 'Choose one of both, to-private, to-work.'],
  ['CONFLICT_POLICY', 'google', 'Choose one of newest, ask, private, work.'],
])('%s=%s is refused with the possible values', (variable, value, what) => {
  expect(problemsOf(() => load({ [variable]: value }, GOOGLES))).toEqual(oneProblem(variable, what));
});

test('the winner of a field is named by the sides of the link', () => {
  const top = loadLink({ CONFLICT_POLICY: 'work' }, `${GOOGLES}fields: { title: { winner: private } }\n`);
  expect(top).toMatchObject({ conflicts: 'right', conflictsByField: { title: 'left' } });
  const own = loadLink({}, GOOGLES.replace('home:\n', 'home:\n    fields: { lastName: { winner: work } }\n'));
  expect(own).toMatchObject({ conflicts: 'newest', conflictsByField: { lastName: 'right' } });
  expect(problemsOf(() => load({}, `${GOOGLES}fields: { titel: { winner: work } }\n`))).toEqual(
    oneProblem('fields', '"titel" is not a syncable field'),
  );
});

test('a policy is checked for each link with the sides of that link', () => {
  const yaml = `${REQUIRED_YAML}
conflictPolicy: service
links: { home: , twins: { left: { provider: google }, right: { provider: google } } }
`;
  expect(problemsOf(() => load({}, yaml))).toEqual(
    oneProblem('conflictPolicy', 'Choose one of newest, ask, left, right.'),
  );
});

const side = (left: string, right = '{ provider: service }'): string =>
  `links: { home: { left: ${left}, right: ${right} } }`;
test.each([
  ['links: { home: { left: { provider: google } } }', 'links.home.right', 'is not set'],
  [side('google'), 'links.home.left', 'holds no settings'],
  [side('{ name: a }'), 'links.home.left.provider', 'Choose one of carddav, google, service.'],
  [side('{ provider: outlook }'), 'links.home.left.provider', '"outlook" is not known'],
  [side('{ provider: [google] }'), 'links.home.left.provider', 'is not set'],
  [side('{ provider: google, name: my own }'), 'links.home.left.name', 'is not a name'],
  [side('{ provider: google, name: [a] }'), 'links.home.left.name', 'is not a text'],
  [side('{ provider: google, name: right }'), 'links.home.left.name', 'what something else is called'],
  [side('{ provider: google, name: service }'), 'links.home.left.name', 'what something else is called'],
  [side('{ provider: google, name: Newest }'), 'links.home.left.name', 'has a meaning of its own'],
  [side('{ provider: google, name: a }', '{ provider: google, name: A }'), 'links.home.right.name', 'the left side'],
  [side('{ provider: google, clientld: x }'), 'links.home.left.clientld', 'Did you mean clientId?'],
  [side('{ provider: google, baseUrl: x }'), 'links.home.left.baseUrl', 'is not a setting'],
  [side('{ provider: google, readLimit: 5 }'), 'links.home.left.readLimit', 'is not a rate'],
  [side('{ provider: google, clientSecretFile: no-such }'), 'links.home.left.clientSecretFile', 'ENOENT'],
  ['left: { provider: google }', 'left.provider', 'is not a setting'],
])('%s is a problem of its key', (line, where, what) => {
  // The variable would win over the tested setting.
  const { GOOGLE_CLIENT_SECRET: _, ...env } = REQUIRED;
  const yaml = `google: { clientSecret: s }\n${line}`;
  expect(problemsOf(() => load(env, yaml))).toEqual(oneProblem(where, what));
});

test('a setting missing on both sides is one problem, and a problem of one side does not hide those of the other', () => {
  const yaml = 'links: { home: { left: { provider: google }, right: { provider: google, readLimit: lots } } }';
  expect(placesOf(() => load({}, yaml))).toEqual([
    'GOOGLE_CLIENT_ID',
    'GOOGLE_CLIENT_SECRET',
    'links.home.right.readLimit',
  ]);
});

test('a variable with one token is refused for two sides', () => {
  expect(problemsOf(() => load({ GOOGLE_REFRESH_TOKEN: 'x' }, GOOGLES))).toEqual(
    oneProblem('GOOGLE_REFRESH_TOKEN', '2 sides have the provider google'),
  );
});

test('the place to set an account setting of twin sides is its side, and of other settings a variable', () => {
  const twins = loadLink({}, GOOGLES);
  expect(placeOf(twins, 'right', 'refreshToken')).toBe('links.home.right.refreshToken');
  expect(placeOf(twins, 'right', 'refreshTokenFile')).toBe('links.home.right.refreshTokenFile');
  expect(placeOf(twins, 'right', 'rootUrl')).toBe('GOOGLE_ROOT_URL');
  expect(placeOf(loadLink(REQUIRED), 'right', 'accessToken')).toBe('SERVICE_ACCESS_TOKEN');
});
