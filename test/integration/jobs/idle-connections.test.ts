import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startDaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, errors, says } from '../../support/jobs/log-lines.ts';

const LIMIT = 64;

const openIdle = async (port: number, first: string): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(first);
  return socket;
};

/** Returns the response on a separate connection. */
const askAlone = async (port: number, path: string): Promise<string> => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
  return answer.text();
};

test.each([
  ['send nothing', ''],
  ['begin a request', 'GET /healthz HTTP/1.1\r\nHost: loc'],
  ['begin a body', 'POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\na=b'],
])('with more connections than file descriptors that %s the daemon still syncs and responds', async (_, first) => {
  await using world = await startDaemonWorld({ work: { syncInterval: '1s' } }, { listen: '127.0.0.1:0' });
  const daemon = world.startProcess(LIMIT);
  const port = Number(String((await daemon.until(says('HTTP server started')))['address']).split(':')[1]);
  await daemon.until(completed('work', 'full'));
  const idle: Socket[] = [];
  for (let count = 0; count < LIMIT + 50; count += 1) idle.push(await openIdle(port, first));
  expect(await askAlone(port, '/healthz')).toBe('alive\n');
  expect(await askAlone(port, '/metrics')).toContain('contact_sync_info');
  expect(await daemon.until(says('HTTP connections limited'))).toMatchObject({ level: 'warn', limit: LIMIT / 4 });
  await daemon.until(completed('work', 'incremental'), daemon.lines.length);
  expect(errors(daemon)).toEqual([]);
  expect((await world.run('health')).code).toBe(0);
  for (const socket of idle) socket.destroy();
});
