import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Clock } from '../clock.ts';
import type { Progress } from './desk.ts';

const LOOK_EVERY_MS = 500;
/** The browser connects again after that. */
const LONGEST_MS = 10 * 60_000;
const MOST_STREAMS = 20;

/** Streams progress as server-sent events until the work has ended; limits the number of streams. */
export const createLive = (clock: Clock) => {
  let open = 0;
  return (context: Context, look: () => Progress | null): Response => {
    // A client of HEAD never reads the stream, so it would not end.
    if (context.req.method === 'HEAD') return context.body(null, 200, { 'content-type': 'text/event-stream' });
    if (open >= MOST_STREAMS) return context.text('Too many open pages with live progress. Close some.\n', 503);
    open += 1;
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
        open -= 1;
      }
    });
  };
};
