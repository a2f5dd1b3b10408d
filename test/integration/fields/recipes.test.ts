import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { RunKind } from '../../../src/core/state/rows.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { startTwoGoogles } from '../../support/two-googles.ts';
import { createMovableClock } from '../../support/clocks.ts';
import { FAST_LIMITS, FAST_SANDBOX, openProgram } from '../../support/linked-sandbox.ts';
import { person } from '../../support/linked-people.ts';
import { createFolder } from '../../support/folder.ts';

const DOCS = readFileSync(join(import.meta.dirname, '../../../config/README.md'), 'utf8');
const SECTION = /^## Recipes\n(?<recipes>.*?)(?=^## |(?![^]))/msu.exec(DOCS)?.groups?.['recipes'] ?? '';

const RECIPES = new Map(
  [...SECTION.matchAll(/^(?<what>[^\n](?:(?!\n\n).)*)\n\n```yaml\n(?<yaml>.*?)```/gmsu)].map(({ groups }) => {
    return [groups?.['what'] ?? '', parse(groups?.['yaml'] ?? '') as Record<string, object>] as const;
  }),
);

const recipe = (begin: string): Record<string, object> => {
  const found = [...RECIPES].find(([what]) => what.startsWith(begin));
  if (found === undefined) throw new Error(`config/README.md has no recipe that begins "${begin}".`);
  return found[1];
};

const withSettings = async (settings: object, variables: Readonly<Record<string, string>> = {}) => {
  await using stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await createFolder());
  const configPath = join(directory, 'contact-sync.yaml');
  await writeFile(configPath, stringify(settings), { mode: 0o600 });
  const clock = createMovableClock();
  const env = { ...variables, ...FAST_LIMITS, DATA_DIR: directory };
  const program = stack.use(openProgram({ env, cwd: directory, config: configPath }, { clock }));
  const owned = stack.move();
  return {
    link: program.link,
    sync: async (kind: RunKind = 'incremental') => {
      await program.synced({ kind });
      clock.advance(60_000);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};

/** Ada and Ben at Google, and a program that syncs them by a recipe with an empty service. */
const startRecipe = async (begin: string) => {
  await using stack = new AsyncDisposableStack();
  const people = { google: [person('Ada'), person('Ben')], service: [] };
  const sandbox = stack.use(await startSandbox({ ...FAST_SANDBOX, ...people }));
  const program = stack.use(await withSettings(recipe(begin), sandbox.environment()));
  const owned = stack.move();
  const { google, service } = sandbox;
  return {
    google: google.account,
    service: service.account,
    sync: program.sync,
    atGoogle: (name: string) => google.account.people().find(({ names }) => names?.[0]?.givenName === name) ?? {},
    atService: (name: string) => {
      const found = service.account.contacts().find((each) => each.first_name === name);
      return found ?? expect.fail(`The service has nobody called ${name}.`);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};

test('config/README.md has these recipes, and each is tested below', () => {
  expect([...RECIPES.keys()].map((what) => what.split(/[:.]/u)[0]?.replaceAll('\n', ' '))).toEqual([
    'Only clients',
    'My phone shows the day of the last contact and the reminder interval',
    "The service's title wins if both sides changed it",
    'Two Google accounts',
    'Google contacts and an address book at Fastmail',
    'Notes and birthdays too',
  ]);
});

test('only clients', async () => {
  await using world = await startRecipe('Only clients');
  const { google, service, atGoogle } = world;
  const label = google.createGroup('Clients');
  google.setGroups(atGoogle('Ada').resourceName ?? '', ['contactGroups/myContacts', label]);
  await world.sync();
  expect(service.contacts().map(({ first_name: name }) => name)).toEqual(['Ada']);
});

test('my phone shows last contacted', async () => {
  await using world = await startRecipe('My phone');
  await world.sync();
  const ada = world.atService('Ada');
  world.service.addToBuckets(ada.id, [world.service.createBucket({ name: 'Friends', reminderInterval: 30 }).id]);
  world.service.compute(ada.id, { lastContactedAtMs: Date.parse('2026-01-31T12:00:00Z') });
  await world.sync('full');
  expect(world.atGoogle('Ada').userDefined).toMatchObject([
    { key: 'Last contacted', value: '2026-01-31' },
    { key: 'Reminder interval', value: '30' },
  ]);
});

test("the service's title wins", async () => {
  await using world = await startRecipe("The service's title");
  await world.sync();
  world.service.updateContact(world.atService('Ada').id, { title: 'Countess' });
  world.google.updatePerson(world.atGoogle('Ada').resourceName ?? '', { organizations: [{ title: 'Newer' }] });
  await world.sync();
  const titles = [world.atGoogle('Ada').organizations?.[0]?.title, world.atService('Ada').title];
  expect(titles).toEqual(['Countess', 'Countess']);
});

test('notes and birthdays', async () => {
  await using world = await startRecipe('Notes and birthdays');
  const { google, service } = world;
  const ids = ['Notes', 'Birthday'].map((name) => service.customFields.define(name).id);
  const values = ids.map((id) => ({ field: { id }, value: '1970-01-01' }));
  service.createContact({ first_name: 'Zoe', last_name: 'Tester', custom_field_values: values });
  google.updatePerson(world.atGoogle('Ada').resourceName ?? '', {
    birthdays: [{ date: { year: 1980, month: 5, day: 17 } }],
    biographies: [{ value: 'Met in Lyon', contentType: 'TEXT_PLAIN' }],
  });
  await world.sync();
  const held = world.atService('Ada').customFields.map(({ value }) => value);
  expect(new Set(held)).toEqual(new Set(['1980-05-17', 'Met in Lyon']));
});

test('two Google accounts', async () => {
  const settings = recipe('Two Google accounts');
  const people = { left: [person('Ada')], right: [person('Ben')] };
  await using googles = await startTwoGoogles(people, FAST_SANDBOX.googleQuotas);
  const { left, right } = googles.sides;
  const home = (settings['links'] as Record<string, Record<string, object>>)['home'] ?? {};
  const link = { ...home, left: { ...left, ...home['left'] }, right: { ...right, ...home['right'] } };
  await using program = await withSettings({ ...settings, links: { home: link } });
  await program.sync();
  const namesAt = (side: 'left' | 'right') =>
    new Set(googles.accounts[side].people().map(({ names }) => names?.[0]?.givenName));
  expect([namesAt('left'), namesAt('right')]).toEqual([new Set(['Ada']), new Set(['Ada', 'Ben'])]);
});

test('an address book at Fastmail', async () => {
  const signIn = { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret', CARDDAV_PASSWORD: 'password' };
  await using program = await withSettings(recipe('Google contacts and an address book'), signIn);
  expect(program.link.sides).toMatchObject({ left: { name: 'google' }, right: { name: 'carddav' } });
});
