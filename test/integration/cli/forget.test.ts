import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { jobOptions, makeQueuePrefix, openQueue } from '../../../src/daemon/jobs/queue.ts';
import { named, person } from '../../support/linked-people.ts';
import { vaultIn } from '../../support/store/vault.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { cliHost } from '../../support/cli-host.ts';
import { startTestRedis } from '../../support/redis.ts';
import { startGround, withStore, type Ground } from './run-cli.ts';
import { StatusDocument } from '../../support/documents.ts';

const EMAIL = 'zq@quillfeather.test';
const QUILL = named('Zacharias', {
  familyName: 'Quillfeather',
  company: 'Vellumworks',
  emails: [{ value: EMAIL, label: 'work' }],
  phones: [{ value: '+49 30 5550199', label: 'work' }],
});

const redis = await startTestRedis();
let ground: Ground;
let dataDir: string;

afterAll(() => redis?.[Symbol.asyncDispose]());
beforeEach(async () => {
  const others = ['one', 'two', 'three'].map((name) => person(`Ada ${name}`, { familyName: 'Lovelace' }));
  ground = await startGround({ google: [QUILL, ...others], service: [] });
  dataDir = ground.env['DATA_DIR'] ?? '';
});
afterEach(() => ground[Symbol.asyncDispose]());

const run = async (...args: readonly string[]) => {
  const more = redis === null ? {} : { REDIS_URL: redis.url };
  // Only `forget` needs the queue.
  const env = args[0] === 'forget' ? { ...ground.env, ...more } : ground.env;
  return cliHost.run(args, env, ground.directory);
};

const done = async (...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(...args);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return stdout;
};

const everyByte = async (): Promise<string> => {
  const files = (await readdir(dataDir)).map((name) => readFile(join(dataDir, name), 'latin1'));
  const texts = await Promise.all(files);
  if (redis !== null) {
    for (const key of await redis.client.keys(`${makeQueuePrefix(dataDir)}*`)) {
      texts.push(key, (await redis.client.dumpBuffer(key))?.toString('latin1') ?? '');
    }
  }
  return texts.join('\n').toLowerCase();
};

const tracesIn = (bytes: string, traces: readonly string[]): readonly string[] =>
  traces.filter((trace) => bytes.includes(trace));

const mention = async (): Promise<void> => {
  const store = openStore(join(dataDir, 'contact-sync.db'));
  const token = (await store.acquireLease('default', 'test', 0, Number.MAX_SAFE_INTEGER)) ?? 0;
  const reason = `the service refused it (422) saying "${EMAIL} of Zacharias Quillfeather"`;
  const beginning = { id: 'r-mention', kind: 'incremental', undoes: null, startedAtMs: 1 } as const;
  await store.commit('default', token, [
    { kind: 'run-started', run: beginning },
    { kind: 'patch-run', id: 'r-mention', set: { outcome: 'failed', reason, summary: { reason }, endedAtMs: 2 } },
  ]);
  await store.releaseLease('default', 'test');
  await store.close();
  if (redis === null) return;
  const queue = openQueue(redis.client, makeQueuePrefix(dataDir));
  const data = { link: 'default', kind: 'full', override: null } as const;
  const job = await queue.add('full', data, jobOptions('full'));
  await job.updateProgress({ report: { ending: 'failed', message: reason, summary: null } });
  await queue.close();
};

const vault = () => vaultIn(dataDir);

test('forget removes every byte of the contacts and tokens, and refuses tokens of the configuration', async () => {
  await done('sync');
  const stderr = expect.stringContaining('The configuration has a token of the link default');
  expect(await run('forget', 'default')).toMatchObject({ code: 2, stderr });
  const { GOOGLE_REFRESH_TOKEN: google = '', SERVICE_ACCESS_TOKEN: service = '', ...env } = ground.env;
  ground = { ...ground, env };
  const stored = { account: null, scopes: null, storedAtMs: 1 };
  await vault().save('default', 'google', { ...stored, token: google });
  await vault().save('default', 'service', { ...stored, token: service });
  await mention();
  const traces = ['quillfeather', 'lovelace', 'people/c', 'contact_', google.toLowerCase(), service.toLowerCase()];
  expect(tracesIn(await everyByte(), traces)).toEqual(traces);

  const lost = expect.stringMatching(/4 linked contacts, its history and 2 tokens\. Nothing was changed\./u);
  expect(await run('forget', 'default')).toMatchObject({ code: 2, stderr: lost });
  expect(tracesIn(await everyByte(), traces)).toEqual(traces);

  const forgotten = await done('forget', 'default', '--yes');
  for (const side of ['google', 'service']) expect(forgotten).toContain(`  ${side}: the token is deleted.`);
  expect(tracesIn(await everyByte(), traces)).toEqual([]);
  const { links } = StatusDocument.parse(JSON.parse(await done('status', '--json')));
  expect(links).toMatchObject([{ link: 'default', state: 'active', pairs: 0, lastRun: null }]);
});

test('forget erases the rows of a link from the disk that an interrupted call has deleted', async () => {
  await done('sync');
  const { GOOGLE_REFRESH_TOKEN: _google, SERVICE_ACCESS_TOKEN: _service, ...env } = ground.env;
  ground = { ...ground, env };
  // Like a daemon, it keeps the log of the database.
  await withStore(env, async (store) => {
    const token = (await store.acquireLease('default', 'test', 0, 60_000)) ?? 0;
    await store.commit('default', token, [{ kind: 'forget-link' }]);
    const stderr = expect.stringContaining('Nothing is stored about a link named default');
    expect(await run('forget', 'default', '--yes')).toMatchObject({ code: 2, stderr });
    expect(tracesIn(await everyByte(), ['quillfeather'])).toEqual([]);
  });
});

test('forget is the remedy in `status` for a link that is missing from the configuration', async () => {
  await withStore(ground.env, (store) => store.link('home'));
  expect(StatusDocument.parse(JSON.parse(await done('status', '--json'))).unconfigured).toEqual(['home']);
  expect(await done('status')).toContain('contact-sync forget home');
  expect(await done('forget', 'home', '--yes')).toContain('Deleted what was stored about the link home');
  expect(JSON.parse(await done('status', '--json'))).not.toHaveProperty('unconfigured');
});
