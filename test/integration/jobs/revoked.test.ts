import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { vaultIn } from '../../support/store/vault.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { readSides } from '../../support/compare-sides.ts';
import { startDaemonWorld, type DaemonWorld } from '../../support/jobs/daemon-world.ts';
import { editBothSides, untilEqual } from '../../support/jobs/edits.ts';
import { completed, errors, says } from '../../support/jobs/log-lines.ts';
import { startTestRedis } from '../../support/redis.ts';
import { consentTo } from '../connect/sign-in.ts';
import { startEchoingProxy } from '../logs/echoing-proxy.ts';

// A token is revoked during a run, at each side. The link is paused with one log line that contains the remedy,
// the other link continues, and `connect` resumes the paused link in the running daemon.

const redis = await startTestRedis();
afterAll(() => redis?.[Symbol.asyncDispose]());

type Side = 'google' | 'service';

/** A daemon in this process runs every 250 ms. Its health requires a run within three of these intervals of 10 s. */
const QUICK = { syncInterval: '10s' };
const NEW_PEOPLE = 8;

/** Signs in like a user: with the API key at the service, and by pasting the address at Google. */
const signIn = async (world: DaemonWorld, side: Side, link: string) => {
  if (side === 'service') {
    const command = world.start('connect', 'service', link, '--api-key', '-');
    command.paste(world.sandbox(link).service.apiKey ?? '');
    return command.end;
  }
  const command = world.start('connect', 'google', link, '--no-browser');
  const address = await command.printed((stdout) => /^http:\/\/127\.0\.0\.1.*(?=\n)/mu.exec(stdout)?.[0] ?? null);
  command.paste((await consentTo(address)).href);
  return command.end;
};

/** Starts a world with an undisturbed link and a link with tokens from `connect` and a proxy on each side. */
const startWorld = async (queue: 'embedded' | 'redis') => {
  await using starting = new AsyncDisposableStack();
  const url = queue === 'redis' && redis !== null ? redis.url : null;
  const world = starting.use(await startDaemonWorld({}, { redisUrl: url }));
  await world.addLink('work');
  const home = await world.addLink('home');
  const google = starting.use(await startEchoingProxy(home.google.url));
  const service = starting.use(await startEchoingProxy(home.service.url));
  const tokens = { accessToken: null, refreshToken: null };
  const behind = { baseUrl: service.url, rootUrl: `${google.url}/` };
  await world.configure({ work: QUICK, home: { ...QUICK, ...tokens, ...behind } });
  for (const side of ['google', 'service'] as const) expect((await signIn(world, side, 'home')).code).toBe(0);
  const running = starting.move();
  return { world, home, proxies: { google, service }, [Symbol.asyncDispose]: () => running.disposeAsync() };
};

const storedToken = async (world: DaemonWorld, side: Side): Promise<string> => {
  const vault = vaultIn(world.dataDir);
  return (await vault.read('home', side))?.token ?? '';
};

const storedLink = async (world: DaemonWorld) => {
  const store = openStore(join(world.dataDir, 'contact-sync.db'));
  try {
    const row = await store.link('home');
    return { ...row, refused: row.rejections };
  } finally {
    await store.close();
  }
};

/** Adds people on the other side. Each of them is to be created at this side. */
const addPeople = (sandbox: Sandbox, to: Side): readonly string[] => {
  const names = Array.from({ length: NEW_PEOPLE }, (_, index) => `Newcomer${index}`);
  for (const name of names) {
    if (to === 'service') sandbox.google.account.createPerson({ names: [{ givenName: name, familyName: 'Pending' }] });
    else sandbox.service.account.createContact({ first_name: name, last_name: 'Pending' });
  }
  return names.map((name) => `${name} Pending`);
};

/** For each side: the revocation of its token, and the request of a run during which it happens. */
const REVOKING = {
  service: {
    // Some creates have completed by then.
    at: { method: 'POST', path: '/v2/contacts', nth: 3 },
    revoke: (sandbox: Sandbox, token: string) => sandbox.service.revokeToken(token),
  },
  google: {
    at: { method: 'POST', path: '/v1/people:batchCreateContacts', nth: 1 },
    // Revoking the refresh token also revokes the access tokens.
    revoke: (sandbox: Sandbox, token: string) => sandbox.google.revokeRefreshToken(token),
  },
} as const;

describe.each(['embedded', 'redis'] as const)('[R16] the daemon, %s', (queue) => {
  test.skipIf(queue === 'redis' && redis === null).each(['service', 'google'] as const)(
    'pauses a link whose token is revoked during a run at %s, and resumes it after connect',
    async (side) => {
      await using ground = await startWorld(queue);
      const { world, home, proxies } = ground;
      const daemon = world.startDaemon();
      await daemon.until(completed('work', 'incremental'));
      await daemon.until(completed('home', 'incremental'));

      const token = await storedToken(world, side);
      const { at, revoke } = REVOKING[side];
      let matched = 0;
      proxies[side].decide(({ method, path }) => {
        if (method === at.method && path.split('?')[0] === at.path && (matched += 1) === at.nth) revoke(home, token);
        return 'pass';
      });
      const newcomers = addPeople(home, side);

      const paused = await daemon.until(says('link paused'));
      expect(paused).toMatchObject({
        level: 'error',
        link: 'home',
        side,
        remedy: `Sign in again with: contact-sync connect ${side} home`,
      });
      expect(matched).toBeGreaterThanOrEqual(at.nth);
      const before = daemon.lines.filter((line) => line['run'] === paused['run']);
      expect(before.map(({ msg }) => msg)).toContain('plan computed');
      const reason = `${String(paused['reason'])}. ${String(paused['remedy'])}`;
      const stored = await storedLink(world);
      expect(stored).toMatchObject({ state: 'paused', refused: [] });
      // The log omits the message of the remote.
      expect(String(stored['reason']).replace(/ saying "[^"]*"/u, '')).toBe(reason);

      const work = world.sandbox('work');
      await daemon.until(says('job skipped', 'home'), daemon.lines.length);
      if (work !== undefined) {
        editBothSides(work, 'meanwhile');
        await untilEqual(work, 'meanwhile');
      }
      expect((await world.run('health')).stdout).toMatch(
        /^the daemon works, but 1 of 2 links waits for you: home is paused; see contact-sync .*status\n$/u,
      );
      expect(errors(daemon)).toEqual([paused]);

      const connected = await signIn(world, side, 'home');
      expect(connected).toMatchObject({ code: 0, stderr: '' });
      expect(connected.stdout).toContain('The link home was paused; it is active again.');
      // The daemon checks with delays whether the refused creates were applied. The test advances the clock instead.
      const isResumed = (): boolean => daemon.lines.some(says('link recovered', 'home'));
      await expect.poll(() => isResumed() || daemon.clock.advance(1_000)).toBe(true);
      await expect.poll(async () => (await storedLink(world)).state).toBe('active');
      await daemon.until(completed('home'), daemon.lines.length);
      const sides = readSides(home);
      expect(sides.google).toEqual(sides.service);
      for (const name of newcomers) expect(sides[side].filter((row) => row.name === name)).toHaveLength(1);
      expect(daemon.lines.filter(says('link recovered'))).toHaveLength(1);
      expect(errors(daemon)).toEqual([paused]);
    },
  );
});
