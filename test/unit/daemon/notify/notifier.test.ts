import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createNotifier, type Notifier, type NotifierOptions } from '../../../../src/daemon/notify/notifier.ts';
import { openStore } from '../../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../../src/store/store.ts';
import { createEventLog, type EventLog } from '../../../support/jobs/log-lines.ts';
import { createMovableClock, type MovableClock } from '../../../support/clocks.ts';
import { patchLink } from '../../../support/store/rows.ts';
import { startReceiver, type Receiver } from '../../../support/network.ts';

const PATH = '/services/T0SECRET/B0SECRET';
const NEVER = new AbortController().signal;

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

const notifierTo = (url: string, options: Partial<NotifierOptions> = {}): Notifier => {
  let ids = 0;
  return createNotifier({
    url,
    secret: null,
    format: 'json',
    personalData: false,
    store,
    clock,
    events: log.events,
    // Attempts have no delay.
    random: () => 0,
    newId: () => `notice ${(ids += 1)}`,
    ...options,
  });
};
const open = (options: Partial<NotifierOptions> = {}): Notifier => notifierTo(receiver.url + PATH, options);

const halt = (link = 'home') => patchLink(store, link, { state: 'halted', reason: 'Too much would go.' });
const recover = (link = 'home') => patchLink(store, link, { state: 'active', reason: null });
const events = (): unknown[] => receiver.received.map(({ body }) => (JSON.parse(body) as { event: string }).event);
const logged = (name: string): unknown[] => log.lines.filter((line) => line.name === name).map(({ fields }) => fields);
const trouble = async () => (await store.link('home')).notificationState.trouble;

test('a failure is reported once however often links are checked, its end once, and the next failure again', async () => {
  const notifier = open();
  for (const change of [() => Promise.resolve(), halt, recover, halt]) {
    await change();
    for (const _ of [1, 2, 3]) await notifier.notify(['home', 'club'], NEVER);
  }
  expect(events()).toEqual(['link.halted', 'link.recovered', 'link.halted']);
  expect(receiver.received[0]).toMatchObject({ path: PATH, headers: { 'content-type': 'application/json' } });
  expect(logged('notificationSent')[0]).toEqual({ link: 'home', news: 'halted', host: new URL(receiver.url).host });
});

test('another process on the same store does not repeat a sent notification', async () => {
  await halt();
  await open().notify(['home'], NEVER);
  await open().notify(['home'], NEVER);
  expect(events()).toEqual(['link.halted']);
});

test('only one of two concurrent processes sends the notification', async () => {
  await halt();
  await Promise.all([open().notify(['home'], NEVER), open().notify(['home'], NEVER)]);
  expect(events()).toEqual(['link.halted']);
});

test('a notification claimed by another process is not sent, unless the claim has expired', async () => {
  await halt();
  const answers: (() => void)[] = [];
  receiver.answer((response) => void answers.push(() => response.writeHead(204).end()));
  const notifying = open().notify(['home'], NEVER);
  await receiver.until(1);
  await open().notify(['home'], NEVER);
  expect(receiver.received).toHaveLength(1);
  for (const answer of answers) answer();
  await notifying;

  await recover();
  const { notificationState } = await store.link('home');
  await store.swapNotificationState('home', notificationState, {
    ...notificationState,
    claimedUntilMs: clock.now() + 60_000,
  });
  receiver.answer((response) => response.writeHead(204).end());
  await open().notify(['home'], NEVER);
  expect(receiver.received).toHaveLength(1);
  clock.advance(60_000);
  await open().notify(['home'], NEVER);
  expect(events()).toEqual(['link.halted', 'link.recovered']);
});

test('a claim too far in the future is ignored', async () => {
  await halt();
  const { notificationState } = await store.link('home');
  await store.swapNotificationState('home', notificationState, {
    ...notificationState,
    claimedUntilMs: clock.now() + 3_600_000,
  });
  await open().notify(['home'], NEVER);
  expect(events()).toEqual(['link.halted']);
});

