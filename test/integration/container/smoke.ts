import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { readSides } from '../../support/compare-sides.ts';
import { baseImages } from './base-images.ts';
import { ROOT, withoutDigests } from './dockerfile.ts';
import type { Ended, Engine } from './engine.ts';

export const IMAGE = 'contact-sync-check';

/** The paths that the image may add to its base. */
const MOST_ADDED_MB = 60;
const MB = 1_000_000;
/** The daemon ends within ten seconds, with some for the container around it. */
const MOST_TO_STOP_MS = 10_000;

/** Maximum time of a step on a busy machine. */
const PATIENCE_MS = 90_000;

/** The options of compose.yaml. */
const LOCKED = '--init --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges'.split(' ');
const lockedFor = ({ name }: Engine): readonly string[] =>
  name === 'podman' ? [...LOCKED, '--read-only-tmpfs=false'] : LOCKED;

export const expectText = (what: string, text: string, pattern: RegExp): void => {
  if (!pattern.test(text)) throw new Error(`${what} does not say ${String(pattern)} but:\n${text}`);
};

/** Asks again until the answer is as wanted. */
export const until = async (
  what: string,
  ask: () => Promise<Ended>,
  isWanted: (ended: Ended) => boolean,
): Promise<Ended> => {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const ended = await ask();
    if (isWanted(ended)) return ended;
    if (performance.now() > end) {
      throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s; last:\n${ended.stdout}\n${ended.stderr}`);
    }
    await sleep(500);
  }
};

const packageVersion = (): string =>
  z.object({ version: z.string() }).parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))).version;

/** Builds it; base images that were made here have names, but no digests. */
export const build = async (
  engine: Engine,
  options: readonly string[],
  { revision, scratch }: { readonly revision: string; readonly scratch: string },
): Promise<void> => {
  const file = join(scratch, 'Dockerfile');
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  writeFileSync(file, engine.name === 'podman' ? withoutDigests(dockerfile) : dockerfile);
  const labels = ['--build-arg', `VERSION=${packageVersion()}`, '--build-arg', `REVISION=${revision}`];
  const own =
    engine.name === 'podman' ? ['--pull=never', '--layers=false', '--format', 'docker', '--network', 'host'] : [];
  await engine.succeed('build', '--quiet', ...own, ...options, ...labels, '--file', file, '--tag', IMAGE, ROOT);
};

const sizeOf = async (engine: Engine, image: string): Promise<number> =>
  Number(await engine.succeed('image', 'inspect', '--format', '{{.Size}}', image));

/** Answers the image's size in words. */
export const inspectSize = async (engine: Engine): Promise<string> => {
  const base = await sizeOf(engine, baseImages(engine).node);
  const all = await sizeOf(engine, IMAGE);
  const added = (all - base) / MB;
  const words = `${Math.round(all / MB)} MB: the base of ${Math.round(base / MB)} MB and ${Math.round(added)} MB`;
  if (added > MOST_ADDED_MB) throw new Error(`The image has ${words}; it may add ${MOST_ADDED_MB} MB.`);
  return words;
};

const UNWANTED = [
  String.raw`find /app -type f -regex '.*\.\(map\|[cm]?ts\|[ch]\|cc\|cpp\|gypi?\)'`,
  String.raw`find /app -type d -regex '.*/\(tests?\|__tests__\)'`,
  `find /app -name '*.node' -path '*prebuilds*' ! -name "linux-$(node -p process.arch).node"`,
  `find /app/node_modules -maxdepth 1 -name typescript -o -maxdepth 1 -name vitest -o -maxdepth 1 -name playwright-core`,
].join('; ');

export const inspectContents = async (engine: Engine, revision: string): Promise<void> => {
  const shell = (script: string): Promise<string> =>
    engine.succeed('run', '--rm', '--network', 'none', '--entrypoint', '/bin/sh', IMAGE, '-c', script);
  const unwanted = await shell(UNWANTED);
  if (unwanted !== '') throw new Error(`The image holds what it does not need:\n${unwanted}`);
  expectText('/data', await shell('stat -c "%a %U" /data'), /^700 node$/u);
  const labels = await engine.succeed('image', 'inspect', '--format', '{{json .Config.Labels}}', IMAGE);
  expectText('the labels', labels, new RegExp(`"org.opencontainers.image.version":"${packageVersion()}"`, 'u'));
  expectText('the labels', labels, new RegExp(`"org.opencontainers.image.revision":"${revision}"`, 'u'));
};

export const runCommands = async (engine: Engine): Promise<void> => {
  const alone = ['run', '--rm', '--network', 'none', ...lockedFor(engine), IMAGE];
  expectText('the demo', await engine.succeed(...alone, 'demo'), /No difference\./u);
  expectText('--help', await engine.succeed(...alone, '--help'), /Exit codes:/u);
  // The program's name may be given too.
  expectText('--version', await engine.succeed(...alone, 'contact-sync', '--version'), /^\d+\.\d+\.\d+$/u);
  const health = await engine.end(...alone, 'health');
  expectText('health', health.stdout, /^unhealthy: /u);
  if (health.code !== 1) throw new Error(`health ended with ${health.code} where no daemon runs.`);
};

/** A daemon against a sandbox of this process, from its first run to SIGTERM. */
export const runDaemon = async (engine: Engine): Promise<void> => {
  await using sandbox = await startSandbox();
  const name = `${IMAGE}-${process.pid}`;
  const { DATA_DIR: _left, ...variables } = sandbox.environment();
  const settings = Object.entries(variables).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
  const volume = ['--volume', `${name}:/data`];
  const exec = (...args: readonly string[]): Promise<Ended> => engine.end('exec', name, 'contact-sync', ...args);
  const options = ['--detach', '--name', name, '--network', 'host', ...lockedFor(engine), ...volume, ...settings];
  await engine.succeed('run', ...options, IMAGE);
  try {
    const isSynced = ({ stdout }: Ended): boolean => stdout.includes('completed');
    await until('a first run', () => exec('status'), isSynced);
    const { google, service } = readSides(sandbox);
    if (google.length === 0 || JSON.stringify(google) !== JSON.stringify(service)) throw new Error('The sides differ.');
    // Without Redis it runs beside the daemon, which may just be at work on the link.
    const resync = () => exec('resync', '--wait');
    await until('a resync', resync, ({ code }) => code === 0);
    expectText('health', (await exec('health')).stdout, /^healthy: 1 link$/mu);
    const before = performance.now();
    await engine.succeed('stop', '-t', '30', name);
    const tookMs = performance.now() - before;
    if (tookMs > MOST_TO_STOP_MS) throw new Error(`SIGTERM took ${Math.round(tookMs)} ms.`);
    expectText('the exit code', await engine.succeed('inspect', '--format', '{{.State.ExitCode}}', name), /^0$/u);
  } catch (error) {
    const { stdout, stderr } = await engine.end('logs', '--tail', '20', name);
    throw new Error(`The daemon's container failed. Its last lines:\n${stdout}${stderr}`, { cause: error });
  } finally {
    await engine.end('rm', '--force', name);
    await engine.end('volume', 'rm', name);
  }
};
