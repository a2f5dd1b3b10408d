import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { UsageError } from '../command/exit-codes.ts';
import { answerIn } from './consent-answer.ts';
import { errorCode } from '../../util/errors.ts';

const HOST = '127.0.0.1';

const page = (title: string, text: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>` +
  `<style>body{max-width:30rem;margin:4rem auto;padding:0 1rem;font-family:system-ui,sans-serif}</style></head>` +
  `<body><h1>${title}</h1><p>${text}</p></body></html>`;

const PAGES = {
  ours: [200, 'Back to the terminal', 'contact-sync continues there. You can close this window.'],
  foreign: [400, 'Another sign-in', 'This answer belongs to another sign-in. contact-sync still waits for its own.'],
  none: [404, 'Not found', 'contact-sync waits here for the answer of a consent page.'],
} as const;

const respond = (response: ServerResponse, what: keyof typeof PAGES): void => {
  const [status, title, text] = PAGES[what];
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(page(title, text));
};

/**
 * Listens on loopback for the redirect of a consent page (RFC 8252, 7.3). Port 0 selects any free port. Any page and any
 * program on this machine can send a request there: a request without the state has no effect.
 *
 * @throws {UsageError} if the port is in use.
 */
export const listenForRedirect = async (port: number, state: string) => {
  const { promise: answered, resolve } = Promise.withResolvers<URLSearchParams>();
  let lastResponse: ServerResponse | null = null;
  const server = createServer((request, response) => {
    lastResponse = response;
    const answer = request.method === 'GET' ? answerIn(`http://${HOST}${request.url ?? ''}`) : null;
    const isOurs = answer?.get('state') === state;
    respond(response, isOurs ? 'ours' : answer === null ? 'none' : 'foreign');
    if (answer !== null && isOurs) resolve(answer);
  });
  server.listen(port, HOST);
  await once(server, 'listening').catch((error: unknown) => {
    if (errorCode(error) !== 'EADDRINUSE') throw error;
    throw new UsageError(`Port ${port} is in use. Choose another one, or leave --port out for any free one.`);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The redirect listener has no port.');
  return {
    /** The address to which the consent page redirects the browser. */
    redirectUri: `http://${HOST}:${address.port}/`,
    /** The first answer that has the state of this sign-in. */
    answered,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      // The browser receives the whole page before the server closes.
      if (lastResponse !== null && !lastResponse.closed) await once(lastResponse, 'close');
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
