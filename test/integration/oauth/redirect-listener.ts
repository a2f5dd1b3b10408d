import { once } from 'node:events';
import { createServer } from 'node:http';

export type RedirectListener = AsyncDisposable & {
  readonly redirectUri: string;
  /** The redirect address, with the result of the consent in its query. */
  readonly redirected: Promise<URL>;
};

const PATH = '/callback';

/** The loopback server of a desktop application: it waits for the browser to come back from a consent page. */
export const startRedirectListener = async (): Promise<RedirectListener> => {
  const { promise: redirected, resolve } = Promise.withResolvers<URL>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname === PATH) resolve(url);
    response.writeHead(url.pathname === PATH ? 200 : 404, { 'content-type': 'text/plain' });
    response.end('Done. You can close this window.');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The redirect listener has no port.');
  return {
    redirectUri: `http://127.0.0.1:${address.port}${PATH}`,
    redirected,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
