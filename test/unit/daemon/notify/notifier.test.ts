import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Config } from '../../../../src/app/config/config.ts';
import { createNotifier, type NotifierParts } from '../../../../src/daemon/notify/notifier.ts';
import { openStore } from '../../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../../src/store/store.ts';
import { createEventLog, type EventLog } from '../../../support/jobs/log-lines.ts';
import { createMovableClock, type MovableClock } from '../../../support/clocks.ts';
import { Secret } from '../../../../src/util/secret.ts';
import { patchLink } from '../../../support/store/rows.ts';
import { startReceiver, type Receiver } from '../../../support/network.ts';

const PATH = '/services/T0SECRET/B0SECRET';
let store: Store;
let receiver: Receiver;
let clock: MovableClock;
let log: EventLog;

beforeEach(async () => {
  store = openStore(':memory:');
  receiver = await startReceiver();
  clock = createMovableClock();
  log = createEventLog();
});
afterEach(async () => {
  await receiver[Symbol.asyncDispose]();
  await store.close();
});

const notifierTo = (url: string, parts: Partial<NotifierParts> = {}) => {
  const config = { notifyUrl: new Secret(url), logPersonalData: false } as Config;
  const notify = createNotifier(config, { store, clock, newId: randomUUID, events: log.events, ...parts });
  if (notify === null) throw new Error('NOTIFY_URL is set.');
  return { notify };
};
const open = (parts: Partial<NotifierParts> = {}) => notifierTo(receiver.url + PATH, parts);
const halt = (link = 'home') => patchLink(store, link, { state: 'halted', reason: 'Too much would go.' });
const recover = (link = 'home') => patchLink(store, link, { state: 'active', reason: null });
const events = (): unknown[] => receiver.received.map(({ body }) => (JSON.parse(body) as { event: string }).event);
const logged = (name: string): unknown[] => log.lines.filter((line) => line.name === name).map(({ fields }) => fields);
const trouble = async () => (await store.link('home')).notificationState.trouble;

test('a failure is reported once however often links are checked, its end once, and the next failure again', async () => {
  const notifier = open();
  for (const change of [() => Promise.resolve(), halt, recover, halt]) {
    await change();
    for (const _ of [1, 2, 3]) await notifier.notify(['home', 'club']);
  }
  expect(events()).toEqual(['link.halted', 'link.recovered', 'link.halted']);
  expect(receiver.received[0]).toMatchObject({ path: PATH, headers: { 'content-type': 'application/json' } });
  expect(logged('notificationSent')[0]).toEqual({ link: 'home', news: 'halted', host: new URL(receiver.url).host });
});

test('only one of two concurrent processes sends the notification', async () => {
  await halt();
  await Promise.all([open().notify(['home']), open().notify(['home'])]);
  expect(events()).toEqual(['link.halted']);
});

test('a notification is sent by another process if the one that was sending it has died', async () => {
  await halt();
  await using silent = await startReceiver();
  silent.answer(() => undefined);
  void notifierTo(silent.url).notify(['home']);
  await silent.until(1);
  const later = createMovableClock();
  later.advance(15_000);
  await open({ clock: later }).notify(['home']);
  expect(events()).toEqual(['link.halted']);
});

test('a notification waits while a run has the lease of its link, and those of other links do not', async () => {
  await halt('club');
  await halt('home');
  await store.acquireLease('club', 'a run', clock.now(), clock.now() + 15_000);
  const notifier = open();
  expect(await notifier.notify(['club', 'home'])).toBe(30_000);
  expect(receiver.received.map(({ body }) => (JSON.parse(body) as { link: string }).link)).toEqual(['home']);
  await store.releaseLease('club', 'a run');
  await notifier.notify(['club', 'home']);
  expect(receiver.received).toHaveLength(2);
});

describe('a receiver that does not accept a notification', () => {
  test('is sent the same notification at the next checks, until it accepts it once', async () => {
    await halt();
    receiver.answer((response) => response.writeHead(503).end('no room for T0SECRET'));
    const notifier = open();
    expect(await notifier.notify(['home', 'club'])).toBe(300_000);
    expect(receiver.received).toHaveLength(1);
    expect(await trouble()).toBeNull();
    await notifier.notify(['home']);
    expect(receiver.received).toHaveLength(2);
    receiver.answer((response) => response.writeHead(200).end('ok'));
    expect(await notifier.notify(['home'])).toBe(30_000);
    await notifier.notify(['home']);
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(await trouble()).toBe('halted');
    // Logged once, without the response text, because it can repeat the secret that was sent.
    const { host } = new URL(receiver.url);
    const remedy = 'Find out more with: contact-sync doctor --notify';
    expect(logged('notificationFailed')).toEqual([{ host, reason: `${host} answered 503`, remedy }]);
  });

  test('is sent nothing more if the link recovers before the next attempt', async () => {
    await halt();
    receiver.answer((response) => response.writeHead(503).end());
    await open().notify(['home']);
    await recover();
    receiver.answer((response) => response.writeHead(204).end());
    const sent = receiver.received.length;
    await open().notify(['home']);
    expect(receiver.received).toHaveLength(sent);
  });

  test('and never responds is given five seconds', async () => {
    await halt();
    receiver.answer(() => undefined);
    const notifying = open().notify(['home']);
    await receiver.until(1);
    clock.advance(5_000);
    await notifying;
    expect(logged('notificationFailed')).toMatchObject([
      { reason: expect.stringContaining('did not answer (no whole answer within 5 s)') },
    ]);
  });

  test('ends the round: the notifications of other links wait for the next round', async () => {
    await halt('home');
    await halt('club');
    receiver.answer((response) => response.writeHead(404).end());
    await open().notify(['home', 'club']);
    expect(receiver.received).toHaveLength(1);
  });
});

test('a notification that the receiver never accepts does not block other links permanently', async () => {
  await halt('club');
  await halt('home');
  receiver.answer((response, { body }) => response.writeHead(body.includes('"link":"club"') ? 400 : 204).end());
  const notifier = open();
  for (const _ of [1, 2]) await notifier.notify(['club', 'home']);
  expect(await trouble()).toBe('halted');
  expect((await store.link('club')).notificationState.trouble).toBeNull();
});

test('a long response is cut off, and its status counts', async () => {
  await halt();
  receiver.answer((response) => response.writeHead(200).end('x'.repeat(1_000_000)));
  await open().notify(['home']);
  expect(await trouble()).toBe('halted');
});

test('an error of the store is logged and does not end the notifier', async () => {
  const broken = openStore(':memory:');
  await broken.close();
  expect(await open({ store: broken }).notify(['home'])).toBe(300_000);
  expect(logged('notificationFailed')).toHaveLength(1);
});
