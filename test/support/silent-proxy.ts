import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A proxy before a local server that can stop answering without closing connections. */
export type SilentProxy = AsyncDisposable & {
  readonly port: number;
  /** Nothing comes through the connections that there are any more, and none of them is closed; later ones are served. */
  silence(): void;
};

/** Passes on what clients and the server at that port say. */
export const startSilentProxy = async (serverPort: number): Promise<SilentProxy> => {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(serverPort, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    client.pipe(upstream).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port was given.');
  return {
    port: address.port,
    silence: () => {
      for (const socket of sockets) socket.unpipe().resume();
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
