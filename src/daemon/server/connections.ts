import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { z } from 'zod';

/** A client that sends nothing keeps its connection for so long. */
export const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
};
/** A connection without traffic is closed after that, unless the daemon still works on its answer. */
const SILENT_MS = 30_000;

const MOST = 256;
const FEWEST = 8;
/** The part of the process's descriptors that clients may hold. The rest is for files, remotes, Redis and the database. */
const SHARE = 1 / 4;

const report = z.object({ userLimits: z.object({ open_files: z.object({ soft: z.number() }) }) });

/** The file descriptors that this process may open; null if the system sets no limit. */
const descriptorLimit = (): number | null => {
  // The addresses of connections would be resolved by name.
  Object.assign(process.report, { excludeNetwork: true });
  const parsed = report.safeParse(process.report.getReport());
  return parsed.success ? parsed.data.userLimits.open_files.soft : null;
};

/** How many connections a server may have with this limit of file descriptors; null means no limit. */
export const connectionsFor = (descriptors: number | null): number =>
  Math.max(FEWEST, Math.min(MOST, Math.floor((descriptors ?? Infinity) * SHARE)));

/** How many connections the daemon's server may have. */
export const mostConnections = (): number => connectionsFor(descriptorLimit());

/** The request that a connection works on; null between requests. */
type Current = IncomingMessage | null;

const waitsForClient = (current: Current): boolean => current === null || !current.complete;

/**
 * Keeps a server's connections at or below `most`: for one more, the connection that has waited longest for its client is
 * closed. A connection whose request is complete is not closed; with only those, the new one is refused. `onLimited` is
 * called when that begins.
 */
export const limitConnections = (server: Server, most: number, onLimited: () => void): void => {
  const currents = new Map<Socket, Current>();
  let isLimited = false;
  const limit = (): void => {
    if (!isLimited) onLimited();
    isLimited = true;
  };
  const close = (socket: Socket): void => {
    currents.delete(socket);
    socket.destroy();
  };
  server.on('connection', (socket: Socket) => {
    if (currents.size >= most) {
      limit();
      const [oldest] = [...currents].find(([, current]) => waitsForClient(current)) ?? [socket];
      close(oldest);
      if (oldest === socket) return;
    }
    currents.set(socket, null);
    socket.once('close', () => {
      currents.delete(socket);
      if (currents.size <= most / 2) isLimited = false;
    });
  });
  server.on('request', (incoming, outgoing) => {
    const { socket } = incoming;
    if (currents.has(socket)) currents.set(socket, incoming);
    outgoing.once('close', () => {
      // Behind the others: it has waited for the shortest time.
      if (currents.get(socket) === incoming && currents.delete(socket)) currents.set(socket, null);
    });
  });
  server.setTimeout(SILENT_MS, (socket) => {
    if (waitsForClient(currents.get(socket) ?? null) || socket.writableLength > 0) close(socket);
  });
};
