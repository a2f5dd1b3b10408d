import { fetch } from 'undici';
import { describe, expect, test } from 'vitest';
import type { Transport } from '../../src/net/transport.ts';
import { ClientRefusedError, InvalidError, RevokedError } from '../../src/providers/errors.ts';
import { authorizeUrl, exchangeCode } from '../../src/providers/service/api/authorization.ts';
import { createSend } from '../../src/providers/service/api/send.ts';
import { createServiceApi } from '../../src/providers/service/api/service-api.ts';
import { type ServiceEmulator, startServiceEmulator } from '../../src/sandbox/service/server.ts';
import { DOCUMENTED_SCOPES, type DocumentedRoute, stockAccount, TABLES } from './document-routes.ts';
import { grant } from './document-schemas.ts';
import { createLeapingClock } from '../support/clocks.ts';
import { openTransport } from '../support/network.ts';

/** One request and what was answered to it. */
type Exchange = {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Parsed JSON; undefined for anything else. */
  readonly json: unknown;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** A way to the network that keeps every answer as it came over the wire, before any client has read it. */
const createRecorder = () => {
  const { transport, close } = openTransport();
  const exchanges: Exchange[] = [];
  const recording: Transport = async (request, ...rest) => {
    const answer = await transport(request, ...rest);
    const { method, url } = request;
    exchanges.push({ method, path: new URL(url).pathname, status: answer.status, json: parseJson(answer.text) });
    return answer;
  };
  return { transport: recording, exchanges, close };
};

const { signal } = new AbortController();
const DAY_MS = 24 * 60 * 60_000;
const REDIRECT_URI = 'http://127.0.0.1:9/callback';

const titleOf = ({ method, path }: Pick<DocumentedRoute, 'method' | 'path'>): string => `${method} ${path}`;

const open = async () => {
  const clock = createLeapingClock();
  const rateLimit = { requests: 100_000, windowMs: 60_000 };
  const emulator = await startServiceEmulator({ clock, rateLimit });
  const { transport, exchanges, ...recorder } = createRecorder();
  const sendWith = (accessToken: string | null) =>
    createSend({ baseUrl: emulator.url, accessToken, transport, clock })(signal);
  const stock = stockAccount(emulator, clock.now() - 3 * DAY_MS);
  const close = async (): Promise<void> => {
    await recorder.close();
    await emulator.close();
  };
  return { emulator, exchanges, sendWith, stock, [Symbol.asyncDispose]: close };
};

const grantedScopes = (alternative: string): string[] => alternative.split('+');

/** Calls the route on a new account with the token that `prepare` returns. Returns the error and the HTTP exchanges. */
const callWith = async (route: DocumentedRoute, prepare: (emulator: ServiceEmulator) => string) => {
  await using stage = await open();
  const api = createServiceApi(stage.sendWith(prepare(stage.emulator)));
  const error = await route.call(api, stage.stock).then(
    () => null,
    (caught: unknown) => caught,
  );
  return { error, exchanges: stage.exchanges };
};

const pathPattern = (path: string): RegExp => new RegExp(`^${path.replace('{id}', '[^/]+')}$`, 'u');

/** Returns each single scope that is insufficient: every scope that is not in `scopes`, and each half of a pair. */
const insufficient = (scopes: readonly string[]): string[] =>
  DOCUMENTED_SCOPES.filter((scope) => !scopes.includes(scope));

const describeRoute = (route: DocumentedRoute): void => {
  const { scopes, method, path, answer } = route;

  test(`${titleOf(route)} answers as documented with each sufficient scope`, async () => {
    for (const alternative of scopes ?? ['all:manage']) {
      const { error, exchanges } = await callWith(route, (emulator) => emulator.issueToken(grantedScopes(alternative)));
      expect(error).toBeNull();
      expect(exchanges.length).toBeGreaterThan(0);
      for (const exchange of exchanges) {
        expect(exchange).toMatchObject({ method, path: expect.stringMatching(pathPattern(path)), status: 200 });
        expect(answer.safeParse(exchange.json)).toMatchObject({ success: true });
      }
    }
  });

  // Every grant includes user:login, so a route that requires only that scope is refused only after a revocation.
  if (scopes?.includes('user:login') === true) {
    test(`${titleOf(route)} is refused with a revoked permission`, async () => {
      const { error } = await callWith(route, (emulator) => {
        const token = emulator.issueToken(['all:manage']);
        emulator.revokeToken(token);
        return token;
      });
      expect(error).toBeInstanceOf(RevokedError);
    });
    return;
  }

  test(`${titleOf(route)} is refused with each insufficient scope`, async () => {
    for (const scope of scopes === null ? ['user:basic', 'tasks:view'] : insufficient(scopes)) {
      const { error, exchanges } = await callWith(route, (emulator) => emulator.issueToken([scope]));
      expect(error).toBeInstanceOf(RevokedError);
      expect(exchanges).toMatchObject([{ status: 403 }]);
    }
  });
};

/** Signs in and consents without a browser, and returns the URL of the final redirect. */
const consent = async (emulator: ServiceEmulator, scope = 'contacts:view'): Promise<URL> => {
  const url = new URL(
    authorizeUrl(emulator.authUrl, {
      clientId: emulator.clientId,
      redirectUri: REDIRECT_URI,
      scopes: ['contacts:manage', 'buckets:manage'],
      state: 'a state & more',
    }),
  );
  expect(url.search).toContain('scope=contacts%3Amanage+buckets%3Amanage');
  if (scope === 'unknown') url.searchParams.set('scope', 'nothing:known');
  url.searchParams.set('approve', 'auto');
  const { headers } = await fetch(url, { redirect: 'manual' });
  return new URL(headers.get('location') ?? expect.fail('no redirect'));
};

describe('the authorization endpoints', () => {
  test('GET /oauth2/authorize returns a code with the state, and refuses an unknown scope', async () => {
    await using stage = await open();
    const withCode = await consent(stage.emulator);
    expect(withCode.searchParams.get('code')).not.toBeNull();
    expect(withCode.searchParams.get('state')).toBe('a state & more');
    const refusal = await consent(stage.emulator, 'unknown');
    expect(refusal.searchParams.get('error')).toBe('invalid_scope');
    expect(refusal.searchParams.get('code')).toBeNull();
  });

  test('POST /oauth2/token returns a token with the granted scopes for a code, once, and none for another secret', async () => {
    await using stage = await open();
    const send = stage.sendWith(null);
    const { clientId, clientSecret } = stage.emulator;
    const code = async (): Promise<string> => (await consent(stage.emulator)).searchParams.get('code') ?? '';
    const exchange = { clientId, clientSecret, code: await code(), redirectUri: REDIRECT_URI };
    const granted = await exchangeCode(send, exchange);
    expect(grant.safeParse(stage.exchanges[0]?.json)).toMatchObject({ success: true });
    const api = createServiceApi(stage.sendWith(granted.access_token));
    await api.contacts.update(stage.stock.contactId, { title: 'Countess' });
    await expect(exchangeCode(send, exchange)).rejects.toThrow(InvalidError);
    const stolen = { ...exchange, code: await code(), clientSecret: 'another' };
    await expect(exchangeCode(send, stolen)).rejects.toThrow(ClientRefusedError);
  });
});

describe.each(TABLES)('the documentation, $table', ({ routes }) => {
  routes.forEach(describeRoute);
});
