import { retrying, type RetryOptions } from '../retrying.ts';
import type { Send } from './api/send.ts';

/** Sends each request again while that is right and time is left. */
export const withRetries = (send: Send, options: RetryOptions): Send => {
  return (apiRequest, signal) =>
    retrying(() => send(apiRequest, signal), { ...options, signal, isRead: apiRequest.method === 'GET' });
};
