import { beforeAll, expect, test } from 'vitest';
import { DuplicatesDocument, MergeDocument } from '../../../config/documents.ts';
import { EMPTY_PERSON } from '../../../src/sandbox/people/person.ts';
import { useGround, type Ended } from './run-cli.ts';

// Each command is a separate process.
const labelled = (...texts: readonly string[]) => texts.map((value) => ({ value, label: null }));
const ADA = { ...EMPTY_PERSON, givenName: 'Ada', familyName: 'King', emails: labelled('ada@x.org') };
const PEOPLE = [
  { ...ADA, title: 'Countess' },
  { ...ADA, emails: labelled('ada@x.org', 'king@x.org') },
];

// One link where Ada exists twice on both sides. Each test continues where the previous test ended.
const ground = useGround({ google: PEOPLE, service: PEOPLE });
const run = (...args: readonly string[]): Promise<Ended> => ground.run(...args);

const groups = async () =>
  DuplicatesDocument.parse(JSON.parse((await run('duplicates', '--json')).stdout)).links[0]?.groups;
const groupAt = async (side: 'google' | 'service') => (await groups())?.find((group) => group.side === side)?.id ?? '';

beforeAll(async () => {
  expect((await run('sync')).code).toBe(0);
});

test('duplicates are listed with names and reasons, both in text and in JSON', async () => {
  const { code, stdout } = await run('duplicates');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^default: 2 groups\nLikely duplicates at Google: 1\n {2}[0-9a-f]{8}, both have ada@x\.org\n {4}Ada King \(people\//u,
  );
  expect(await groups()).toMatchObject([
    { side: 'google', contacts: [{ name: 'Ada King', linked: true }, { linked: true }], why: ['both have ada@x.org'] },
    { side: 'service' },
  ]);
});

test('a misspelled subcommand is recognized', async () => {
  const { code, stderr } = await run('duplicates', 'mrege');
  expect([code, stderr]).toEqual([2, expect.stringMatching(/no link named mrege.*duplicates merge\?/u)]);
});

test('nothing is merged without confirmation, or if the group or the target differs', async () => {
  const group = await groupAt('google');
  expect(await run('duplicates', 'merge', group)).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect(await run('duplicates', 'merge', 'ffffffff', '--yes')).toMatchObject({ code: 2 });
  expect(await run('duplicates', 'merge', group, '--into', 'people/c1', '--yes')).toMatchObject({ code: 2 });
  const { code, stdout } = await run('duplicates', 'merge', group, '--dry-run');
  expect(code).toBe(0);
  expect(stdout).toMatch(/Deletions: 1 .*\n {2}Ada King at Google: merged into another contact at Google/u);
  expect(stdout).toContain(': planned');
  expect(ground.sandbox.google.account.people()).toHaveLength(2);
});

test('a group is merged at its side, and the next run merges its counterparts', async () => {
  const group = await groupAt('google');
  const { code, stdout } = await run('duplicates', 'merge', group, '--yes', '--json');
  expect(code).toBe(0);
  const { merge } = MergeDocument.parse(JSON.parse(stdout));
  expect(merge).toMatchObject({ group, outcome: 'completed', side: 'google', reason: null });
  expect(merge?.merged).toHaveLength(1);
  expect(ground.sandbox.google.account.people()).toHaveLength(1);
  expect(ground.sandbox.service.account.contacts()).toHaveLength(2);
  expect((await run('sync')).code).toBe(0);
  expect(ground.sandbox.service.account.contacts()).toMatchObject([{ title: 'Countess' }]);
  expect((await run('duplicates')).stdout).toBe('default: no duplicates\n');
});
