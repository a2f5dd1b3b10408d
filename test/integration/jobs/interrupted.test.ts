import type { LinkStateName } from '../../../src/core/state/rows.ts';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createApp } from '../../../src/app/app.ts';
import { loadConfig } from '../../../src/app/config/config.ts';
import { LeaseError } from '../../../src/engine/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { cliHost } from '../../support/cli-host.ts';
import { createEventLog } from '../../support/jobs/log-lines.ts';
import { createMovableClock } from '../../support/clocks.ts';
import { startCli, useGround, withStore, type Environment } from '../cli/run-cli.ts';
import { startEchoingProxy, type EchoingProxy } from '../logs/echoing-proxy.ts';

const ground = useGround({ count: 20 });
let google: EchoingProxy;
let service: EchoingProxy;
let env: Environment;

// A request of an interrupted command may still be in flight when the next test has started.
beforeEach(async () => {
  google = await startEchoingProxy(ground.sandbox.google.url);
  service = await startEchoingProxy(ground.sandbox.service.url);
  env = {
    ...ground.env,
    SERVICE_BASE_URL: service.url,
    GOOGLE_ROOT_URL: `${google.url}/`,
    GOOGLE_TOKEN_URL: google.url + new URL(ground.env['GOOGLE_TOKEN_URL'] ?? '').pathname,
    LOG_LEVEL: 'warn',
  };
  return async () => {
    await google[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  };
});

const inDirectory = (name: string): Environment => ({ ...env, DATA_DIR: join(ground.directory, name) });

const holdBack = (proxy: EchoingProxy, method: string, path: RegExp): Promise<void> =>
  new Promise((resolve) => {
    proxy.decide((request) => {
      if (request.method !== method || !path.test(request.path)) return 'pass';
      resolve();
      return 'hold';
    });
  });

const interrupt = async (soFar: Promise<void>, args: readonly string[], variables: Environment) => {
  const command = cliHost.start(args, variables, ground.directory);
  const early = command.end.then(({ stderr }): never => {
    throw new Error(`The command ended before it was interrupted. ${stderr}`);
  });
  early.catch(() => undefined);
  await Promise.race([soFar, early]);
  command.kill('SIGINT');
  return command.end;
};

describe('Ctrl-C', () => {
  test.each([
    ['waits for a token', 'google', 'POST', /token/u],
    ['lists Google', 'google', 'GET', /^\/v1\/people\/me\/connections/u],
    ['lists the service', 'service', 'GET', /^\/v2\/contacts/u],
    ['writes to Google', 'google', 'POST', /^\/v1\/people:batch/u],
    ['writes to the service', 'service', 'POST', /^\/v2\/contacts/u],
  ] as const)('while a sync %s ends it with exit code 1 and one message, and changes no link', async (...of) => {
    const [name, side, method, path] = of;
    const variables = inDirectory(name);
    const { account } = ground.sandbox[side === 'google' ? 'service' : 'google'];
    if ('createContact' in account) account.createContact({ first_name: name });
    else account.createPerson({ names: [{ givenName: name }] });
    const held = holdBack(side === 'google' ? google : service, method, path);
    const stderr = expect.stringMatching(/^The program was stopped\. [^\n]*\n$/u);
    expect(await interrupt(held, ['sync'], variables)).toMatchObject({ code: 1, stderr });
    const link = await withStore(variables, (store) => store.link('default'));
    expect(link).toMatchObject({ state: 'active', reason: null });
  });

  test.each([
    ['waits for an unavailable remote', 503, 2],
    ['has failed at the other side', 400, 1],
  ] as const)('while a sync %s is an interruption, and not a failure of the link', async (name, status, times) => {
    const variables = inDirectory(name.replaceAll(' ', '-'));
    let refusals = 0;
    const refused = new Promise<void>((resolve) => {
      google.decide(({ path }) => {
        if (!path.startsWith('/v1/people/me/connections')) return 'pass';
        refusals += 1;
        if (refusals === times) resolve();
        return status;
      });
    });
    const both = Promise.all([refused, holdBack(service, 'GET', /^\/v2\/contacts/u)]).then(() => undefined);
    const { code, stdout } = await interrupt(both, ['sync', '--json'], variables);
    const stopped = { outcome: 'failed', stopped: true };
    const reason = expect.stringContaining('was stopped');
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { runs: [{ ...stopped, reason }] }]);
    const run = (...args: readonly string[]) => cliHost.run(args, variables, ground.directory);
    const document: unknown = JSON.parse((await run('status', '--json')).stdout);
    expect(document).toMatchObject({ links: [{ state: 'active', lastRun: stopped }] });
    for (const proxy of [google, service]) proxy.decide(() => 'pass');
    expect((await run('sync')).code).toBe(0);
  });

  test('while a plan reads a side is reported, with the fact that nothing was written', async () => {
    const held = holdBack(google, 'GET', /^\/v1\//u);
    const stderr = expect.stringContaining('default: Interrupted. Nothing was planned or written.');
    expect(await interrupt(held, ['plan'], inDirectory('planned'))).toMatchObject({ code: 1, stderr });
  });

  test('lists the links that were not synced because of it', async () => {
    const config = join(ground.directory, 'two.yaml');
    const { GOOGLE_REFRESH_TOKEN: refresh = '', SERVICE_ACCESS_TOKEN: access = '', ...shared } = inDirectory('two');
    const account = { google: { refreshToken: refresh }, service: { accessToken: access } };
    await writeFile(config, JSON.stringify({ links: { first: account, second: account } }));
    const held = holdBack(service, 'GET', /^\/v2\/contacts/u);
    const stderr = expect.stringContaining('Interrupted. Not synced: second\n');
    expect(await interrupt(held, ['sync', '--config', config], shared)).toMatchObject({ code: 1, stderr });
  });
});

