import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { foldText } from '../../../src/core/contact/names.ts';
import { googleId, serviceId } from '../../support/linked-people.ts';
import { MAIN, processEnv } from '../../support/program.ts';
import { Failed, runCli, useGround, withStore, type Ended } from './run-cli.ts';
import { ConflictsDocument, HistoryDocument, PlansDocument, StatusDocument } from '../../support/documents.ts';

const DELETED = 14;

// One link with 60 synced contacts, of which 14 were deleted. Each test continues where the previous test ended.
const ground = useGround({ count: 60 });
let deletedNames: readonly string[];

const inOrder = (names: readonly (string | null | undefined)[]): readonly string[] => names.map(String).toSorted();

const run = (...args: readonly string[]): Promise<Ended> => ground.run(...args);

beforeAll(async () => {
  expect((await run('sync')).code).toBe(0);
  const { account } = ground.sandbox.google;
  const people = account.people().slice(0, DELETED);
  deletedNames = people.map(({ names, organizations }) => {
    const { givenName = '', familyName = '' } = names?.[0] ?? {};
    return `${givenName} ${familyName}`.normalize('NFC').trim() || (organizations?.[0]?.name ?? '');
  });
  for (const { resourceName } of people) account.deletePerson(resourceName ?? '');
});

test('[R8] the plan of a halted run lists the contacts that it would delete', async () => {
  const { code, stdout } = await run('plan');
  expect(code).toBe(3);
  const [title = '', section = '', ...lines] = stdout.split('\n').filter((line) => !line.startsWith('  about '));
  expect(title).toMatch(/^default: incremental, 14 contacts to write, would halt: too-many-deletes$/u);
  expect(section).toBe(`Deletions: ${DELETED} (${DELETED} at the service)`);
  const named = lines.flatMap((line) => /^ {2}(\S.*) \(Google -> Service\): deleted at Google$/u.exec(line)?.[1] ?? []);
  expect(named.map((name) => foldText(name))).toEqual(named.map((name) => foldText(name)).toSorted());
  expect(inOrder(named)).toEqual(inOrder(deletedNames));
});

test('the document of a plan contains the names and the deleted values', async () => {
  const planned = (await ground.read(PlansDocument, 'plan')).links[0]?.actions ?? [];
  const actions = planned.filter(({ action }) => action === 'delete');
  expect(inOrder(actions.map(({ name }) => name))).toEqual(inOrder(deletedNames));
  expect(new Set(actions.map(({ action, why }) => `${action}: ${why}`))).toEqual(
    new Set(['delete: deleted at Google']),
  );
  expect(actions.every(({ changes }) => changes.length > 0 && changes.every(({ to }) => to === ''))).toBe(true);
});

const history = async (...args: readonly string[]) => (await ground.read(HistoryDocument, 'runs', ...args)).runs;

test('runs are listed with their writes, the newest first', async () => {
  expect((await run('sync')).code).toBe(3);
  expect((await run('sync', '--accept-deletes')).code).toBe(0);
  const runs = await history();
  const service = { created: 0, updated: 0, deleted: DELETED, groupsChanged: 0, groupsDeleted: 0 };
  expect(runs).toMatchObject([
    { kind: 'incremental', outcome: 'completed', service },
    { kind: 'incremental', outcome: 'halted' },
    { kind: 'full', outcome: 'completed' },
  ]);
  const [, , last, halted] = (await run('runs', 'default')).stdout.split('\n');
  expect(last).toMatch(/^ {2}[0-9a-f]{8} .* incremental +completed +\S+ \S+ +Service: 14 deleted$/u);
  expect(halted).toMatch(/ halted .* nothing$/u);
});

test('a run is shown with names and values, in text and as a document', async () => {
  const [last] = await history('last');
  expect(inOrder(last?.writes?.map(({ name }) => name) ?? [])).toEqual(inOrder(deletedNames));
  expect(last?.writes?.every(({ changes, state }) => state === 'done' && changes.length > 0)).toBe(true);
  const { stdout } = await run('runs', last?.run.slice(0, 8) ?? '');
  expect(stdout).toContain(`Deletions: ${DELETED} (${DELETED} at the service)`);
  for (const name of deletedNames) expect(stdout).toContain(`  ${name} (Google -> Service): deleted at Google`);
});

