import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const MOST_OUTPUT = 64 * 1024 * 1024;

type Environment = Readonly<Record<string, string | undefined>>;
export type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Runs a program to its end, whatever that is. */
const end = async (
  file: string,
  args: readonly string[],
  env: Environment = process.env,
  timeoutMs = 0,
): Promise<Ended> => {
  try {
    return { code: 0, ...(await execute(file, args, { env, maxBuffer: MOST_OUTPUT, timeout: timeoutMs })) };
  } catch (error) {
    const { code, stdout, stderr, message } = error as Error & Partial<Record<'code' | 'stdout' | 'stderr', unknown>>;
    return {
      code: typeof code === 'number' ? code : -1,
      stdout: typeof stdout === 'string' ? stdout : '',
      stderr: typeof stderr === 'string' && stderr !== '' ? stderr : message,
    };
  }
};

/**
 * Runs a program that must end well, and answers what it printed.
 *
 * @throws {Error} with what it said, where it did not.
 */
export const succeed = async (file: string, args: readonly string[], env: Environment = process.env) => {
  const { code, stdout, stderr } = await end(file, args, env);
  if (code === 0) return stdout.trim();
  const words = `${stdout}\n${stderr}`.trim().split('\n').slice(-15).join('\n');
  throw new Error(`${file} ${args.join(' ')}\nended with ${code}:\n${words}`);
};

/** The program that builds images and runs containers on this machine. */
export type Engine = {
  readonly name: 'docker' | 'podman';
  /** Runs one command of it that must end well; `end` takes whatever comes. */
  succeed(...args: readonly string[]): Promise<string>;
  end(...args: readonly string[]): Promise<Ended>;
  /** The same for compose; null where there is none. */
  readonly compose: ((...args: readonly string[]) => Promise<Ended>) | null;
  [Symbol.asyncDispose](): Promise<void>;
};

/** An engine, or what is missing for one, each with the reason. */
export type Found = { readonly engine: Engine } | { readonly missing: readonly string[] };

const isThere = async (file: string): Promise<boolean> =>
  (await end('/bin/sh', ['-c', `command -v ${file}`])).code === 0;

const findDocker = async (): Promise<Engine | null> => {
  if ((await end('docker', ['info'], process.env, 20_000)).code !== 0) return null;
  const hasCompose = (await end('docker', ['compose', 'version'])).code === 0;
  return {
    name: 'docker',
    succeed: (...args) => succeed('docker', args),
    end: (...args) => end('docker', args),
    compose: hasCompose ? (...args) => end('docker', ['compose', ...args]) : null,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
};

/** An own store of images, and what a container needs where this machine is a container itself. */
const configurePodman = async (scratch: string): Promise<Environment> => {
  const storage = join(scratch, 'storage.conf');
  const containers = join(scratch, 'containers.conf');
  await writeFile(
    storage,
    `[storage]\ndriver = "overlay"\ngraphroot = "${join(scratch, 'graph')}"\nrunroot = "${join(scratch, 'run')}"\n`,
  );
  await writeFile(
    containers,
    [
      '[containers]',
      'default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]',
      '[engine]',
      'runtime = "runc"',
      'cgroup_manager = "cgroupfs"',
      'events_logger = "file"',
      '[network]',
      'network_backend = "netavark"',
      `network_config_dir = "${join(scratch, 'networks')}"`,
      '',
    ].join('\n'),
  );
  await mkdir(join(scratch, 'networks'));
  return { ...process.env, CONTAINERS_STORAGE_CONF: storage, CONTAINERS_CONF: containers };
};

/** Compose as a program of its own, of the second edition. */
const findCompose = async (): Promise<string | null> => {
  const candidates = ['docker-compose', '/usr/libexec/docker/cli-plugins/docker-compose'];
  for (const candidate of candidates) {
    const { code, stdout } = await end(candidate, ['version', '--short']);
    if (code === 0 && /^v?[2-9]/u.test(stdout)) return candidate;
  }
  return null;
};

/** Compose talks to Podman as it does to Docker, through a socket. */
const servePodman = async (scratch: string, env: Environment) => {
  const socket = join(scratch, 'podman.sock');
  const service = spawn('podman', ['system', 'service', '--time', '0', `unix://${socket}`], { env, stdio: 'ignore' });
  while (!existsSync(socket) && service.exitCode === null) await sleep(100);
  return { env: { ...env, DOCKER_HOST: `unix://${socket}` }, stop: () => service.kill() };
};

const findPodman = async (scratch: string): Promise<Found> => {
  const needed = ['podman', 'runc', 'catatonit', 'iptables', 'mmdebstrap'];
  const missing: string[] = [];
  for (const file of needed) if (!(await isThere(file))) missing.push(`${file} is not installed`);
  if (process.getuid?.() !== 0) missing.push('only root can make base images and run them with Podman');
  if (missing.length > 0) return { missing: ['no Docker engine answers', ...missing] };
  const env = await configurePodman(scratch);
  const compose = await findCompose();
  const served = compose === null ? null : await servePodman(scratch, env);
  const clear = async (): Promise<void> => {
    await end('podman', ['rm', '--all', '--force', '--time', '1'], env);
    await end('podman', ['volume', 'prune', '--force'], env);
    await end('podman', ['network', 'prune', '--force'], env);
    served?.stop();
    await end('umount', [join(scratch, 'graph/overlay')]);
    await rm(scratch, { recursive: true, force: true });
  };
  const engine: Engine = {
    name: 'podman',
    succeed: (...args) => succeed('podman', args, env),
    end: (...args) => end('podman', args, env),
    compose: compose === null || served === null ? null : (...args) => end(compose, args, served.env),
    [Symbol.asyncDispose]: clear,
  };
  return { engine };
};

/** Docker where its engine answers, else Podman with everything in `scratch`. */
export const findEngine = async (scratch: string): Promise<Found> => {
  const docker = await findDocker();
  return docker === null ? findPodman(scratch) : { engine: docker };
};
