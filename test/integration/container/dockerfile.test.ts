import { expect, test } from 'vitest';
import { readCompose, readDockerfile, readRedisCompose } from './dockerfile.ts';

test('the process of the image runs as an unprivileged user, with its state in a volume', () => {
  const { instructions = [] } = readDockerfile().at(-1) ?? {};
  const names = instructions.map(({ name }) => name);
  const texts = (name: string) => instructions.flatMap((each) => (each.name === name ? [each.text] : []));
  expect([texts('USER'), texts('VOLUME')]).toEqual([['node'], ['/data']]);
  expect(names.indexOf('USER')).toBeGreaterThan(names.lastIndexOf('RUN'));
});

test('compose.yaml publishes one port on loopback, and waits longer than the daemon needs to stop', () => {
  const { ports, stop_grace_period: grace } = readCompose().services['contact-sync'];
  expect(ports).toEqual(['127.0.0.1:8377:8377']);
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
