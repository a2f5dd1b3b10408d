import { expect, test } from 'vitest';
import { networkFor } from '../../../src/app/network.ts';
import { createCommandEvents } from '../../../src/cli/command-events.ts';
import type { Config, LinkConfig } from '../../../src/config/config.ts';
import type { Events } from '../../../src/events.ts';
import { SIDE_WORDS } from '../../support/side-words.ts';
import { createTestTerminal } from '../cli/terminal.ts';
import { createFakeClock } from '../http/fake-clock.ts';

/** What is told of the waits at the service, and how far the clock is. */
const startSide = (tell: Events['remoteAwaited']) => {
  const clock = createFakeClock();
  const link = { name: 'default', sides: SIDE_WORDS } as unknown as LinkConfig;
  const parts = { clock, events: { remoteAwaited: tell } } as unknown as Parameters<typeof networkFor>[0];
  return { clock, onRetry: networkFor(parts, link, 'right').onRetry };
};

test('of the requests that wait for a side at the same time the first is told, and short waits are not', async () => {
  const told: [string, number][] = [];
  const { clock, onRetry } = startSide(({ reason, retryInMs }) => void told.push([reason, retryInMs]));
  onRetry(new Error('short'), 900);
  onRetry(new Error('first'), 4_000);
  onRetry(new Error('beside'), 5_000);
  await clock.advance(4_000);
  onRetry(new Error('again'), 8_000.4);
  expect(told).toEqual([
    ['first', 4_000],
    ['again', 8_000],
  ]);
});

test('people see who is waited for, why, and when it is asked again', () => {
  const terminal = createTestTerminal();
  const config = { logLevel: 'info', logFormat: 'json', logPersonalData: false } as Config;
  const forPeople = { ...terminal, log: Object.assign(Object.create(terminal.log), { isTTY: true }) };
  const events = createCommandEvents(config, forPeople, { json: false });
  const { onRetry } = startSide((fields) => events.remoteAwaited(fields));
  onRetry(new Error('the service did not answer GET /v2/me (ECONNREFUSED)'), 12_300);
  expect(terminal.warned).toEqual([
    expect.stringMatching(
      /^Service: the service did not answer GET \/v2\/me \(ECONNREFUSED\)\. Trying again in 13 s, at \d\d:\d\d:\d\d\.$/u,
    ),
  ]);
});
