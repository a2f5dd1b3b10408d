import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string };
type Answer = (response: ServerResponse, request: Received) => void;

/** A server that takes whatever it is posted. */
export type Receiver = {
  readonly url: string;
  readonly received: readonly Received[];
  /** The answer from now on; 204 by default. */
  answer(answer: Answer): void;
  /** Resolves when it has received so many in all. */
  until(count: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

const take: Answer = (response) => response.writeHead(204).end();

/** Listens on 127.0.0.1, at any free port unless one is given. */
export const startReceiver = async (port = 0): Promise<Receiver> => {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let answer = take;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const one = { path: request.url ?? '', headers: request.headers, body };
      received.push(one);
      answer(response, one);
      for (const look of waiting) look();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: (next) => {
      answer = next;
    },
    until: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (received.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
