import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PlansDocument } from './documents.ts';
import { startGround, type Ended, type Ground } from './run-cli.ts';

// Each command is a process of its own.
vi.setConfig({ testTimeout: 90_000 });

const DELETED = 14;

// One link of 60 people in step, where a person deleted 14 of them: each test goes on where the one above it ended.
let ground: Ground;
let gone: readonly string[];

/** The names in an order that does not depend on a plan's. */
const inOrder = (names: readonly (string | null | undefined)[]): readonly string[] => names.map(String).toSorted();

const run = (...args: readonly string[]): Promise<Ended> => ground.run(...args);

beforeAll(async () => {
  ground = await startGround({ count: 60 });
  expect((await run('sync')).code).toBe(0);
  const { account } = ground.sandbox.google;
  const people = account.people().slice(0, DELETED);
  gone = people.map(({ names, organizations }) => {
    const { givenName = '', familyName = '' } = names?.[0] ?? {};
    return `${givenName} ${familyName}`.trim() || (organizations?.[0]?.name ?? '');
  });
  for (const { resourceName } of people) account.deletePerson(resourceName ?? '');
});
afterAll(() => ground[Symbol.asyncDispose]());

test('[R8] the plan of a halted run names whom it would delete', async () => {
  const { code, stdout } = await run('plan');
  expect(code).toBe(3);
  const [title = '', section = '', ...lines] = stdout.split('\n').filter((line) => !line.startsWith('  takes'));
  expect(title).toMatch(/^default: incremental, \d+ actions, would halt: too-many-deletes$/u);
  expect(section).toBe(`Deletions: ${DELETED} (${DELETED} at the service)`);
  const named = lines.slice(0, DELETED).map((line) => line.split(' at the service, deleted at Google')[0]?.trim());
  expect(inOrder(named)).toEqual(inOrder(gone));
});

test('the document of a plan has the names, what goes, and what was asked for', async () => {
  const { stdout } = await run('plan', '--only', 'deletes', '--json');
  const actions = PlansDocument.parse(JSON.parse(stdout)).links[0]?.actions ?? [];
  expect(inOrder(actions.map(({ name }) => name))).toEqual(inOrder(gone));
  expect(new Set(actions.map(({ action, why }) => `${action}: ${why}`))).toEqual(
    new Set(['delete: deleted at Google']),
  );
  expect(actions.every(({ changes }) => changes.length > 0 && changes.every(({ to }) => to === ''))).toBe(true);
  const first = gone[0] ?? '';
  const found = PlansDocument.parse(JSON.parse((await run('plan', '--grep', first.toUpperCase(), '--json')).stdout));
  expect(found.links[0]?.actions.map(({ name }) => name)).toContain(first);
  expect(found.links[0]?.actions.length).toBeLessThan(DELETED);
});
