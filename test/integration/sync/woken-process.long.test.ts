import { afterAll, describe, expect, test } from 'vitest';
import { createApp } from '../../../src/app/app.ts';
import type { Clock } from '../../../src/util/clock.ts';
import { loadConfig } from '../../../src/app/config/config.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { LeaseError } from '../../../src/engine/errors.ts';
import { readSides } from '../../support/compare-sides.ts';
import { createEventLog } from '../../support/jobs/log-lines.ts';
import { createMovableClock } from '../../support/clocks.ts';
import { FAST_LIMITS, FAST_SANDBOX } from '../../support/linked-sandbox.ts';
import { findPostgres } from '../../support/postgres.ts';
import { createFolder } from '../../support/folder.ts';

const postgres = await findPostgres();
afterAll(() => postgres?.close());

/** Longer than any lease. */
const TWO_LEASES_MS = 30_000;
const LOST_CREATES_SETTLE_MS = 15 * 60_000;

type Point = {
  /** The changes of the commit that is answered when the process is paused. */
  readonly when: (kinds: readonly string[]) => boolean;
  /** Whether the machine is suspended: its monotonic clock stands still. */
  readonly isSuspended: boolean;
};

/** Stops a process as SIGSTOP does, or with its machine, until it is continued `forMs` later. */
const createPause = ({ when, isSuspended }: Point) => {
  let suspendedForMs = 0;
  const paused = Promise.withResolvers<void>();
  const continued = Promise.withResolvers<void>();
  let isPaused = false;
  const go = (): Promise<void> => (isPaused ? continued.promise : Promise.resolve());
  return {
    paused: paused.promise,
    continue: (forMs: number): void => {
      suspendedForMs = isSuspended ? forMs : 0;
      isPaused = false;
      continued.resolve();
    },
    clock: (clock: Clock): Clock => ({
      ...clock,
      monotonic: () => clock.monotonic() - suspendedForMs,
      sleep: async (...of) => {
        try {
          await clock.sleep(...of);
        } finally {
          await go();
        }
      },
    }),
    store: (store: Store): Store => ({
      ...store,
      commit: async (...of) => {
        const ids = await store.commit(...of);
        if (when(of[2].map((change) => ('table' in change ? `${change.kind} ${change.table}` : change.kind)))) {
          isPaused = true;
          paused.resolve();
        }
        await go();
        return ids;
      },
    }),
  };
};

/** Two hosts with one database, each with its own DATA_DIR; the first is paused at the point. */
const startHosts = async (point: Point) => {
  const stack = new AsyncDisposableStack();
  const clock = createMovableClock();
  const sandbox = stack.use(await startSandbox({ count: 30, ...FAST_SANDBOX, clock }));
  const url = (await postgres?.createDatabase()) ?? '';
  const pause = createPause(point);
  const start = async (isPaused: boolean) => {
    const { path: dataDir } = stack.use(await createFolder());
    const config = loadConfig({ env: { ...sandbox.environment(), ...FAST_LIMITS, DATA_DIR: dataDir }, cwd: dataDir });
    const own = openPostgres({ url, clock, connections: 4, leaseClock: 'caller' });
    const log = createEventLog();
    const store = isPaused ? { ...pause.store(own), tokens: own.tokens } : own;
    const app = stack.use(createApp(config, log.events, { store, clock: isPaused ? pause.clock(clock) : clock }));
    const [link] = config.links;
    if (link === undefined) throw new Error('The sandbox configures one link.');
    const { signal } = new AbortController();
    const run = () => app.run(link, { kind: 'incremental', signal });
    return { run, log, store: own };
  };
  const [first, second] = [await start(true), await start(false)];
  return { sandbox, clock, pause, first, second, [Symbol.asyncDispose]: () => stack.disposeAsync() };
};

const hasJournaled = (kinds: readonly string[]) => kinds.includes('intend');

const POINTS: readonly (readonly [string, Point])[] = [
  ['has journaled writes and not sent them yet', { when: hasJournaled, isSuspended: false }],
  ['has journaled writes, and its machine was suspended', { when: hasJournaled, isSuspended: true }],
  ['has stored a page of a feed', { when: (kinds) => kinds.includes('put cursors'), isSuspended: false }],
  ['has stored the answers to its writes', { when: (kinds) => kinds.includes('journal'), isSuspended: false }],
];

describe.skipIf(postgres === null)('a process that was paused for longer than its lease', () => {
  test.each(POINTS)('a process that wakes up after another host finished changes nothing: it %s', async (_, point) => {
    await using hosts = await startHosts(point);
    const { sandbox, clock, pause, first, second } = hosts;
    const running = first.run();
    await pause.paused;
    const pausedAtMs = clock.now();
    clock.advance(TWO_LEASES_MS);
    for (let turn = 0; turn < 2; turn += 1) {
      expect((await second.run()).error).toBeNull();
      // Creates without an answer are searched again after this time, and then sent again (R9).
      clock.advance(LOST_CREATES_SETTLE_MS);
    }
    const look = async () =>
      JSON.stringify([await second.store.link('default'), await second.store.halves('default', { by: 'all' })]);
    const [stored, sides, requests] = [await look(), readSides(sandbox), sandbox.service.requests.length];
    pause.continue(clock.now() - pausedAtMs);
    const { error } = await running;
    expect(error).toBeInstanceOf(LeaseError);
    expect(first.log.lines.filter(({ name }) => name === 'leaseLost')).toHaveLength(1);
    expect(sandbox.service.requests.length).toBe(requests);
    expect(readSides(sandbox)).toEqual(sides);
    expect(await look()).toBe(stored);
    expect(sides.google).toEqual(sides.service);
  });
});