test.each([
  ['runs unknown', 'There is no run unknown'],
  ['undo latest', 'contact-sync -- undo last` undoes the last one'],
  ['conflicts resolve 99999 --take google', 'There is no conflict 99999 to decide.'],
  ['conflicts resolve 1', "required option '--take <SIDE>' not specified"],
  ['conflicts resolve 1 --take outlook', 'Its sides are google and service'],
])('%s is refused with the choices', async (command, message) => {
  const { code, stderr } = await run(...command.split(' '));
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

const undoOnTerminal = async (answer: string, ...options: readonly string[]): Promise<string> => {
  const command = [`'${process.execPath}' '${MAIN}' undo last`, ...options].join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: ground.directory,
    env: processEnv({ ...ground.env, TERM: 'dumb' }),
  });
  const exited = once(child, 'exit');
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const wasAsked = printed.includes('(y/N)');
    printed += text;
    if (!wasAsked && printed.includes('(y/N)')) child.stdin.write(`${answer}\n`);
  });
  await exited;
  return printed.replaceAll('\r', '');
};

const hasScript = spawnSync('script', ['--version']).stdout?.toString().includes('util-linux') ?? false;

test.skipIf(!hasScript)('an undo in a terminal asks before it deletes, and names the contacts', async () => {
  const { google, service } = ground.sandbox;
  google.account.createPerson({ names: [{ givenName: 'Zoë', familyName: 'New' }] });
  expect((await run('sync')).code).toBe(0);
  const isThere = () => service.account.contacts().some(({ first_name: name }) => name === 'Zoë');
  expect(isThere()).toBe(true);
  const refused = await undoOnTerminal('n');
  expect(refused).toContain('  Zoë New at the service');
  expect(refused).toMatch(/Delete 1 contact\? \(y\/N\).*Nothing was changed\./su);
  expect(isThere()).toBe(true);
  expect(await undoOnTerminal('y')).toContain(': completed, 1 change');
  expect(isThere()).toBe(false);
});

test('an undo that deletes contacts requires --yes in a script, and prints the command that confirms it', async () => {
  const { google, service } = ground.sandbox;
  google.account.createPerson({ names: [{ givenName: 'Yan', familyName: 'New' }] });
  expect((await run('sync')).code).toBe(0);
  const isThere = () => service.account.contacts().some(({ first_name: name }) => name === 'Yan');
  const refused = await run('undo', 'last');
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain('This undo deletes 1 contact: Yan New at the service. Nothing was changed.');
  const [, command = ''] = /run: .*contact-sync -- (undo \S+ default --yes)$/mu.exec(refused.stderr) ?? [];
  const error = expect.stringContaining('--yes');
  expect(await ground.read(Failed, 'undo', 'last')).toEqual({ code: 2, undo: null, error });
  expect(isThere()).toBe(true);
  const { code, stdout } = await run(...command.split(' '));
  expect([code, stdout]).toEqual([0, expect.stringContaining('  Yan New at the service')]);
  expect(isThere()).toBe(false);
});

test('a contact that an undo leaves on one side is in the status, and undoing the undo links it again', async () => {
  const unpaired = async () => (await ground.read(StatusDocument, 'status')).links[0]?.unpaired;
  const [undo] = await history('last');
  const alone = { name: 'Yan New', side: 'google', serviceId: null, undoRun: undo?.run };
  expect(await unpaired()).toContainEqual(expect.objectContaining(alone));
  expect((await run('undo', 'last')).code).toBe(0);
  expect(JSON.stringify(await unpaired())).not.toContain('Yan New');
});

const conflicts = async (...args: readonly string[]) =>
  (await ground.read(ConflictsDocument, 'conflicts', ...args)).links[0]?.conflicts ?? [];

const dispute = async (google: string, service: string, variables: Record<string, string> = {}): Promise<void> => {
  const { google: left, service: right } = ground.sandbox;
  left.account.updatePerson(googleId(ground, 'Yan'), { organizations: [{ title: google }] });
  right.account.updateContact(serviceId(ground, 'Yan'), { title: service });
  expect((await runCli(['sync'], { ...ground.env, ...variables }, ground.directory)).code).toBe(0);
};

const titles = ({ google, service } = ground.sandbox) => [
  google.account.person(googleId(ground, 'Yan'))?.organizations?.[0]?.title,
  service.account.contact(serviceId(ground, 'Yan'))?.title,
];

/** Both edits are made at once, and the service stores only seconds. A second may still end between them. */
const BY_TIME = '(?:edited in the same second; Google won by default|the newer edit wins)';

