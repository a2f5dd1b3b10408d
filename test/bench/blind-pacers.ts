import type { Clock } from '../../src/util/clock.ts';
import { LIMIT, type Pacer, type Pacers } from './traffic.ts';

type Wait = (nowMs: number) => number;

/** Pacers that wait a fixed time before each request and ignore the answers. */
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

/** The first request starts a window. If the window is full, all requests wait for the next one. */
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

/** No window contains more starts than the limit. */
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

/** The methods of other programs to stay below a limit, by their names in the table. */
export const ALTERNATIVES = {
  "fixed window (BullMQ's limiter)": blindPacers(fixedWindow),
  'strict on starts (p-queue strict)': blindPacers(strictStarts),
  'even pace, 120 ms': blindPacers(evenPace),
} satisfies Readonly<Record<string, Pacers>>;

export type AlternativeName = keyof typeof ALTERNATIVES;
