import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { splitBook } from '../../../src/sandbox/people/overlap.ts';
import { samplePeople } from '../../../src/sandbox/people/sample.ts';
import { startTwoGoogles } from '../../support/two-googles.ts';
import { runCli } from './run-cli.ts';

// Each command is a separate process.
// A link between two accounts of one provider: documents, log and text use the configured names of its sides.
const LIMIT = '60000/minute';
let googles: Awaited<ReturnType<typeof startTwoGoogles>>;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'contact-sync-cli-'));
  const googleQuotas = { readsPerMinute: 60_000, writesPerMinute: 60_000 };
  googles = await startTwoGoogles(splitBook(samplePeople(20), 1), googleQuotas);
  const settings = { dataDir: 'data', links: { default: googles.sides } };
  await writeFile(join(directory, 'contact-sync.yaml'), stringify(settings), { mode: 0o600 });
});
afterAll(async () => {
  await googles[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

const run = (...args: readonly string[]) =>
  runCli(
    [...args, '--config', 'contact-sync.yaml'],
    { GOOGLE_READ_LIMIT: LIMIT, GOOGLE_WRITE_LIMIT: LIMIT },
    directory,
  );

test('a plan contains the names of the sides, and the ids of each side under its name', async () => {
  const { code, stdout } = await run('plan', '--json');
  expect(code).toBe(0);
  const { links } = JSON.parse(stdout) as { links: [{ actions: Record<string, unknown>[] }] };
  const creates = links[0].actions.filter(({ action }) => action === 'create');
  expect(new Set(creates.map(({ side }) => side))).toEqual(new Set(['private', 'work']));
  expect(new Set(creates.map((create) => Object.keys(create).join()))).toEqual(
    new Set(['side,action,privateId,workId,fields,name,changes,why']),
  );
  expect((await run('plan')).stdout).toMatch(
    /^Creations: \d+ \(\d+ at Google \(private\), \d+ at Google \(work\)\)$/mu,
  );
});

test('a run has counts by the names of the sides, in its document and in the log', async () => {
  const { code, stdout, stderr } = await run('sync', '--json');
  expect(code).toBe(0);
  const [summary] = (JSON.parse(stdout) as { runs: Record<string, unknown>[] }).runs;
  expect(Object.keys(summary ?? {}).slice(4, 8)).toEqual(['reason', 'private', 'work', 'paired']);
  expect(summary).toMatchObject({ outcome: 'completed', private: { deleted: 0 }, work: { deleted: 0 } });
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.find(({ msg }) => msg === 'run completed')).toMatchObject({
    private: summary?.['private'],
    work: summary?.['work'],
  });
  expect(stdout + stderr).not.toMatch(/"(?:left|right)/u);
  expect(googles.accounts.left.people()).toHaveLength(googles.accounts.right.people().length);
});

test('a run without changes and status use the names of the sides', async () => {
  const sync = await run('sync');
  expect(sync.stdout).toContain('Google (private): 0 contacts to write\nGoogle (work): 0 contacts to write\n');
  const { links } = JSON.parse((await run('status', '--json')).stdout) as { links: [{ cursors: object }] };
  expect(links[0].cursors).toEqual({ private: expect.any(String), work: expect.any(String) });
  expect((await run('status')).stdout).toContain('Google (private) just now, Google (work) just now');
});

test('a conflict has both values and both ids under the names of the sides', async () => {
  const find = (side: 'left' | 'right', email: string) =>
    googles.accounts[side].people().find((person) => person.emailAddresses?.some(({ value }) => value === email));
  const emails = googles.accounts.left
    .people()
    .flatMap(({ emailAddresses = [] }) => emailAddresses.flatMap(({ value }) => value ?? []));
  const email = emails.find((one) => find('right', one) !== undefined) ?? '';
  const [ours, theirs] = [find('left', email)?.resourceName ?? '', find('right', email)?.resourceName ?? ''];
  googles.accounts.left.updatePerson(ours, { organizations: [{ title: 'At home' }] });
  googles.accounts.right.updatePerson(theirs, { organizations: [{ title: 'At work' }] });
  expect((await run('sync')).code).toBe(0);
  const { links } = JSON.parse((await run('conflicts', '--json')).stdout) as { links: [{ conflicts: object[] }] };
  const conflict = links[0].conflicts.at(-1);
  expect(conflict).toMatchObject({
    privateId: ours,
    workId: theirs,
    field: 'title',
    private: 'At home',
    work: 'At work',
    winner: expect.stringMatching(/^(?:private|work)$/u),
  });
  const [person] = (JSON.parse((await run('explain', ours, '--json')).stdout) as { contacts: object[] }).contacts;
  expect(person).toMatchObject({
    privateId: ours,
    workId: theirs,
    now: { private: { id: ours }, work: { id: theirs } },
  });
  expect((await run('explain', ours)).stdout).toMatch(/changed on both sides; Google \((?:private|work)\) won/u);
});
