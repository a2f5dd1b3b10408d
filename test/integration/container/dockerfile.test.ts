import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { readBuildContext, readCompose, readDockerfile, readRedisCompose, ROOT, withoutDigests } from './dockerfile.ts';

const stages = readDockerfile();
const final = stages.at(-1);
const texts = (name: string): string[] =>
  (final?.instructions ?? []).flatMap((instruction) => (instruction.name === name ? [instruction.text] : []));

test('every stage uses the same slim Debian with the Node version of package.json', () => {
  expect(new Set(stages.map(({ base }) => withoutDigests(base)))).toEqual(new Set(['node:24-bookworm-slim']));
  const { engines } = z
    .object({ engines: z.object({ node: z.string() }) })
    .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
  expect(engines.node).toBe('>=24');
});

test('the image contains only production dependencies, and no sources', () => {
  const copies = texts('COPY');
  expect(copies.find((text) => text.includes('node_modules'))).toMatch(/^--from=dependencies /u);
  expect(copies.some((text) => / (?:src|test)\b/u.test(` ${text}`))).toBe(false);
  const installs = stages
    .find(({ name }) => name === 'dependencies')
    ?.instructions.filter(({ name }) => name === 'RUN');
  expect(installs?.map(({ text }) => text)).toEqual([expect.stringMatching(/^npm ci --omit=dev --ignore-scripts /u)]);
});

test('the process runs as an unprivileged user, as PID 1, with its state in a volume', () => {
  const names = final?.instructions.map(({ name }) => name) ?? [];
  expect(texts('USER')).toEqual(['node']);
  expect(names.indexOf('USER')).toBeGreaterThan(names.lastIndexOf('RUN'));
  expect(texts('VOLUME')).toEqual(['/data']);
  // `init` writes below XDG_CONFIG_HOME, and a published port reaches only a server that listens on all addresses.
  const settings = texts('ENV').join(' ').split(' ');
  expect(settings).toEqual(expect.arrayContaining(['DATA_DIR=/data', 'XDG_CONFIG_HOME=/data', 'LISTEN=0.0.0.0:8377']));
  expect(texts('EXPOSE')).toEqual(['8377']);
  expect(texts('STOPSIGNAL')).toEqual(['SIGTERM']);
  // The shell gives its place to the program, so signals arrive there.
  expect(texts('ENTRYPOINT')[0]).toContain('exec contact-sync');
  expect(texts('CMD')).toEqual(['["daemon"]']);
  expect(texts('HEALTHCHECK')[0]).toMatch(/CMD \["contact-sync", "health"\]$/u);
  expect(texts('LABEL').join(' ')).toContain('org.opencontainers.image.licenses="MIT"');
});

test('each copied file is in the build context', () => {
  const sources = stages
    .flatMap(({ instructions }) => instructions)
    .filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from='))
    .flatMap(({ text }) => text.split(/\s+/u).slice(0, -1));
  const allowed = readBuildContext();
  expect(sources.filter((source) => !allowed.includes(source))).toEqual([]);
});

test('compose.yaml needs one volume and one port, and its grace period is longer than the daemon needs to stop', () => {
  const { ports, volumes, stop_grace_period: grace } = readCompose().services['contact-sync'];
  expect(ports).toEqual(['127.0.0.1:8377:8377']);
  expect(volumes).toEqual(['data:/data']);
  expect(Number.parseInt(grace, 10)).toBeGreaterThan(10);
});

test('compose.redis.yaml passes secrets as files, and its Redis loses no jobs', () => {
  const { services, secrets } = readRedisCompose();
  const { environment, secrets: used } = services['contact-sync'];
  expect(Object.keys(secrets).toSorted()).toEqual([...used, ...services.redis.secrets].toSorted());
  expect(
    Object.keys(environment)
      .filter((name) => /SECRET|KEY|TOKEN|REDIS/u.test(name))
      .every((name) => name.endsWith('_FILE')),
  ).toBe(true);
  expect(services.redis.command.join(' ')).toBe(
    'redis-server /run/secrets/redis_conf --appendonly yes --maxmemory-policy noeviction',
  );
  expect(services.redis.healthcheck.test.join(' ')).toContain('REDISCLI_AUTH');
});
