import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { splitBook } from '../../../src/sandbox/people/overlap.ts';
import { samplePeople } from '../../../src/sandbox/people/sample.ts';
import { createFolder } from '../../support/folder.ts';
import { FAST_SANDBOX } from '../../support/linked-sandbox.ts';
import { startTwoGoogles } from '../../support/two-googles.ts';
import { runCli } from './run-cli.ts';

// A link between two accounts of one provider: documents, log and text use the configured names of its sides.
const folder = await createFolder();
const directory = folder.path;
let googles: Awaited<ReturnType<typeof startTwoGoogles>>;

beforeAll(async () => {
  googles = await startTwoGoogles(splitBook(samplePeople(20), 1), FAST_SANDBOX.googleQuotas);
  const settings = { dataDir: 'data', links: { default: googles.sides } };
  await writeFile(join(directory, 'contact-sync.yaml'), stringify(settings), { mode: 0o600 });
});
afterAll(async () => {
  await googles[Symbol.asyncDispose]();
  await folder.remove();
});

const LIMITS = { GOOGLE_READ_LIMIT: '60000/minute', GOOGLE_WRITE_LIMIT: '60000/minute' };

const run = (...args: readonly string[]) => runCli([...args, '--config', 'contact-sync.yaml'], LIMITS, directory);

const documentOf = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect([code, `${stdout}${stderr}`]).toEqual([0, expect.not.stringMatching(/"(?:left|right)/u)]);
  const [rows = []] = Object.values(JSON.parse(stdout) as Record<string, Record<string, unknown>[]>);
  return { row: rows[0] ?? {}, stderr };
};
const textOf = async (...args: readonly string[]): Promise<string> => (await run(...args)).stdout;

test('a plan, a run and the status have ids and counts under the names of the sides, in the document, the text and the log', async () => {
  const actions = (await documentOf('plan')).row['actions'] as Record<string, unknown>[];
  const creates = actions.filter(({ action }) => action === 'create');
  expect(new Set(creates.map(({ side }) => side))).toEqual(new Set(['private', 'work']));
  const keys = 'side,action,privateId,workId,fields,name,changes,why';
  expect(new Set(creates.map((create) => Object.keys(create).join()))).toEqual(new Set([keys]));
  const creations = /^Creations: \d+ \(\d+ at Google \(private\), \d+ at Google \(work\)\)$/mu;
  expect(await textOf('plan')).toMatch(creations);

  const { row, stderr } = await documentOf('sync');
  expect(Object.keys(row).slice(4, 8)).toEqual(['reason', 'private', 'work', 'paired']);
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const logged = lines.find(({ msg }) => msg === 'run completed');
  expect(logged).toMatchObject({ private: row['private'], work: row['work'] });
  expect(googles.accounts.left.people()).toHaveLength(googles.accounts.right.people().length);

  const idle = 'Google (private): 0 contacts to write\nGoogle (work): 0 contacts to write\n';
  expect(await textOf('sync')).toContain(idle);
  const cursors = { private: expect.any(String), work: expect.any(String) };
  expect((await documentOf('status')).row['cursors']).toEqual(cursors);
  expect(await textOf('status')).toContain('Google (private) just now, Google (work) just now');
});

test('a conflict has both values and both ids under the names of the sides', async () => {
  const { left, right } = googles.accounts;
  const emailOf = ({ emailAddresses = [] }: ReturnType<typeof left.people>[number]) => emailAddresses[0]?.value;
  const ours = left
    .people()
    .find((one) => right.people().some((other) => emailOf(one) && emailOf(one) === emailOf(other)));
  const theirs = right.people().find((other) => emailOf(other) === (ours && emailOf(ours)));
  const [privateId, workId] = [ours?.resourceName ?? '', theirs?.resourceName ?? ''];
  left.updatePerson(privateId, { organizations: [{ title: 'At home' }] });
  right.updatePerson(workId, { organizations: [{ title: 'At work' }] });
  await documentOf('sync');
  const { conflicts } = (await documentOf('conflicts')).row;
  const winner = expect.stringMatching(/^(?:private|work)$/u);
  const values = { field: 'title', private: 'At home', work: 'At work', winner };
  expect(conflicts).toContainEqual(expect.objectContaining({ privateId, workId, ...values }));
  const now = { private: { id: privateId }, work: { id: workId } };
  expect((await documentOf('explain', privateId)).row).toMatchObject({ privateId, workId, now });
  expect(await textOf('explain', privateId)).toMatch(/changed on both sides; Google \((?:private|work)\) won/u);
});
