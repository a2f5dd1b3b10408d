import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ip = (...of: readonly string[]): Promise<unknown> => run('ip', of);

/** A network of hosts that reach this machine at `address`, and nothing else. */
export type HostNetwork = {
  readonly address: string;
  /** All addresses of the network, as PostgreSQL writes them. */
  readonly range: string;
  /** The program and arguments before which a command runs on that host, counted from 0, in a namespace of process ids of its own. */
  prefix(host: number): readonly string[];
  /** Disconnects the host without closing connections: packets are lost. */
  cut(host: number): Promise<void>;
  mend(host: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** The reason why this machine cannot have one; null if it can. */
const whyNot = async (): Promise<string | null> => {
  if (process.platform !== 'linux') return 'Network namespaces exist on Linux alone.';
  if (process.getuid?.() !== 0) return 'Network namespaces are made by root alone: run this as root.';
  return ip('netns', 'list').then(
    () => null,
    (error: unknown) => `There is no command ip, of Debian's package iproute2 (${String(error)}).`,
  );
};

/**
 * Makes a network namespace for each host, and a bridge between them on which this machine has an address.
 *
 * @throws {Error} where that is not possible here; nothing is left of it.
 */
export const createNetwork = async (hosts: number): Promise<HostNetwork> => {
  const reason = await whyNot();
  if (reason !== null) throw new Error(`There is no network of hosts to be had: ${reason}`);
  // Names of devices have 15 characters at most.
  const tag = `cs${(process.pid % 100_000).toString(36)}`;
  const net = `10.${200 + (process.pid % 50)}.${process.pid % 250}`;
  const bridge = `${tag}br`;
  await using stack = new AsyncDisposableStack();
  await ip('link', 'add', bridge, 'type', 'bridge');
  stack.defer(() => ip('link', 'del', bridge).then(() => undefined));
  await ip('addr', 'add', `${net}.1/24`, 'dev', bridge);
  await ip('link', 'set', bridge, 'up');
  for (let host = 0; host < hosts; host += 1) {
    const [space, outer, inner] = [`${tag}n${host}`, `${tag}o${host}`, `${tag}i${host}`];
    await ip('netns', 'add', space);
    stack.defer(() => ip('netns', 'del', space).then(() => undefined));
    await ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner, 'netns', space);
    await ip('link', 'set', outer, 'master', bridge, 'up');
    await ip('-n', space, 'addr', 'add', `${net}.${host + 10}/24`, 'dev', inner);
    await ip('-n', space, 'link', 'set', inner, 'up');
    await ip('-n', space, 'link', 'set', 'lo', 'up');
  }
  const owned = stack.move();
  return {
    address: `${net}.1`,
    range: `${net}.0/24`,
    prefix: (host) => [
      'ip',
      'netns',
      'exec',
      `${tag}n${host}`,
      'unshare',
      '--pid',
      '--fork',
      '--mount-proc',
      '--kill-child',
      '--',
    ],
    cut: async (host) => void (await ip('link', 'set', `${tag}o${host}`, 'down')),
    mend: async (host) => void (await ip('link', 'set', `${tag}o${host}`, 'up')),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
};
