import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Clock } from '../../util/clock.ts';
import type { Env } from './access.ts';
import type { Progress } from './desk.ts';

const LOOK_EVERY_MS = 500;
/** The browser connects again after that. */
const LONGEST_MS = 10 * 60_000;
/** Of the sessions of one link, or of those that see every link. */
const MOST_STREAMS_OF_SCOPE = 20;
/** With more, sessions of one link get no further stream. Sessions that see every link do. */
const MOST_STREAMS = 40;

/** Streams progress as server-sent events until the work has ended; limits the number of streams. */
export const createLive = (clock: Clock) => {
  let open = 0;
  const openOf = new Map<string | null, number>();
  const count = (scope: string | null, by: 1 | -1): void => {
    open += by;
    const own = (openOf.get(scope) ?? 0) + by;
    if (own > 0) openOf.set(scope, own);
    else openOf.delete(scope);
  };
  return (context: Context<Env>, look: () => Progress | null): Response => {
    // A client of HEAD never reads the stream, so it would not end.
    if (context.req.method === 'HEAD') return context.body(null, 200, { 'content-type': 'text/event-stream' });
    const scope = context.get('session').link;
    const isFull = (openOf.get(scope) ?? 0) >= MOST_STREAMS_OF_SCOPE || (scope !== null && open >= MOST_STREAMS);
    if (isFull) return context.text('Too many open pages with live progress. Close some.\n', 503);
    count(scope, 1);
    return streamSSE(context, async (stream) => {
      const gone = new AbortController();
      stream.onAbort(() => gone.abort());
      const untilMs = clock.monotonic() + LONGEST_MS;
      try {
        for (let now = look(); clock.monotonic() < untilMs && !gone.signal.aborted; now = look()) {
          if (now === null) return await stream.writeSSE({ event: 'over', data: '' });
          await stream.writeSSE({ event: 'progress', data: JSON.stringify(now) });
          await clock.sleep(LOOK_EVERY_MS, gone.signal).catch(() => undefined);
        }
      } finally {
        count(scope, -1);
      }
    });
  };
};