describe('a receiver that does not accept a notification', () => {
  test('is sent the same notification a few times, then again later, until it accepts it once', async () => {
    await halt();
    receiver.answer((response) => response.writeHead(503).end('no room for T0SECRET'));
    const notifier = open();
    expect(await notifier.notify(['home', 'club'], NEVER)).toBe(300_000);
    expect(receiver.received).toHaveLength(4);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(await trouble()).toBeNull();
    await notifier.notify(['home'], NEVER);
    expect(receiver.received).toHaveLength(8);
    receiver.answer((response) => response.writeHead(200).end('ok'));
    expect(await notifier.notify(['home'], NEVER)).toBe(30_000);
    await notifier.notify(['home'], NEVER);
    expect(receiver.received).toHaveLength(9);
    expect(await trouble()).toBe('halted');
    // Logged once, without the response text, because it can repeat the secret that was sent.
    const { host } = new URL(receiver.url);
    const remedy = 'Find out more with: contact-sync notify --test';
    expect(logged('notificationFailed')).toEqual([{ host, reason: `${host} answered 503`, remedy }]);
  });

  test('is sent the same id in later attempts, because it may have accepted one, and a new id for the next failure', async () => {
    const ids = () => receiver.received.map(({ body }) => (JSON.parse(body) as { id: string }).id);
    await halt();
    receiver.answer((response) => response.writeHead(503).end());
    const notifier = open();
    await notifier.notify(['home'], NEVER);
    await notifier.notify(['home'], NEVER);
    expect(new Set(ids())).toEqual(new Set(['notice 1']));
    await recover();
    await notifier.notify(['home'], NEVER);
    await halt();
    receiver.answer((response) => response.writeHead(204).end());
    await notifier.notify(['home'], NEVER);
    await recover();
    await notifier.notify(['home'], NEVER);
    expect(ids().slice(-2)).toEqual(['notice 2', 'notice 3']);
  });

  test('because it is down receives it once when it is up again', async () => {
    await halt();
    const { url } = receiver;
    await receiver[Symbol.asyncDispose]();
    const notifier = notifierTo(url);
    await notifier.notify(['home'], NEVER);
    expect(logged('notificationFailed')).toMatchObject([
      { reason: expect.stringContaining('did not answer (ECONNREFUSED)') },
    ]);
    receiver = await startReceiver(Number(new URL(url).port));
    await notifier.notify(['home'], NEVER);
    await notifier.notify(['home'], NEVER);
    expect(events()).toEqual(['link.halted']);
  });

  test('is sent nothing more if the link recovers before the next attempt', async () => {
    await halt();
    receiver.answer((response) => response.writeHead(503).end());
    await open().notify(['home'], NEVER);
    await recover();
    receiver.answer((response) => response.writeHead(204).end());
    const sent = receiver.received.length;
    await open().notify(['home'], NEVER);
    expect(receiver.received).toHaveLength(sent);
  });

  test.each([400, 404, 410])('because it refuses it (%i) gets no immediate retry', async (status) => {
    await halt();
    receiver.answer((response) => response.writeHead(status).end());
    await open().notify(['home'], NEVER);
    expect(receiver.received).toHaveLength(1);
  });

  test('and redirects is not followed', async () => {
    await halt();
    await using other = await startReceiver();
    receiver.answer((response) => response.writeHead(307, { location: other.url }).end());
    await open().notify(['home'], NEVER);
    expect(other.received).toEqual([]);
    expect(logged('notificationFailed')).toMatchObject([
      { reason: expect.stringContaining('redirect, which is not followed') },
    ]);
  });

  test('and never responds is given five seconds for each attempt', async () => {
    await halt();
    receiver.answer(() => undefined);
    const notifying = open().notify(['home'], NEVER);
    for (const count of [1, 2, 3, 4]) {
      await receiver.until(count);
      clock.advance(5_000);
    }
    await notifying;
    expect(logged('notificationFailed')).toMatchObject([
      { reason: expect.stringContaining('did not answer (no whole answer within 5 s)') },
    ]);
  });

  test('and sends Retry-After is not sent anything before that time', async () => {
    await halt();
    receiver.answer((response) => response.writeHead(429, { 'retry-after': '7' }).end());
    const sleeps: number[] = [];
    const sleep: MovableClock['sleep'] = (delayMs, signal) => {
      // The timeout of an attempt.
      if (delayMs === 5_000) return clock.sleep(delayMs, signal);
      sleeps.push(delayMs);
      return Promise.resolve();
    };
    await open({ clock: { ...clock, sleep } }).notify(['home'], NEVER);
    expect(sleeps).toEqual([7_000, 7_000, 7_000]);
  });

  test('ends the round: the notifications of other links wait for the next round', async () => {
    await halt('home');
    await halt('club');
    receiver.answer((response) => response.writeHead(404).end());
    await open().notify(['home', 'club'], NEVER);
    expect(receiver.received).toHaveLength(1);
  });
});

