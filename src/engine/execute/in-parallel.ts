import type { AnswerBeingStored } from './batch.ts';

/**
 * Processes the items with at most `concurrency` at once; after a failure no further item is started. Each worker continues
 * while its previous answer is being stored: that answer and the next intent are written to disk together.
 */
export const inParallel = async <T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<AnswerBeingStored>,
): Promise<void> => {
  const queue = items.values();
  const failures: unknown[] = [];
  const note = (error: unknown): void => void failures.push(error);
  const worker = async (): Promise<void> => {
    let stored: Promise<unknown> = Promise.resolve();
    for (const item of queue) {
      const answered = work(item).catch(note);
      await stored;
      stored = (await answered)?.stored.catch(note) ?? stored;
      if (failures.length > 0) break;
    }
    await stored;
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
};

/**
 * Yields to timers and pending answers between two long steps. A file store answers without yielding, but the lease must still
 * be renewed.
 */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
