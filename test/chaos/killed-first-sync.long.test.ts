import { expect, test } from 'vitest';
import { readSides } from '../support/compare-sides.ts';
import { person } from '../support/linked-people.ts';
import { FAST_LIMITS, startLinkedSandbox } from '../support/linked-sandbox.ts';
import { runChild } from './child.ts';

const people = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => person(`${prefix}${n}`, { company: 'Mill' }));

const LEASE_MS = 15_000;

test('R5, R7, R9: every edit and deletion on both sides is propagated after a first sync that was killed half way', async () => {
  const shared = people('Both', 20);
  const books = { google: [...shared, ...people('Google', 60)], service: [...shared, ...people('Service', 20)] };
  const settings = { SWEEP_INTERVAL: '1s', DELETE_LIMIT: '20' };
  await using linked = await startLinkedSandbox(books, settings);
  const { sandbox, dataDir } = linked;
  const { google, service } = sandbox;
  const env = { ...sandbox.environment(), ...FAST_LIMITS, ...settings, DATA_DIR: dataDir };

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
  const both = 'Both18 Both19 Service17 Service18 Service19'.split(' ');
  const deleted = [...gone.map((one) => one.first_name ?? ''), ...both];
  for (const [index, name] of deleted.entries()) {
    if (index % 2 === 0 && googleNamed(name) !== '') google.account.deletePerson(googleNamed(name));
    else if (serviceNamed(name) === '') google.account.deletePerson(googleNamed(name));
    else service.account.deleteContact(serviceNamed(name));
  }
  expect(edited.size).toBe(20);

  // The dead process's lease runs out.
  linked.clock.advance(LEASE_MS + 1_000);
  for (let run = 0; run < 2; run += 1) {
    await linked.synced();
    linked.clock.advance(60_000);
  }
  const sides = readSides(sandbox);
  expect(sides.google).toEqual(sides.service);
  expect(sides.google.filter(({ name }) => deleted.includes(name.split(' ')[0] ?? ''))).toEqual([]);
  const titles = new Map(sides.service.map((row) => [row.name.split(' ')[0] ?? '', row.title]));
  expect([...edited].map(([name]) => [name, titles.get(name)])).toEqual([...edited]);
  expect(sides.google).toHaveLength(100 - deleted.length);
  expect(await linked.app.store.conflicts(linked.link.name, { all: true })).toEqual([]);
});