test('after a kill of a sync and the end of its lease, the next sync closes its run as interrupted', async () => {
  const variables = inDirectory('killed');
  const held = holdBack(service, 'GET', /^\/v2\/contacts/u);
  const sync = startCli(['sync'], variables, ground.directory);
  await held;
  const closed = once(sync, 'close');
  sync.kill('SIGKILL');
  await closed;
  const runs = () => withStore(variables, (store) => store.runs('default', { idPrefix: '' }));
  expect(await runs()).toMatchObject([{ outcome: 'running' }]);
  service.decide(() => 'pass');
  const end = async (store: Store) => store.releaseLease('default', (await store.leaseOwner('default')) ?? '');
  await withStore(variables, end);
  expect(await cliHost.run(['sync'], variables, ground.directory)).toMatchObject({ code: 0 });
  expect(await runs()).toMatchObject([{ outcome: 'completed' }, { outcome: 'failed', reason: 'interrupted' }]);
});

test.each(['halted', 'active'] as const)(
  'a run that loses its lease keeps the state that the new holder of the lease stored: %s',
  async (state: LinkStateName) => {
    const variables = inDirectory(`lost-${state}`);
    const clock = createMovableClock();
    const log = createEventLog();
    const config = loadConfig({ env: variables, cwd: ground.directory });
    await using app = createApp(config, log.events, { clock });
    const [link] = config.links;
    if (link === undefined) throw new Error('One link is configured.');
    const held = holdBack(service, 'GET', /^\/v2\/contacts/u);
    const { signal } = new AbortController();
    const running = app.run(link, { kind: 'full', signal });
    await held;
    // For another process the lease has expired, because the clock of this process did not advance.
    const laterMs = Date.now() + 20_000;
    await withStore(variables, async (store) => {
      const token = await store.acquireLease('default', 'another process', laterMs, laterMs + 15_000);
      const patch = { state, reason: 'As the other one says.' };
      await store.commit('default', token ?? -1, [{ kind: 'link', patch }]);
    });
    clock.advance(4_000);
    const { error, summary } = await running;
    expect(error).toBeInstanceOf(LeaseError);
    expect(summary.outcome).toBe('failed');
    expect(await app.store.link('default')).toMatchObject({ state, reason: 'As the other one says.' });
    expect(log.lines).toContainEqual({ name: 'leaseLost', fields: expect.objectContaining({ link: 'default' }) });
    // The run has not released the lease of the other process either.
    expect(await app.store.acquireLease('default', 'a third one', laterMs, laterMs + 15_000)).toBeNull();
  },
);
