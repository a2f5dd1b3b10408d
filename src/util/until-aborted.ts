/** Returns the result of the work, which continues after an abort; then rejects with the reason of the signal. */
export const untilAborted = async <Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> => {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};
