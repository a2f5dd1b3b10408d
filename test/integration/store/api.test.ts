import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { API_FILE } from '../../../config/api-document.ts';
import { accountsOf, startDaemonWorld, type DaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, says } from '../../support/jobs/log-lines.ts';
import { findPostgres } from '../../support/postgres.ts';

const TOKEN = 'a-token-for-programs-alone';
const SHARED = {
  credentialsKey: 'a passphrase of the first year',
  hostedLinkHosts: '127.0.0.1',
  apiToken: TOKEN,
  listen: '127.0.0.1:0',
};

const postgres = await findPostgres();
let world: DaemonWorld;
let address: string;
let daemon: ReturnType<DaemonWorld['startProcess']>;
beforeAll(async () => {
  if (postgres === null) return;
  world = await startDaemonWorld();
  await world.addLink('ada', 3);
  await world.addLink('home', 3);
  await world.configure({ home: { syncInterval: '1h' } }, { ...SHARED, databaseUrl: await postgres.createDatabase() });
  daemon = world.startProcess();
  const { address: found } = await daemon.until(says('HTTP server started'));
  address = String(found);
});
afterAll(async () => {
  if (postgres !== null) await world[Symbol.asyncDispose]();
  await postgres?.close();
});

type Request = {
  readonly path?: string;
  readonly token?: string | null;
  readonly body?: unknown;
  readonly text?: string;
  readonly type?: string;
};
const ask = (method: string, path: string, { token = TOKEN, body, text, type }: Request = {}) =>
  fetch(`http://${address}${path}`, {
    method: method.toUpperCase(),
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...((body !== undefined || text !== undefined) && { 'content-type': type ?? 'application/json' }),
    },
    ...((body !== undefined || text !== undefined) && { body: text ?? JSON.stringify(body) }),
  });

const schema = z.record(z.string(), z.unknown());
const operation = z.object({
  operationId: z.string(),
  responses: z.record(z.string(), z.object({ content: z.object({ 'application/json': z.object({ schema }) }) })),
});
const Document = z.object({
  paths: z.record(z.string(), z.record(z.enum(['get', 'post', 'patch', 'delete']).or(z.string()), operation)),
  components: z.object({ schemas: z.record(z.string(), schema) }),
});

const readDocument = async () => {
  // The components of the document are definitions for zod.
  const text = (await readFile(API_FILE, 'utf8')).replaceAll('#/components/schemas/', '#/$defs/');
  return Document.parse(JSON.parse(text));
};

const settingsOf = (link: string, more = {}) => ({
  ...accountsOf(world.sandbox(link), { syncInterval: '1h' }),
  ...more,
});

/** A call for each answer of each operation, in the order in which they come to be: `operation status`. */
const CALLS: Readonly<Record<string, () => Request>> = {
  'addLink 201': () => ({ body: { link: 'ada', settings: settingsOf('ada', { deleteLimit: 5 }) } }),
  'addLink 409': () => ({ body: { link: 'ada', settings: settingsOf('ada') } }),
  'addLink 422': () => ({ body: { link: 'home', settings: settingsOf('ada', { direction: 'sideways' }) } }),
  'addLink 400': () => ({ body: { name: 'ada' } }),
  'addLink 401': () => ({ token: null }),
  'addLink 413': () => ({ body: { link: 'ada', settings: { buckets: 'x'.repeat(70_000) } } }),
  'addLink 415': () => ({ text: 'link=ada', type: 'application/x-www-form-urlencoded' }),
  'listLinks 200': () => ({}),
  'listLinks 400': () => ({ token: 'no token has spaces' }),
  'listLinks 401': () => ({ token: `${TOKEN}-of-another` }),
  'readLink 200': () => ({}),
  'readLink 400': () => ({ token: 'no token has spaces' }),
  'readLink 401': () => ({ token: TOKEN.slice(1) }),
  'readLink 404': () => ({ path: '/api/v1/links/nobody' }),
  'changeLink 200': () => ({ body: { settings: { syncInterval: '30m', deleteLimit: null } } }),
  'changeLink 400': () => ({ text: '{' }),
  'changeLink 401': () => ({ token: null }),
  'changeLink 404': () => ({ path: '/api/v1/links/home', body: { settings: { syncInterval: '30m' } } }),
  'changeLink 413': () => ({ body: { settings: { buckets: 'x'.repeat(70_000) } } }),
  'changeLink 415': () => ({ text: '{}', type: 'text/plain' }),
  'changeLink 422': () => ({ body: { settings: { syncInterval: 'soon' } } }),
  'removeLink 400': () => ({ path: '/api/v1/links/ada?forget=perhaps' }),
  'removeLink 401': () => ({ token: null }),
  'removeLink 404': () => ({ path: '/api/v1/links/nobody' }),
  'removeLink 200': () => ({ path: '/api/v1/links/ada?forget=true' }),
};
/** Answers that take a database away, a run under way, or a fault of the program. */
const ELSEWHERE = [/ 500$/u, / 503$/u, /^removeLink 409$/u];

