import type { Clock } from '../clock.ts';
import { readRateHeaders, type AnswerHeaders } from '../http/rate-headers.ts';
import type { Account } from './account.ts';
import type { Inspection } from './provider.ts';

export type OnAnswer = (headers: AnswerHeaders) => void;

/** Reads an account, and takes the remote's time and limit from the newest answer that `read` hands on. */
export const inspecting = async (clock: Clock, read: (onAnswer: OnAnswer) => Promise<Account>): Promise<Inspection> => {
  let headers: AnswerHeaders = {};
  const account = await read((latest) => {
    headers = latest;
  });
  const serverTimeMs = Date.parse(String(headers['date'] ?? ''));
  return {
    account,
    serverTimeMs: Number.isNaN(serverTimeMs) ? null : serverTimeMs,
    rate: readRateHeaders(headers, clock.now()),
  };
};
