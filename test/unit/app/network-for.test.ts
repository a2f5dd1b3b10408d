import { expect, test } from 'vitest';
import { networkFor, trafficOf, type NetworkParts } from '../../../src/app/network.ts';
import { createCommandEvents } from '../../../src/cli/command/with-app.ts';
import type { Config } from '../../../src/app/config/config.ts';
import type { LinkConfig } from '../../../src/app/config/link-config.ts';
import type { Events } from '../../../src/app/events.ts';
import { createGates } from '../../../src/net/gates.ts';
import { bySide } from '../../../src/core/contact/side.ts';
import { SIDE_WORDS } from '../../support/side-words.ts';
import { createTestTerminal } from '../cli/terminal.ts';
import { createVirtualClock } from '../../support/clocks.ts';

const SIDES_SET = bySide((side) => ({ ...SIDE_WORDS[side], provider: SIDE_WORDS[side].name, places: {} }));

const startSide = (onScheduled: Events['retryScheduled']) => {
  const clock = createVirtualClock();
  const link = { name: 'default', sides: SIDES_SET } as unknown as LinkConfig;
  const parts = { clock, events: { retryScheduled: onScheduled } } as unknown as Parameters<typeof networkFor>[0];
  return { clock, onRetry: networkFor(parts, link, 'right').onRetry };
};

test('requests are summed by side, and the most used limit of a side is reported', async () => {
  const clock = createVirtualClock();
  const store = { budget: () => Promise.resolve(null), saveBudget: () => Promise.resolve() };
  const gates = createGates({ clock, random: () => 0, store, redisUrl: null });
  const connections: NetworkParts['connections'] = new Map();
  const parts = { clock, gates, connections, events: {} } as unknown as Parameters<typeof networkFor>[0];
  const link = { name: 'home', sides: SIDES_SET } as unknown as LinkConfig;
  expect(trafficOf(connections)).toEqual([]);

  const reads = await networkFor(parts, link, 'left').openGate('reads', { requests: 10, windowMs: 60_000 });
  // A second connection to the same side, as after a new credential, adds to the first one.
  await networkFor(parts, link, 'left').openGate('writes', { requests: 10, windowMs: 60_000 });
  const permit = await reads.acquire(new AbortController().signal);
  permit.done({ status: 200, headers: {} });
  await reads.settled();
  expect(trafficOf(connections)).toEqual([
    { link: 'home', side: 'left', requests: 0, used: expect.closeTo(0.1) },
    { link: 'home', side: 'right', requests: 0, used: null },
  ]);
  await gates.close();
});

test('of concurrent waits for a side only the first is reported, and short waits are not reported', async () => {
  const reported: [string, number][] = [];
  const { clock, onRetry } = startSide(({ reason, retryInMs }) => void reported.push([reason, retryInMs]));
  onRetry(new Error('short'), 900);
  onRetry(new Error('first'), 4_000);
  onRetry(new Error('beside'), 5_000);
  await clock.play(4_000);
  onRetry(new Error('again'), 8_000.4);
  expect(reported).toEqual([
    ['first', 4_000],
    ['again', 8_000],
  ]);
});

test('the terminal shows the side that is waited for, the reason and the time of the next attempt', () => {
  const terminal = createTestTerminal();
  const config = { logLevel: 'info', logPersonalData: false } as Config;
  const forPeople = { ...terminal, log: Object.assign(Object.create(terminal.log), { isTTY: true }) };
  const events = createCommandEvents(config, forPeople, { json: false });
  const { onRetry } = startSide((fields) => events.retryScheduled(fields));
  onRetry(new Error('the service did not answer GET /v2/me (ECONNREFUSED)'), 12_300);
  expect(terminal.warned).toEqual([
    expect.stringMatching(
      /^Service: the service did not answer GET \/v2\/me \(ECONNREFUSED\)\. Trying again in 13 s, at \d\d:\d\d:\d\d\.$/u,
    ),
  ]);
});
