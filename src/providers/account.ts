import { type AnswerHeaders, readRateHeaders } from '../net/rate-headers.ts';
import type { Inspection } from './provider.ts';
import type { Clock } from '../util/clock.ts';

/** The account behind a credential. */
export type Account = {
  /** The same value as the result of `identify`; null if the remote reports none. */
  readonly id: string | null;
  /** The email address of the account; null if the remote reports none. */
  readonly email: string | null;
};

/** Returns an account as display text: `ada@example.org (people/1)`. */
export const accountWords = ({ email, id }: Account): string =>
  email === null ? (id ?? 'an account without a known name') : id === null ? email : `${email} (${id})`;

export type OnAnswer = (headers: AnswerHeaders) => void;

/** Inspects an account. The result contains the time and the rate limit of the latest answer that `read` passes on. */
export const inspecting = async (
  clock: Clock,
  read: (onAnswer: OnAnswer) => Promise<Pick<Inspection, 'account' | 'checks'>>,
): Promise<Inspection> => {
  let headers: AnswerHeaders = {};
  const inspected = await read((latest) => {
    headers = latest;
  });
  const serverTimeMs = Date.parse(String(headers['date'] ?? ''));
  return {
    ...inspected,
    serverTimeMs: Number.isNaN(serverTimeMs) ? null : serverTimeMs,
    rate: readRateHeaders(headers, clock.now()),
  };
};
