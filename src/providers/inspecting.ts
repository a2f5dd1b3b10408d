import type { Clock } from '../util/clock.ts';
import { readRateHeaders, type AnswerHeaders } from '../net/rate-headers.ts';
import type { Inspection } from './provider.ts';

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
