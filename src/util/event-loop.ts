/**
 * Yields to timers and pending answers between two long steps. A file store answers without yielding, but the lease must still
 * be renewed.
 */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
