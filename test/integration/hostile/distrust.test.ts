import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { generatePeople } from '../../../src/sandbox/people/generate.ts';
import { readSides } from '../../support/compare-sides.ts';
import { startLinkedSandbox, type LinkedSandbox } from '../../support/linked-sandbox.ts';
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

const startRedirector = async (target: () => string) => {
  const state = { status: 307, method: 'POST' };
  const server = createServer((request, response) => {
    if (request.method === state.method && (request.url ?? '').endsWith('/v2/contacts')) {
      response.writeHead(state.status, { location: `${target()}${request.url ?? ''}` });
      response.end();
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { authorization = '' } = request.headers;
      const method = request.method ?? 'GET';
      const headers = { authorization, 'content-type': 'application/json' };
      const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
      void fetch(new URL(request.url ?? '/', target()), { method, headers, ...body }).then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': 'application/json' });
        response.end(await answer.text());
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

test.each([301, 303, 307, 308])('R15, R17: a create that is answered with %d is reported', async (status) => {
  let target = '';
  await using redirector = await startRedirector(() => target);
  const people = generatePeople({ count: 3, seed: 7 });
  await using linked = await startLinkedSandbox(
    { google: people, service: [] },
    { SERVICE_BASE_URL: redirector.url },
    { hurry: HURRY },
  );
  target = linked.sandbox.service.url;
  redirector.state.status = status;
  const { summary } = await linked.sync();
  expect(summary.skipped).toBe(3);
  expect(readSides(linked.sandbox).service).toEqual([]);
  redirector.state.method = 'NONE';
  const sound = await linked.sync({ afterMs: 24 * 3_600_000 });
  expect(sound.error).toBeNull();
  const sides = readSides(linked.sandbox);
  expect(sides.service).toEqual(sides.google);
});
