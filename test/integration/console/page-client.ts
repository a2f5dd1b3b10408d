import { expect } from 'vitest';
import { request } from 'node:http';
import type { DaemonWorld } from '../../support/jobs/daemon-world.ts';
import { says } from '../../support/jobs/log-lines.ts';

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
};

type RequestParts = {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** Sends a request with any Host and Origin, unlike a browser. */
export const ask = (
  address: string,
  path: string,
  { method = 'GET', headers = {}, body }: RequestParts = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const [host, port] = address.split(':');
    const sent = request({ host, port, path, method, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });

export const tokenIn = (text: string): string => /name="token" value="([^"]+)"/u.exec(text)?.[1] ?? '';

export const seen = (text: string): string =>
  text
    .replaceAll(/<(?:head|script)[\s\S]*?<\/(?:head|script)>/gu, '')
    .replaceAll(/<[^>]+>/gu, ' ')
    .replaceAll(/\s+/gu, ' ');

/** A signed-in client that reads the pages of a daemon and sends their forms. */
export type Visitor = {
  readonly address: string;
  readonly cookie: string;
  get(path: string): Promise<Answer>;
  press(page: string, action: string, fields?: Readonly<Record<string, string>>): Promise<Answer>;
  post(
    action: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
};

const FORM = 'application/x-www-form-urlencoded';

export const formTo = (
  address: string,
  action: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  ask(address, action, {
    method: 'POST',
    headers: { 'content-type': FORM, origin: `http://${address}`, ...headers },
    body: new URLSearchParams(fields).toString(),
  });

const cookieOf = ({ headers }: Answer): string => String(headers['set-cookie'] ?? '').split(';')[0] ?? '';

/** Returns the text that a visitor sees on a page. */
export const shownAt = async (visitor: Pick<Visitor, 'get'>, path: string): Promise<string> =>
  seen((await visitor.get(path)).text);

/** Returns the path of the newest run that a page links to. */
export const lastRunOn = async (visitor: Pick<Visitor, 'get'>, path: string): Promise<string> =>
  /href="(\/links\/work\/runs\/[^"]+)"/u.exec((await visitor.get(path)).text)?.[1] ?? '';

export const newPass = async (world: DaemonWorld, ...options: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await world.run('console', ...options);
  expect([code, stderr]).toEqual([0, '']);
  return new URL(stdout.trim()).searchParams.get('pass') ?? '';
};

const signInWith = async (address: string, credentials: Readonly<Record<string, string>>): Promise<Visitor> => {
  const cookie = cookieOf(await formTo(address, '/sign-in', credentials));
  const get = (path: string) => ask(address, path, { headers: { cookie } });
  const post: Visitor['post'] = (action, fields, headers) => formTo(address, action, fields, { cookie, ...headers });
  return {
    address,
    cookie,
    get,
    post,
    press: async (page, action, fields = {}) => post(action, { ...fields, token: tokenIn((await get(page)).text) }),
  };
};

export const signIn = async (world: DaemonWorld, address: string, ...options: readonly string[]): Promise<Visitor> =>
  signInWith(address, { pass: await newPass(world, ...options) });

export const settled = async (visitor: Visitor, path: string): Promise<string> => {
  // Each answer is delayed while there is work.
  while ((await visitor.get('/links/work/live')).text !== 'null');
  return (await visitor.get(path)).text;
};

export const planOf = async (visitor: Visitor): Promise<string> => {
  expect((await visitor.press('/links/work/plan', '/links/work/plan')).status).toBe(303);
  return settled(visitor, '/links/work/plan');
};

export const startPage = async (world: DaemonWorld) => {
  const daemon = world.startProcess();
  const line = await daemon.until(says('HTTP server started'));
  return { daemon, address: String(line['address']) };
};
