import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApp } from '../../src/app/app.ts';
import { loadConfig } from '../../src/app/config/config.ts';
import { createEvents } from '../../src/engine/events.ts';
import { createLogger } from '../../src/util/logger.ts';
import { EMPTY_PERSON, type Person } from '../../src/sandbox/people/person.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { readSides } from '../support/compare-sides.ts';
import { createMovableClock } from '../support/clocks.ts';
import { runChild } from './child.ts';

const person = (name: string): Person => ({
  ...EMPTY_PERSON,
  givenName: name,
  familyName: 'Tester',
  company: 'Mill',
  emails: [{ value: `${name.toLowerCase()}@example.org`, label: 'work' }],
});

const people = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => person(`${prefix}${n}`));

const WIDE = '60000/minute';
const LEASE_MS = 15_000;

test('R5, R7, R9: every edit and deletion on both sides is propagated after a first sync that was killed half way', async () => {
  await using stack = new AsyncDisposableStack();
  const clock = createMovableClock();
  const shared = people('Both', 20);
  const sandbox = stack.use(
    await startSandbox({
      clock,
      google: [...shared, ...people('Google', 60)],
      service: [...shared, ...people('Service', 20)],
      serviceRateLimit: { requests: 60_000, windowMs: 60_000 },
      googleQuotas: { readsPerMinute: 60_000, writesPerMinute: 60_000 },
    }),
  );
  const { google, service } = sandbox;
  const dataDir = await mkdtemp(join(tmpdir(), 'contact-sync-test-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const limits = { SERVICE_RATE_LIMIT: WIDE, GOOGLE_READ_LIMIT: WIDE, GOOGLE_WRITE_LIMIT: WIDE };
  const env = { ...sandbox.environment(), ...limits, DATA_DIR: dataDir, SWEEP_INTERVAL: '1s', DELETE_LIMIT: '20' };

  const before = service.account.contacts().length;
  const end = await runChild(['sync'], env, () => service.account.contacts().length >= before + 30);
  expect(end.killed).toBe(true);
  const created = service.account.contacts().length - before;
  expect(created).toBeGreaterThanOrEqual(30);
  expect(created).toBeLessThan(60);

  const googleNamed = (name: string): string => {
    const found = google.account.people().find((candidate) => candidate.names?.[0]?.givenName === name);
    return found?.resourceName ?? '';
  };
  const serviceNamed = (name: string): string => {
    return service.account.contacts().find((candidate) => candidate.first_name === name)?.id ?? '';
  };
  // Some that had arrived on the other side, some that had not, some that both sides had from the beginning.
  const arrived = service.account.contacts().slice(before, before + 20);
  const [fresh, gone] = [arrived.slice(0, 10), arrived.slice(10, 15)];
  const waiting = people('Google', 60).filter(({ givenName }) => serviceNamed(givenName) === '');
  const title = (index: number) => ({ organizations: [{ name: 'Mill', title: `Title ${index}` }] });
  const edited = new Map<string, string>();
  for (const [index, contact] of fresh.entries()) {
    edited.set(contact.first_name ?? '', `Title ${index}`);
    if (index % 2 === 0) service.account.updateContact(contact.id, { title: `Title ${index}` });
    else google.account.updatePerson(googleNamed(contact.first_name ?? ''), title(index));
  }
  const others = [...waiting.slice(0, 5), ...shared.slice(0, 5)].map((one) => one.givenName);
  for (const [index, name] of others.entries()) {
    edited.set(name, `Title ${index + 10}`);
    google.account.updatePerson(googleNamed(name), title(index + 10));
  }
  const deleted = [
    ...gone.map((one) => one.first_name ?? ''),
    'Both18',
    'Both19',
    'Service17',
    'Service18',
    'Service19',
  ];
  for (const [index, name] of deleted.entries()) {
    if (index % 2 === 0 && googleNamed(name) !== '') google.account.deletePerson(googleNamed(name));
    else if (serviceNamed(name) === '') google.account.deletePerson(googleNamed(name));
    else service.account.deleteContact(serviceNamed(name));
  }
  expect(edited.size).toBe(20);

  // The dead process's lease runs out.
  clock.advance(LEASE_MS + 1_000);
  const logger = createLogger({ level: 'silent', format: 'json', destination: process.stderr });
  const config = loadConfig({ env, cwd: dataDir });
  const app = stack.use(createApp(config, createEvents(logger, { personalData: false }), { clock }));
  const [link] = config.links;
  if (link === undefined) throw new Error('The sandbox configures one link.');
  for (let run = 0; run < 2; run += 1) {
    const { signal } = new AbortController();
    const { error } = await app.run(link, { kind: 'incremental', signal });
    expect(error).toBeNull();
    clock.advance(60_000);
  }
  const sides = readSides(sandbox);
  expect(sides.google).toEqual(sides.service);
  expect(sides.google.filter(({ name }) => deleted.includes(name.split(' ')[0] ?? ''))).toEqual([]);
  const titles = new Map(sides.service.map((row) => [row.name.split(' ')[0] ?? '', row.title]));
  expect([...edited].map(([name]) => [name, titles.get(name)])).toEqual([...edited]);
  expect(sides.google).toHaveLength(100 - deleted.length);
  expect(await app.store.conflicts(link.name, { all: true })).toEqual([]);
});
