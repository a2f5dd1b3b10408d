import { createApp } from '../../src/app/app.ts';
import { systemClock } from '../../src/util/clock.ts';
import { loadConfig } from '../../src/app/config/config.ts';
import { SIDES } from '../../src/core/contact/side.ts';
import { Secret } from '../../src/util/secret.ts';
import { silentEvents } from '../support/silent-events.ts';
import { serve } from './child.ts';
import { seed, type Place } from './page-seed.ts';

const ADDRESS = '127.0.0.1:8377';
const TOKEN = 'only-for-this-measurement';
const TIMES = 5;

type PageCost = { readonly path: string; readonly cpuMs: number; readonly bytes: number };
type PageCosts = {
  readonly pages: readonly PageCost[];
  /** Resident memory before the page was loaded, and its maximum while the page was used. */
  readonly withoutBytes: number;
  readonly withBytes: number;
};

const FORM = { 'content-type': 'application/x-www-form-urlencoded', origin: `http://${ADDRESS}`, host: ADDRESS };

/** Opens the page with an existing store and requests each path. Returns medians of several requests without the first one. */
const look = async ({
  environment,
  dataDir,
  paths,
}: Place & { readonly paths: readonly string[] }): Promise<PageCosts> => {
  const config = loadConfig({ env: { ...environment, DATA_DIR: dataDir, LOG_LEVEL: 'silent' }, cwd: dataDir });
  await using app = createApp(config, silentEvents());
  for (const { name } of config.links) {
    // The queries that the daemon has executed by then: each full listing reads every half of its side.
    await app.store.counts(name);
    for (const side of SIDES) await app.store.index(name, side);
  }
  globalThis.gc?.();
  const withoutBytes = process.memoryUsage().rss;
  const { openConsole } = await import('../../src/daemon/console/console.ts');
  const none = () => [];
  const daemon = { links: () => config.links, faultyLinks: none, progress: none, requestJob: () => Promise.resolve() };
  await using page = await openConsole({
    app,
    daemon: daemon as unknown as Parameters<typeof openConsole>[0]['daemon'],
    address: ADDRESS,
    clock: systemClock,
    newSecret: () => crypto.randomUUID(),
    token: new Secret(TOKEN),
  });
  const body = new URLSearchParams({ token: TOKEN });
  const signedIn = await page.routes.request(`http://${ADDRESS}/sign-in`, { method: 'POST', headers: FORM, body });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  let withBytes = 0;
  const ask = async (path: string): Promise<PageCost> => {
    const before = process.cpuUsage();
    const answer = await page.routes.request(`http://${ADDRESS}${path}`, { headers: { cookie, host: ADDRESS } });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}`);
    const { user, system } = process.cpuUsage(before);
    withBytes = Math.max(withBytes, process.memoryUsage().rss);
    return { path, cpuMs: (user + system) / 1_000, bytes: text.length };
  };
  const pages: PageCost[] = [];
  for (const path of paths) {
    await ask(path);
    const costs: PageCost[] = [];
    for (let times = 0; times < TIMES; times += 1) costs.push(await ask(path));
    const median = costs.toSorted((one, other) => one.cpuMs - other.cpuMs)[TIMES >> 1];
    if (median !== undefined) pages.push(median);
  }
  return { pages, withoutBytes, withBytes };
};

const handlers = { look, seed };
export type PageProcess = typeof handlers;
serve(handlers);
