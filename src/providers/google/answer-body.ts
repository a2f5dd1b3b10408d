import { Response, type Response as Answer } from 'undici';
import type { Clock } from '../../clock.ts';
import { ANSWER_LIMITS, type AnswerLimits } from '../read-limits.ts';

/** An answer of which no more is read. */
export class AnswerLimitError extends Error {
  override readonly name = 'AnswerLimitError';
}

/** Answers that have no body by their status; a Response with one cannot be made of them. */
const WITHOUT_BODY = new Set([101, 103, 204, 205, 304]);

/**
 * The answer, its body read whole and within the limits: bytes count after decompression, the time from the headers on.
 * Throws an {@link AnswerLimitError} beyond them. A body that stalls is the transport's to end.
 */
export const readWithin = async (
  answer: Answer,
  clock: Clock,
  { bytes: maxBytes, timeMs }: AnswerLimits = ANSWER_LIMITS,
): Promise<Answer> => {
  const { body, headers, status, statusText } = answer;
  const deadlineMs = clock.monotonic() + timeMs;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop by an error ends the connection.
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new AnswerLimitError(`it is longer than ${maxBytes} bytes`);
    if (clock.monotonic() > deadlineMs) throw new AnswerLimitError(`it took longer than ${timeMs} ms`);
    chunks.push(chunk);
  }
  return new Response(WITHOUT_BODY.has(status) ? null : Buffer.concat(chunks), { status, statusText, headers });
};
