import {
  fixedByClock,
  fixedFromFirstRequest,
  leakyBucket,
  slidingBySecond,
  slidingByTwoBuckets,
  slidingLog,
  type Limiter,
} from '../support/limiter-models.ts';
import type { Clock } from '../../src/clock.ts';
import { percent, type Table } from './table.ts';
import { drive, LIMIT, ownGates, type Pacer, type Pacers, type TrafficResult } from './traffic.ts';

const MODELS: readonly (readonly [name: string, create: () => Limiter])[] = [
  ['fixed, by clock', () => fixedByClock(LIMIT, 23_456)],
  ['fixed, from first request', () => fixedFromFirstRequest(LIMIT)],
  ['sliding log', () => slidingLog(LIMIT)],
  ['sliding by second', () => slidingBySecond(LIMIT)],
  ['two-bucket', () => slidingByTwoBuckets(LIMIT)],
  ['token bucket', () => leakyBucket(LIMIT, LIMIT.requests)],
  ['GCRA, burst 20', () => leakyBucket(LIMIT, 20)],
  ['sliding log, refused count', () => slidingLog(LIMIT, true)],
];
const ROUND_TRIPS_MS = [75, 270];

type Wait = (nowMs: number) => number;

/** A pacer that waits as long as told before each request and takes no heed of answers. */
const blindPacers =
  (createWait: () => Wait): Pacers =>
  (clock, processes) => {
    const pacerWith = (wait: Wait): Pacer => {
      let tail: Promise<unknown> = Promise.resolve();
      return async () => {
        const turn = tail.then(() => passLater(clock, wait));
        tail = turn;
        await turn;
        return () => undefined;
      };
    };
    return Promise.resolve(Array.from({ length: processes }, () => pacerWith(createWait())));
  };

const passLater = async (clock: Clock, wait: Wait): Promise<void> => {
  const waitMs = wait(clock.monotonic());
  if (waitMs > 0) await clock.sleep(waitMs);
};

/** The first request opens a window of its own; when the window is full, all wait for the next one. */
const fixedWindow = (): Wait => {
  let endsAtMs = Number.NEGATIVE_INFINITY;
  let used = 0;
  return (nowMs) => {
    if (nowMs >= endsAtMs || used === LIMIT.requests) {
      endsAtMs = Math.max(nowMs, endsAtMs) + LIMIT.windowMs;
      used = 0;
    }
    used += 1;
    return Math.max(0, endsAtMs - LIMIT.windowMs - nowMs);
  };
};

/** No window holds more starts than the limit. */
const strictStarts = (): Wait => {
  const startsMs: number[] = [];
  return (nowMs) => {
    const startMs = Math.max(nowMs, (startsMs.at(-LIMIT.requests) ?? Number.NEGATIVE_INFINITY) + LIMIT.windowMs);
    startsMs.push(startMs);
    if (startsMs.length > 2 * LIMIT.requests) startsMs.splice(0, LIMIT.requests);
    return startMs - nowMs;
  };
};

const evenPace = (): Wait => {
  let nextAtMs = 0;
  return (nowMs) => {
    const startMs = Math.max(nowMs, nextAtMs);
    nextAtMs = startMs + LIMIT.windowMs / LIMIT.requests;
    return startMs - nowMs;
  };
};

const ALTERNATIVES: readonly (readonly [name: string, pacers: Pacers])[] = [
  ["fixed window (BullMQ's limiter)", blindPacers(fixedWindow)],
  ['strict on starts (p-queue strict)', blindPacers(strictStarts)],
  ['even pace, 120 ms', blindPacers(evenPace)],
];

const cell = ({ accepted, foreignAccepted, refused }: TrafficResult, minutes: number): string =>
  `${percent((accepted + foreignAccepted) / (LIMIT.requests * minutes))} / ${refused}`;

type Column = { readonly pacers: Pacers; readonly processes: number; readonly medianMs: number };

const rowsOf = async (columns: readonly Column[], minutes: number): Promise<string[][]> => {
  const rows: string[][] = [];
  for (const [name, create] of MODELS) {
    const row = [name];
    for (const column of columns) row.push(cell(await drive({ ...column, limiter: create(), minutes }), minutes));
    rows.push(row);
  }
  return rows;
};

const ownTable = async (minutes: number): Promise<Table> => {
  const columns = [1, 4].flatMap((processes) =>
    ROUND_TRIPS_MS.map((medianMs) => ({ pacers: ownGates, processes, medianMs })),
  );
  const names = columns.map(
    ({ processes, medianMs }) => `${processes} process${processes > 1 ? 'es' : ''}, ${medianMs} ms`,
  );
  return {
    title: `1. The governor in virtual time, ${minutes} minutes: share of the allowed rate / refused requests`,
    head: ['the server counts', ...names],
    rows: await rowsOf(columns, minutes),
    notes: [
      'The guard is 1000 ms until the server is known to count exactly, then 300 ms. Bounds: no refusal; at least 98.5 % at 75 ms on fixed windows and sliding logs.',
    ],
  };
};

const alternativesTable = async (minutes: number): Promise<Table> => ({
  title: `1b. The obvious alternatives, ${minutes} minutes, 1 process, 75 ms`,
  head: ['the server counts', ...ALTERNATIVES.map(([name]) => name)],
  rows: await rowsOf(
    ALTERNATIVES.map(([, pacers]) => ({ pacers, processes: 1, medianMs: 75 })),
    minutes,
  ),
});

const foreignTable = async (minutes: number): Promise<Table> => {
  const rows: string[][] = [];
  for (const [name, create] of MODELS) {
    const runs = ROUND_TRIPS_MS.map((medianMs) =>
      drive({ limiter: create(), pacers: ownGates, processes: 1, medianMs, minutes, foreign: 50 }),
    );
    const results = await Promise.all(runs);
    rows.push([name, ...results.map((result) => cell(result, minutes)), String(results[0]?.foreignRefused)]);
  }
  return {
    title: `1c. Somebody else sends 50 a minute on the same quota, ${minutes} minutes: joint share / own refusals`,
    head: ['the server counts', '75 ms', '270 ms', 'theirs refused at 75 ms'],
    rows,
    notes: ['Bounds: none of ours refused, and at least 95 % of the joint rate, on fixed windows and sliding logs.'],
  };
};

/** Items 1 and "foreign use" of the suite. */
export const benchGovernor = async (minutes: number): Promise<readonly Table[]> => [
  await ownTable(minutes),
  await alternativesTable(minutes),
  await foreignTable(minutes),
];