test('a conflict is listed with the name, both values, the winner, the reason and the times of both edits', async () => {
  await dispute('Baker', 'Brewer');
  const found = (await conflicts()).find(({ name }) => name === 'Yan New');
  const why = expect.stringMatching(new RegExp(`^${BY_TIME}$`, 'u'));
  expect(found).toMatchObject({ field: 'title', google: 'Baker', service: 'Brewer', state: 'settled', why });
  const row = String.raw`Yan New +title +Baker +Brewer +\w+: ${BY_TIME} +settled .*( +[\d-]{10} \d\d:\d\d:\d\d){2}$`;
  const { stdout } = await run('conflicts');
  expect(stdout).toMatch(new RegExp(`^ *${found?.id} +${row}`, 'mu'));
});

test('the next run writes the chosen value of a conflict', async () => {
  const found = (await conflicts()).find(({ name }) => name === 'Yan New');
  const other = found?.winner === 'google' ? 'service' : 'google';
  const taken = await run('conflicts', 'resolve', String(found?.id), '--take', other);
  expect(taken).toMatchObject({ code: 0, stdout: expect.stringContaining('1 conflict decided.') });
  const decided = { state: 'settled', winner: other, why: 'chosen by hand' };
  expect((await conflicts()).find(({ id }) => id === found?.id)).toMatchObject(decided);
  const chosen = /^  Yan New.*: the value of .* was chosen by hand\n    title: /mu;
  expect((await run('plan')).stdout).toMatch(chosen);
  expect((await run('sync')).code).toBe(0);
  expect((await run('runs', 'last')).stdout).toMatch(chosen);
  const value = other === 'google' ? 'Baker' : 'Brewer';
  expect(titles()).toEqual([value, value]);
  expect((await conflicts()).some(({ id }) => id === found?.id)).toBe(false);
  const ended = /Not listed: \d+ conflicts? that ha(?:s|ve) ended\. Add --all/u;
  expect((await run('conflicts')).stdout).toMatch(ended);
  expect((await run('conflicts', '--all')).stdout).not.toMatch(ended);
  expect((await conflicts('--all')).find(({ id }) => id === found?.id)).toMatchObject(decided);
});

test('an option of `conflicts` is no option of `conflicts resolve`, which prints no JSON document', async () => {
  const { code, stdout } = await run('conflicts', 'resolve', 'all', '--take', 'google', '--json');
  expect([code, JSON.parse(stdout)]).toEqual([2, { error: "unknown option '--json'" }]);
});

test('all open conflicts of a link are decided at once, and settled ones stay as they are', async () => {
  const settled = (await conflicts()).map(({ id }) => id);
  await dispute('Clerk', 'Judge', { CONFLICT_POLICY: 'ask' });
  expect(titles()).toEqual(['Clerk', 'Judge']);
  const [open, ...others] = (await conflicts()).filter(({ state }) => state === 'open');
  expect([open?.name, others]).toEqual(['Yan New', []]);
  expect((await run('conflicts', 'resolve', 'all', 'default', '--take', 'google')).stdout).toMatch(
    /^1 conflict decided\. The next run writes the chosen value: /u,
  );
  expect(await ground.read(StatusDocument, 'status')).toMatchObject({ links: [{ openConflicts: 0 }] });
  expect((await run('sync')).code).toBe(0);
  expect(titles()).toEqual(['Clerk', 'Clerk']);
  expect((await conflicts()).map(({ id }) => id)).toEqual(settled);
});

test('a side that another link does not write to does not prevent a decision', async () => {
  const dataDir = join(ground.directory, 'two-links');
  const file = join(ground.directory, 'two-links.yaml');
  const links = { home: {}, mirror: { direction: 'to-service' } };
  writeFileSync(file, JSON.stringify({ dataDir, links }), { mode: 0o600 });
  const { DATA_DIR: _, SERVICE_ACCESS_TOKEN: __, GOOGLE_REFRESH_TOKEN: ___, ...env } = ground.env;
  const cli = (...args: readonly string[]) => runCli([...args, '--config', file], env, ground.directory);
  expect(await cli('status')).toMatchObject({ code: 0, stderr: '' });
  const conflict = { field: 'title', left: 'Baker', right: 'Brewer', winner: 'left' } as const;
  const ids = { leftId: 'people/c1', rightId: 'contact_1' };
  const [row] = await withStore({ DATA_DIR: dataDir }, async (store) => {
    const token = (await store.acquireLease('home', 'test', 0, 1)) ?? 0;
    await store.commit('home', token, [{ kind: 'conflict', run: 'r', ...ids, conflict, atMs: 1 }]);
    return store.conflicts('home', { all: false });
  });
  const resolved = await cli('conflicts', 'resolve', String(row?.id), '--take', 'service');
  expect(resolved).toMatchObject({ code: 0, stdout: expect.stringContaining('1 conflict decided.'), stderr: '' });
});
