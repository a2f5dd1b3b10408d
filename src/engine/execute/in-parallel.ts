import type { StoredAnswer } from './batch.ts';

/** The items in runs of at most `size`. */
export const chunks = <T>(items: readonly T[], size: number): readonly (readonly T[])[] => {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
};

/**
 * Works through the items with so many under way at once; after a failure no further one is begun. Each worker continues
 * while what it did before is being stored: its answer and the next intent reach the disk together.
 */
export const inParallel = async <T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<StoredAnswer>,
): Promise<void> => {
  const queue = items.values();
  const failures: unknown[] = [];
  const note = (error: unknown): void => void failures.push(error);
  const worker = async (): Promise<void> => {
    let stored = Promise.resolve();
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
 * Yields to timers and answers between two long steps. A store that is a file answers without waiting, and the lease must be
 * renewed all the same.
 */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
