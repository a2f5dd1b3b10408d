import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { serve } from '@hono/node-server';
import { createApp } from '../../src/app/app.ts';
import { loadConfig } from '../../src/app/config/config.ts';
import type { LinkConfig } from '../../src/app/config/link-config.ts';
import { writeHeartbeat } from '../../src/app/heartbeat.ts';
import { openConsole } from '../../src/daemon/console/console.ts';
import { EMPTY_PERSON, type Person } from '../../src/sandbox/people/person.ts';
import { Secret } from '../../src/util/secret.ts';
import { createMovableClock } from './clocks.ts';
import { beatOf } from './heartbeat.ts';
import { startDaemonWorld } from './jobs/daemon-world.ts';
import { silentEvents } from './silent-events.ts';

export const MINUTE_MS = 60_000;
const INTERVAL_MS = 5 * MINUTE_MS;
const ADDRESS = '127.0.0.1:8377';
const TOKEN = 'only-for-this-test';

const GIVEN = ['Ada', 'Björn', 'Zoé', 'Dimitri', 'Élise', 'Grace', 'Ines', 'Jonas', 'Łukasz', 'María', 'Nadia', 'Owen'];
const FAMILY = ['Adler', 'Bianchi', 'Castro', 'Dvořák', 'Eriksen'];
const TITLES = ['Architect', 'Editor', 'Engineer', 'Notary', 'Physician'];

/** Returns people with different names, from a number on. */
export const sceneryPeople = (from: number, to: number): readonly Person[] =>
  Array.from({ length: to - from }, (_, index): Person => {
    const at = from + index;
    const [givenName = '', familyName = ''] = [GIVEN[at % GIVEN.length], FAMILY[at % FAMILY.length]];
    const name = `${givenName}.${familyName}`
      .toLowerCase()
      .normalize('NFD')
      .replaceAll(/[^a-z.]/gu, '');
    return {
      ...EMPTY_PERSON,
      givenName,
      familyName,
      company: `${FAMILY[(at + 2) % FAMILY.length]} & Partners`,
      title: TITLES[at % TITLES.length] ?? '',
      emails: [{ value: `${name}@example.org`, label: null }],
      phones: [{ value: `+49 30 5550${100 + at}`, label: null }],
    };
  });

/** The page of a link in this process, whose clock the test moves, so that a history of days takes seconds. */
export const startScene = async (google: readonly Person[], service: readonly Person[], settings: object) => {
  await using starting = new AsyncDisposableStack();
  const section = {
    people: { google, service },
    accessToken: null,
    refreshToken: null,
    firstSync: 'review',
    ...settings,
  };
  const world = starting.use(await startDaemonWorld({ family: section }));
  const config = loadConfig({ config: join(dirname(world.dataDir), 'contact-sync.yaml'), env: {} });
  const clock = createMovableClock();
  const app = starting.use(createApp(config, silentEvents(), { clock }));
  const [link] = config.links;
  if (link === undefined) throw new Error('There is no link.');
  const sandbox = world.sandbox('family');
  const { GOOGLE_REFRESH_TOKEN: atGoogle = '', SERVICE_ACCESS_TOKEN: atService = '' } = sandbox.environment();
  for (const [side, token, email] of [
    ['google', atGoogle, 'ada.adler@example.org'],
    ['service', atService, 'ada@adler.example'],
  ] as const) {
    await app.vault.save('family', side, { token, email, account: null, scopes: null, storedAtMs: clock.now() });
  }
  let links: readonly LinkConfig[] = [link];
  const daemon = { links: () => links, faultyLinks: () => [], progress: () => [], requestJob: () => Promise.resolve() };
  const page = starting.use(
    await openConsole({
      app,
      daemon: daemon as unknown as Parameters<typeof openConsole>[0]['daemon'],
      clock,
      newSecret: randomUUID,
      address: ADDRESS,
      token: new Secret(TOKEN),
    }),
  );
  // A session lasts for hours, and a scene for days.
  const signIn = async (): Promise<string> => {
    const signedIn = await page.routes.request(`http://${ADDRESS}/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: `http://${ADDRESS}`, host: ADDRESS },
      body: new URLSearchParams({ token: TOKEN }),
    });
    return signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  };
  let cookie = await signIn();
  // Each request is one of the session.
  const answer = ({ method, url }: Request) =>
    page.routes.fetch(new Request(url, { method, headers: { cookie, host: ADDRESS } }));
  const listening = Promise.withResolvers<number>();
  const server = serve({ fetch: answer, hostname: '127.0.0.1', port: 0 }, ({ port }) => listening.resolve(port));
  starting.defer(() => void server.close());
  const address = `http://127.0.0.1:${await listening.promise}`;
  const running = starting.move();
  return {
    app,
    clock,
    link,
    sandbox,
    /** Shows the links with these names. */
    showLinks: (names: readonly string[]): void => {
      links = names.map((name) => ({ ...link, name }));
    },
    /** Signs in again, and writes the state of a daemon that serves the links. */
    open: async (): Promise<void> => {
      cookie = await signIn();
      const served = links.map(({ name }) => ({ name, syncIntervalMs: INTERVAL_MS, sinceMs: 0 }));
      await writeHeartbeat(world.dataDir, beatOf({ beatAtMs: clock.now(), links: served }));
    },
    run: async (kind: 'incremental' | 'full' = 'incremental') =>
      app.run(link, { kind, signal: new AbortController().signal }),
    /** Runs the plan that the last run halted with. */
    accept: async () => {
      const [last] = await app.store.runs(link.name, { latest: 'ended' });
      const accepts = { kind: 'halt', message: last?.reason ?? '', loses: true } as const;
      return app.run(link, { kind: 'full', accepts, signal: new AbortController().signal });
    },
    address,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
};

/** A page in this process. */
export type Scene = Awaited<ReturnType<typeof startScene>>;
