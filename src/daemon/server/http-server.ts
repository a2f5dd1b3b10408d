import { getRequestListener } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../../util/config-error.ts';
import type { ListenAddress } from '../../util/values.ts';
import { isLoopback } from '../../util/http.ts';
import { errorCode } from '../../util/errors.ts';

type HttpServerOptions = {
  readonly address: ListenAddress;
  /** Called when a request fails; the path is empty if there was no connection. */
  readonly onError: (path: string, error: unknown) => void;
  /** Called once, when a connection is refused because the server has too many. */
  readonly onLimited: (limit: number) => void;
};

/** The messages for an address that cannot be bound, by the code of the system. */
const FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use. End the program that listens there, or choose another port.',
  EADDRNOTAVAIL: 'is not an address of this machine. Choose one that is, such as 127.0.0.1.',
  ENOTFOUND: 'has an unknown host. Choose an address of this machine, such as 127.0.0.1.',
  EACCES: 'is not open to this user. Choose a port above 1023.',
};

const formatAddress = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

const bind = async (server: Server, { host, port }: ListenAddress): Promise<AddressInfo> => {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const fault = FAULTS[errorCode(error) ?? ''];
    if (fault === undefined) throw error;
    throw new ConfigError([{ where: 'LISTEN', what: `${formatAddress(host, port)} ${fault}` }]);
  }
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('The daemon listens at no port.');
  return bound;
};

/**
 * Refuses requests whose Host header is not a loopback name. This prevents DNS rebinding: a page of another site whose host name
 * resolves to this machine sends that host name.
 */
const loopbackOnly =
  (refusal: string): MiddlewareHandler =>
  async (context, next) => {
    const host = (context.req.header('host') ?? '').replace(/:\d+$/u, '');
    return isLoopback(host) ? next() : context.text(refusal, 403);
  };

const PAGE_IS_LOCAL = 'The page is open to this machine only. Set CONSOLE_TOKEN to open it to other machines.\n';

/** Limits the page to requests to a loopback name, such as those to a container's port that is published on 127.0.0.1. */
export const localPage = (routes: Hono): Hono => new Hono().use(loopbackOnly(PAGE_IS_LOCAL)).route('/', routes);

const withoutCache: MiddlewareHandler = async (context, next) => {
  await next();
  context.header('cache-control', 'no-store');
  context.header('x-content-type-options', 'nosniff');
};

const createApp = (
  groups: readonly Hono[],
  { isOpen, onError }: { readonly isOpen: boolean; readonly onError: HttpServerOptions['onError'] },
): Hono => {
  const app = new Hono();
  app.use(withoutCache);
  if (!isOpen) app.use(loopbackOnly('This address is for programs of this machine.\n'));
  for (const group of groups) app.route('/', group);
  app.notFound((context) => context.text('Not found.\n', 404));
  app.onError((error, context) => {
    onError(context.req.path, error);
    return context.text('The request failed. See the log of the daemon.\n', 500);
  });
  return app;
};

/**
 * Binds the address of the daemon's HTTP server. Requests are served after `serve`.
 *
 * @throws {ConfigError} if it cannot be bound, for example a port in use.
 */
export const openHttpServer = async ({ address, onError, onLimited }: HttpServerOptions) => {
  const server = createServer(TIMEOUTS);
  server.setTimeout(SILENT_MS);
  server.maxConnections = MOST_CONNECTIONS;
  server.once('drop', () => onLimited(MOST_CONNECTIONS));
  const bound = await bind(server, address);
  // A connection that the system cannot accept must not end the daemon.
  server.on('error', (error) => onError('', error));
  return {
    /** Its address, such as `127.0.0.1:8377`, with the actual port if any free one was requested. */
    address: formatAddress(bound.address, bound.port),
    /** Starts to serve these groups of routes, one for each feature; called once. */
    serve: (groups: readonly Hono[]): void => {
      const { fetch } = createApp(groups, { isOpen: !isLoopback(bound.address), onError });
      const listener = getRequestListener(fetch, { overrideGlobalObjects: false });
      server.on('request', (incoming, outgoing) => void listener(incoming, outgoing));
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      // An open connection must not delay the stop of the daemon.
      server.closeAllConnections();
      await closed;
    },
  };
};

/** The time limits of a connection whose client sends nothing. */
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
};
/** A connection without traffic is closed after this time. */
const SILENT_MS = 60_000;
/** Further connections are refused, so that clients cannot use up the file descriptors of the process. */
const MOST_CONNECTIONS = 128;
