import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** The address of the sender. */
export type OnSent = (from: string) => void;

/** A way that lets every piece of a request and of an answer take so long. */
const slowly = (from: Socket, to: Socket, delayMs: number): void => {
  from.on('data', (chunk) => void setTimeout(() => to.writable && to.write(chunk), delayMs));
  from.on('end', () => void setTimeout(() => to.end(), delayMs));
  from.on('close', () => void setTimeout(() => to.destroy(), delayMs));
  from.on('error', () => undefined);
};

/** Forwards a port of `address` to the same port of 127.0.0.1. */
export const forward = async (
  address: string,
  port: number,
  { delayMs, onSent }: { readonly delayMs: number; readonly onSent: OnSent },
): Promise<AsyncDisposable> => {
  const open = new Set<Socket>();
  const server = createServer((caller) => {
    const inner = connect(port, '127.0.0.1');
    const from = caller.remoteAddress ?? '';
    for (const socket of [caller, inner]) {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
    }
    caller.on('data', () => onSent(from));
    slowly(caller, inner, delayMs);
    slowly(inner, caller, delayMs);
  });
  server.listen(port, address);
  await once(server, 'listening');
  return {
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
};
