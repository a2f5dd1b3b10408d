import { once } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { html } from 'hono/html';

const ADDRESS = '127.0.0.1';
/** Longer than any test is idle, so that an idle connection is not closed while a client starts to use it. */
const KEEP_ALIVE_MS = 600_000;

type Fetch = Parameters<typeof getRequestListener>[0];

/** Opens a free port on 127.0.0.1. Requests are answered after `serve`. */
export const openPort = async () => {
  const server = createServer();
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(0, ADDRESS);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The emulator listens on no TCP port.');
  return {
    /** The address of the server, without a trailing slash. */
    origin: `http://${ADDRESS}:${address.port}`,
    serve: (fetch: Fetch): void => {
      const listener = getRequestListener(fetch, { overrideGlobalObjects: false });
      server.on('request', (incoming, outgoing) => void listener(incoming, outgoing));
    },
    /** Closes all connections and frees the port. */
    close: async (): Promise<void> => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

const style = html`<style>
  body {
    max-width: 30rem;
    margin: 4rem auto;
    padding: 0 1rem;
    font-family: system-ui, sans-serif;
    line-height: 1.5;
    overflow-wrap: anywhere;
  }
  label {
    display: flex;
    gap: 0.5rem;
  }
  button {
    margin: 1rem 0.5rem 0 0;
    padding: 0.5rem 1.5rem;
    font: inherit;
  }
</style>`;

/** Returns a page of the sign-in of `remote`, such as the consent page. */
export const signInPage = (remote: string, title: string, content: ReturnType<typeof html>) =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        ${style}
      </head>
      <body>
        <small>Sandbox of ${remote}: nothing here is real</small>
        ${content}
      </body>
    </html>`;
