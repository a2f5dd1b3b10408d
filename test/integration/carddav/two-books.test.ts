import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listConflicts } from '../../../src/engine/history/conflicts.ts';
import { cardNamed } from '../../unit/providers/carddav/support.ts';
import { createMovableClock } from '../../support/clocks.ts';
import { startFakeServer } from '../../support/carddav/fake-server.ts';
import { openProgram } from '../../support/linked-sandbox.ts';

type Side = { readonly url: string; readonly addressbook?: string; readonly password?: string };

/** Writes the configuration of a link between two address books. */
const configured = async (left: Side, right: Side) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'contact-sync-books-'));
  const configPath = join(dataDir, 'contact-sync.yaml');
  const side = (name: string, own: Side) => ({
    provider: 'carddav',
    name,
    username: 'ada',
    password: 'secret',
    rateLimit: '60000/minute',
    ...own,
  });
  const links = { home: { left: side('one', left), right: side('two', right) } };
  await writeFile(configPath, JSON.stringify({ links }), { mode: 0o600 });
  return {
    options: { env: { DATA_DIR: dataDir }, cwd: dataDir, config: configPath },
    [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true, force: true }),
  };
};

test('two servers with the same password are linked', async () => {
  await using left = await startFakeServer();
  await using right = await startFakeServer();
  await using config = await configured({ url: left.url }, { url: right.url });
  await using program = openProgram(config.options, { clock: createMovableClock(1_000) });
  left.put('a.vcf', cardNamed('Ann'));
  right.put('b.vcf', cardNamed('Bea'));
  expect(await program.synced()).toMatchObject({ left: { created: 1 }, right: { created: 1 } });
});

test('a plan counts a request for each card that is created, because no request creates several', async () => {
  await using left = await startFakeServer();
  await using right = await startFakeServer();
  await using config = await configured({ url: left.url }, { url: right.url });
  await using program = openProgram(config.options, { clock: createMovableClock(1_000) });
  for (let index = 0; index < 60; index += 1) left.put(`${index}.vcf`, cardNamed(`Ann ${index}`));
  const { estimate } = await program.plan();
  await program.synced();
  expect(right.requests.filter(({ method }) => method === 'PUT')).toHaveLength(60);
  expect(estimate.requests).toEqual({ left: 0, right: 60 });
});

test('R4: a conflict between cards without times is not said to be won by the newer edit', async () => {
  await using left = await startFakeServer();
  await using right = await startFakeServer();
  await using config = await configured({ url: left.url }, { url: right.url });
  await using program = openProgram(config.options, { clock: createMovableClock(1_000) });
  const card = (title: string) => cardNamed('Ann', 'UID:a', `TITLE:${title}`);
  left.put('a.vcf', card('Clerk'));
  right.put('a.vcf', card('Clerk'));
  await program.synced();
  left.put('a.vcf', card('Boss'));
  right.put('a.vcf', card('Chair'));
  expect(await program.synced()).toMatchObject({ conflicts: 1, right: { updated: 1 } });
  const { app, link } = program;
  const [conflict] = await listConflicts(app.store, link.name, link, { all: false });
  expect(conflict).toMatchObject({ winner: 'left', changedAtMs: { left: null, right: null }, by: 'times unknown' });
});

test('R9: one address book under two addresses halts the run', async () => {
  await using server = await startFakeServer();
  await using config = await configured({ url: server.url }, { url: `${server.url}ada/contacts/` });
  await using program = openProgram(config.options, { clock: createMovableClock(1_000) });
  server.put('a.vcf', cardNamed('Ann'));
  const { error, summary } = await program.sync();
  expect(error).toMatchObject({ halt: { reason: 'same-accounts' } });
  expect(summary.reason).toMatch(/the same account or address book/u);
  expect(server.requests.filter(({ method }) => method === 'PUT')).toHaveLength(0);
});
