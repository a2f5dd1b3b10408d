import { Response, type Response as Answer } from 'undici';
import type { Clock } from '../../util/clock.ts';
import { ANSWER_LIMITS, type AnswerLimits } from '../read-limits.ts';

/** An answer of which no more is read. */
export class AnswerLimitError extends Error {
  override readonly name = 'AnswerLimitError';
}

/**
 * The answer, its body read whole and within the limits, for `text()` alone to tell: bytes count after decompression, the time
 * from the headers on. Throws an {@link AnswerLimitError} beyond them. A body that stalls is the transport's to end.
 */
export const readWithin = async (
  answer: Answer,
  clock: Clock,
  { bytes: maxBytes, timeMs }: AnswerLimits = ANSWER_LIMITS,
): Promise<Answer> => {
  const { body, headers, status, statusText } = answer;
  const deadlineMs = clock.monotonic() + timeMs;
  // Piece by piece: a long text that is decoded at once lies outside of the heap, whose limit it does not count for.
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  // Leaving the loop by an error ends the connection.
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new AnswerLimitError(`it is longer than ${maxBytes} bytes`);
    if (clock.monotonic() > deadlineMs) throw new AnswerLimitError(`it took longer than ${timeMs} ms`);
    text += decoder.decode(chunk, { stream: true });
  }
  text += decoder.decode();
  return Object.assign(new Response(null, { status, statusText, headers }), { text: () => Promise.resolve(text) });
};
