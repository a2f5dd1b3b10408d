import { expect, test } from 'vitest';
import { runCli, useGround } from './run-cli.ts';
import { PlansDocument, RunsDocument, StatusDocument } from '../../support/documents.ts';

// One link, starting before its first sync. Each test continues where the previous test ended.
const ground = useGround();
let planned: ReturnType<typeof PlansDocument.parse>;

test('status of a link that never ran is active, needs no token and sends no request', async () => {
  const { code, links } = await ground.read(StatusDocument, 'status');
  expect(code).toBe(0);
  const never = { lastRun: null, lastSuccessAt: null, nextRunAt: null, pausedByHandAt: null, reason: null };
  const cursors = { google: null, service: null };
  expect(links).toMatchObject([
    { link: 'default', state: 'active', pairs: 0, openConflicts: 0, failures: 0, ...never, cursors },
  ]);
  const { GOOGLE_REFRESH_TOKEN: _, SERVICE_ACCESS_TOKEN: __, ...env } = ground.env;
  expect((await runCli(['status'], env, ground.directory)).stdout).toContain('default: not synced yet');
  expect([...ground.sandbox.google.requests, ...ground.sandbox.service.requests]).toEqual([]);
});

test('plan prints one document, or counts for each action and side, and writes nothing', async () => {
  planned = await ground.read(PlansDocument, 'plan');
  expect(planned).toMatchObject({ code: 0, links: [{ link: 'default', kind: 'full', halted: null }] });
  const actions = planned.links[0]?.actions ?? [];
  const creates = actions.filter(({ side, action }) => side === 'google' && action === 'create').length;
  const written = actions.filter(({ action }) => ['create', 'update', 'delete'].includes(action)).length;
  const text = (await ground.run('plan', 'default', '--full')).stdout;
  expect(text).toContain(`default: full, ${written} contacts to write`);
  expect(text).toMatch(new RegExp(String.raw`\nCreations: \d+ \(${creates} at Google, \d+ at the service\)\n`, 'u'));
  const sent = [...ground.sandbox.google.requests, ...ground.sandbox.service.requests];
  expect(sent.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token'))).toEqual([]);
});

test('sync writes as many contacts as the plan counted, with one document on stdout and its log on stderr', async () => {
  const { code, stdout, stderr } = await ground.run('sync', '--json');
  expect(code).toBe(0);
  const actions = planned.links[0]?.actions ?? [];
  const count = (side: string, action: string) => actions.filter((a) => a.side === side && a.action === action).length;
  const counts = (side: string) => ({
    created: count(side, 'create'),
    updated: count(side, 'update'),
    deleted: count(side, 'delete'),
  });
  const ended = { link: 'default', kind: 'full', outcome: 'completed', reason: null, paired: count('google', 'pair') };
  const sides = { google: counts('google'), service: counts('service') };
  expect(RunsDocument.parse(JSON.parse(stdout)).runs).toMatchObject([{ ...ended, ...sides }]);
  const messages = stderr.trim().split('\n');
  expect(messages.map((line) => (JSON.parse(line) as { msg: string }).msg)).toContain('run completed');
});

test('status after a sync shows the run, the pairs and the age of the cursors', async () => {
  const { links } = await ground.read(StatusDocument, 'status');
  const lastRun = { kind: 'full', outcome: 'completed' };
  const cursors = { google: expect.any(String), service: expect.any(String) };
  const pairs = ground.sandbox.google.account.people().length;
  expect(links).toMatchObject([{ state: 'active', lastRun, pairs, cursors }]);
});

test('sync without --json prints its steps as lines, its counts, and no terminal codes', async () => {
  const { code, stdout } = await ground.run('sync', 'default');
  expect(code).toBe(0);
  expect(stdout).toContain('Google: 0 contacts to write');
  expect(stdout).toContain('default: completed (incremental) in ');
  // One line for each step and each row of the summary, whatever the number of contacts.
  expect(stdout.trim().split('\n').length).toBeLessThan(12);
  expect(stdout).not.toContain('\u001B');
});

test.each([
  ['resync --wait', true],
  ['sync --full', false],
])('%s reads both sides in full again, and finds nothing to repair', async (command, warns) => {
  const { code, stdout, stderr } = await ground.run(...command.split(' '), '--json');
  expect([code, stderr.includes('runs in this process')]).toEqual([0, warns]);
  const [summary] = RunsDocument.parse(JSON.parse(stdout)).runs;
  expect(summary).toMatchObject({ kind: 'full', google: { created: 0, updated: 0, deleted: 0 } });
});
