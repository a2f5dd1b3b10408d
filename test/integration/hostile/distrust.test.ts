import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { generatePeople } from '../../../src/sandbox/people/generate.ts';
import { readSides } from '../../support/compare-sides.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';
import { passOn, startProxy } from '../../support/network.ts';
import { startSpoilingProxy, type SpoilingProxy } from './spoiling-proxy.ts';

/** A run waits between its searches for a contact whose creation got no answer. */
const HURRY = 20;

const withService = async (use: (linked: LinkedSandbox, service: SpoilingProxy) => Promise<void>): Promise<void> => {
  await using service = await startSpoilingProxy();
  const people = generatePeople({ count: 12, seed: 7 });
  await using linked = await startLinkedSandbox(
    { google: people, service: [] },
    { SERVICE_BASE_URL: service.url, SWEEP_INTERVAL: '1s' },
    { hurry: HURRY },
  );
  service.target = linked.sandbox.service.url;
  await use(linked, service);
};

type Contact = Record<string, unknown>;

/** The parts that are removed from the contacts of an answer, on every route. */
const contactsWithout = (lose: (contact: Contact) => Contact) => (text: string) => {
  const body = (text === '' ? {} : JSON.parse(text)) as { data?: unknown };
  const spoil = (one: unknown): unknown =>
    typeof one === 'object' && one !== null && 'email_addresses' in one ? lose(one) : one;
  return JSON.stringify({ ...body, data: Array.isArray(body.data) ? body.data.map(spoil) : spoil(body.data) });
};

const without = (key: string) => (contact: Contact) =>
  Object.fromEntries(Object.entries(contact).filter(([name]) => name !== key));

test.each([
  ['email_addresses', without('email_addresses')],
  ['phone_numbers', without('phone_numbers')],
  ['addresses', without('addresses')],
  ['websites', without('websites')],
  ['null lists', (contact: Contact) => ({ ...contact, email_addresses: null, phone_numbers: null })],
  ['names', (contact: Contact) => ({ ...contact, first_name: null, last_name: null })],
  ['buckets', (contact: Contact) => ({ ...contact, extra_data: {} })],
])('R17: a missing part of an answer of the service does not count as empty: %s', async (_, lose) => {
  await withService(async (linked, service) => {
    await linked.synced();
    const before = readSides(linked.sandbox);
    service.rewrite = contactsWithout(lose);
    for (const kind of ['incremental', 'full'] as const) {
      const summary = await linked.synced({ afterMs: 60_000, kind });
      expect([summary.left.updated, summary.left.deleted, summary.right.created]).toEqual([0, 0, 0]);
    }
    service.rewrite = null;
    await linked.synced({ afterMs: 60_000, kind: 'full' });
    expect(readSides(linked.sandbox)).toEqual(before);
  });
});

test('R9, R17: no second create follows a lost answer while contacts cannot be read', async () => {
  await withService(async (linked, service) => {
    service.rewrite = contactsWithout(without('websites'));
    for (let run = 0; run < 3; run += 1) {
      await linked.sync();
      linked.clock.advance(3_600_000);
    }
    service.rewrite = null;
    await linked.sync({ kind: 'full' });
    const { google, service: people } = readSides(linked.sandbox);
    expect(people).toEqual(google);
  });
});

/** A proxy to the service that redirects creates with a status, until it is null. */
const startRedirector = async () => {
  const state: { target: string; status: number | null } = { target: '', status: 307 };
  const proxy = await startProxy(async (request, response) => {
    const { method, url = '/' } = request;
    if (state.status !== null && method === 'POST' && url.endsWith('/v2/contacts')) {
      response.writeHead(state.status, { location: `${state.target}${url}` }).end();
      return;
    }
    const answer = await passOn(state.target, request, await buffer(request));
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  return { ...proxy, state };
};

test.each([301, 303, 307, 308])('R15, R17: a create that is answered with %d is reported', async (status) => {
  await using redirector = await startRedirector();
  const people = generatePeople({ count: 3, seed: 7 });
  await using linked = await startLinkedSandbox(
    { google: people, service: [] },
    { SERVICE_BASE_URL: redirector.url },
    { hurry: HURRY },
  );
  Object.assign(redirector.state, { target: linked.sandbox.service.url, status });
  const { summary } = await linked.sync();
  expect(summary.skipped).toBe(3);
  expect(readSides(linked.sandbox).service).toEqual([]);
  redirector.state.status = null;
  const sound = await linked.sync({ afterMs: 24 * 3_600_000 });
  expect(sound.error).toBeNull();
  const sides = readSides(linked.sandbox);
  expect(sides.service).toEqual(sides.google);
});
