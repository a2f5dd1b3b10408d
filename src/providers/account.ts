import { type AnswerHeaders, readRateHeaders } from '../net/rate-headers.ts';
import type { Inspection } from './provider.ts';
import type { Clock } from '../util/clock.ts';

/** Who is behind a credential. */
export type Account = {
  /** The same as what `identify` answers; null where the remote does not say. */
  readonly id: string | null;
  /** The address by which its owner knows the account; null where the remote does not say. */
  readonly email: string | null;
};

/** An account for people: `ada@example.org (people/1)`. */
export const accountWords = ({ email, id }: Account): string =>
  email === null ? (id ?? 'an account without a known name') : id === null ? email : `${email} (${id})`;

export type OnAnswer = (headers: AnswerHeaders) => void;

/** Reads an account, with the remote's time and limit of the newest answer that `read` passes on. */
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