describe.skipIf(postgres === null)('the HTTP API', () => {
  test('the API refuses settings that are nested too deep', async () => {
    const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
    const answer = await ask('post', '/api/v1/links', { text: `{"link":"deep","settings":${deep}}` });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('nested deeper') } },
    ]);
  });

  test('the API refuses __proto__ in settings and an invalid link name before it stores anything', async () => {
    const refusal = async (text: string) => {
      const answer = await ask('post', '/api/v1/links', { text });
      return [answer.status, JSON.stringify(await answer.json())] as const;
    };
    expect(await refusal('{"link":"proto","settings":{"google":{"__proto__":{"clientId":"x"}}}}')).toEqual([
      400,
      expect.stringContaining('__proto__ is not a setting'),
    ]);
    const [status, text] = await refusal(JSON.stringify({ link: 'a'.repeat(9000), settings: {} }));
    expect([status, text]).toEqual([422, expect.stringContaining('at most 100 characters')]);
    expect(text.length).toBeLessThan(1000);
  });

  test('each answer of the API matches its document', async () => {
    const { paths, components } = await readDocument();
    const operations = new Map(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, each]) => [each.operationId, { ...each, method, path }] as const),
      ),
    );
    const documented = [...operations.values()].flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    );
    const called = documented.filter((each) => !ELSEWHERE.some((kind) => kind.test(each)));
    expect(called.toSorted()).toEqual(Object.keys(CALLS).toSorted());
    for (const [name, call] of Object.entries(CALLS)) {
      const [id = '', status = ''] = name.split(' ');
      const found = operations.get(id);
      const shape = found?.responses[status]?.content['application/json'].schema;
      if (found === undefined || shape === undefined) throw new Error(`The document has no ${name}.`);
      const { path = found.path.replace('{link}', 'ada'), ...request } = call();
      const answer = await ask(found.method, path, request);
      const body: unknown = await answer.json();
      expect(answer.status, `${name}: ${JSON.stringify(body)}`).toBe(Number(status));
      const read = z.fromJSONSchema({ ...shape, $defs: components.schemas }).safeParse(body);
      expect(read.error, `${name}: ${JSON.stringify(body)}`).toBeUndefined();
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(JSON.stringify(body)).not.toContain(world.sandbox('ada').environment()['GOOGLE_REFRESH_TOKEN']);
    }
  });

  test('a link that is added is served without a restart, and one that is removed no longer', async () => {
    const from = daemon.lines.length;
    const added = await ask('post', '/api/v1/links', {
      body: { link: 'ada', settings: settingsOf('ada', { syncInterval: '1s' }) },
    });
    expect(added.status).toBe(201);
    await daemon.until(completed('ada'), from);
    const { links } = z
      .object({ links: z.array(z.looseObject({})) })
      .parse(await (await ask('get', '/api/v1/links')).json());
    expect(links).toMatchObject([
      { link: 'home', keptIn: 'file', settings: null },
      { link: 'ada', keptIn: 'database', settings: { google: { refreshToken: '[secret]' } }, problems: [] },
    ]);
    expect(await (await ask('delete', '/api/v1/links/ada')).json()).toEqual({
      link: 'ada',
      forgotten: false,
      tokens: [],
    });
    await daemon.until(
      (line) => says('links changed')(line) && JSON.stringify(line).includes('"removed":["ada"]'),
      from,
    );
  });

  test('the API lists every problem of the settings', async () => {
    const settings = { ...settingsOf('ada', { direction: 'sideways', often: 'yes' }), consoleTokenFile: '/etc/shadow' };
    const answer = await ask('post', '/api/v1/links', { body: { link: 'home', settings } });
    expect(await answer.json()).toMatchObject({
      error: { problems: [{ where: 'links.home' }, { where: 'links.home.consoleTokenFile' }] },
    });
  });

  test('an address outside HOSTED_LINK_HOSTS is refused when a link is added or changed', async () => {
    const add = (settings: object) => ask('post', '/api/v1/links', { body: { link: 'eve', settings } });
    const { service, ...rest } = settingsOf('ada');
    const refused = await add({ ...rest, service: { ...service, baseUrl: 'http://169.254.169.254' } });
    expect([refused.status, await refused.json()]).toMatchObject([
      422,
      { error: { problems: [{ where: 'links.eve.service.baseUrl' }] } },
    ]);
    expect((await add({ ...rest, service })).status).toBe(201);
    const google = { tokenUrl: 'https://collector.example/token', clientSecret: null };
    const changed = await ask('patch', '/api/v1/links/eve', { body: { settings: { google } } });
    expect([changed.status, JSON.stringify(await changed.json())]).toEqual([
      422,
      expect.stringContaining('collector.example, which is not among the hosts'),
    ]);
    expect((await ask('delete', '/api/v1/links/eve')).status).toBe(200);
  });

  test('a missing resource is a JSON error, and only for authorized requests', async () => {
    expect((await ask('get', '/api/v2/links')).status).toBe(404);
    expect(await (await ask('put', '/api/v1/links')).json()).toEqual({
      error: { message: 'Not found.', problems: [] },
    });
    const refused = await ask('get', '/api/v2/links', { token: null });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('Bearer');
    // The page has a token of its own.
    expect((await fetch(`http://${address}/`, { redirect: 'manual' })).status).toBe(303);
    expect((await fetch(`http://${address}/healthz`)).status).toBe(200);
  });
});