test('a notification that the receiver never accepts does not block other links permanently', async () => {
  await halt('club');
  await halt('home');
  receiver.answer((response, { body }) => response.writeHead(body.includes('"link":"club"') ? 400 : 204).end());
  const notifier = open();
  for (const _ of [1, 2]) await notifier.notify(['club', 'home'], NEVER);
  expect(await trouble()).toBe('halted');
  expect((await store.link('club')).notificationState.trouble).toBeNull();
});

test('a long response is cut off, and its status counts', async () => {
  await halt();
  receiver.answer((response) => response.writeHead(200).end('x'.repeat(1_000_000)));
  await open().notify(['home'], NEVER);
  expect(await trouble()).toBe('halted');
});

test('the end of the program ends the wait, and the next process sends the notification', async () => {
  await halt();
  const ending = new AbortController();
  receiver.answer((response) => {
    response.writeHead(503).end();
    ending.abort(new Error('The daemon stops.'));
  });
  await open({ random: () => 0.999 }).notify(['home'], ending.signal);
  expect(receiver.received).toHaveLength(1);
  expect(logged('notificationFailed')).toEqual([]);
  receiver.answer((response) => response.writeHead(204).end());
  await open().notify(['home'], NEVER);
  expect(events()).toEqual(['link.halted', 'link.halted']);
});

test('an error of the store is logged and does not end the notifier', async () => {
  const broken = openStore(':memory:');
  await broken.close();
  expect(await open({ store: broken }).notify(['home'], NEVER)).toBe(300_000);
  expect(logged('notificationFailed')).toHaveLength(1);
});

test('with a secret each attempt is signed with its own time', async () => {
  await halt();
  let attempts = 0;
  receiver.answer((response) => response.writeHead((attempts += 1) === 1 ? 503 : 204).end());
  await open({ secret: 'the-signing-secret' }).notify(['home'], NEVER);
  expect(receiver.received).toHaveLength(2);
  for (const { headers, body } of receiver.received) {
    const timestamp = String(headers['contact-sync-timestamp']);
    const expected = createHmac('sha256', 'the-signing-secret').update(`${timestamp}.${body}`).digest('hex');
    expect(headers['contact-sync-signature']).toBe(`v1=${expected}`);
  }
  await recover();
  await open().notify(['home'], NEVER);
  expect(Object.keys(receiver.received[2]?.headers ?? {}).filter((name) => name.startsWith('contact-sync'))).toEqual(
    [],
  );
});

describe('a test notification', () => {
  test('is sent once and returns the response of the receiver', async () => {
    receiver.answer((response) => response.writeHead(200).end('ok'));
    expect(await open().test(NEVER)).toEqual({ status: 200, text: 'ok' });
    expect(events()).toEqual(['test']);
    receiver.answer((response, { path }) => response.writeHead(500).end(`Cannot POST\n ${path}`));
    await expect(open().test(NEVER)).rejects.toMatchObject({
      message: `${new URL(receiver.url).host} answered 500: Cannot POST /[secret]/[secret]/[secret]`,
      retry: 'soon',
    });
    expect(receiver.received).toHaveLength(2);
  });

  test('does not reveal an address where one part begins with another', async () => {
    receiver.answer((response, { path }) => response.writeHead(404).end(path));
    const answer = notifierTo(`${receiver.url}/hooks/tenant/tenantXq7`).test(NEVER);
    await expect(answer).rejects.toMatchObject({
      message: expect.stringMatching(/ 404: \/hooks\/\[secret\]\/\[secret\]$/u),
    });
  });
});
