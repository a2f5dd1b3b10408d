/** Something that was sent and answered. Its changes may not be on disk yet: `stored` settles when they are. */
export type AnswerBeingStored<Result> = { readonly stored: Promise<Result> };

/**
 * Processes the items with at most `concurrency` at once, and returns their results; after a failure no further item is started. Each
 * worker continues while its previous answer is being stored: that answer and the next intent are written to disk together.
 */
export const inParallel = async <Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<AnswerBeingStored<Result>>,
): Promise<readonly Result[]> => {
  const queue = items.values();
  const results: Result[] = [];
  const failures: unknown[] = [];
  const note = (error: unknown): void => void failures.push(error);
  const worker = async (): Promise<void> => {
    let stored: Promise<unknown> = Promise.resolve();
    for (const item of queue) {
      const answered = work(item).catch(note);
      await stored;
      stored = (await answered)?.stored.then((result) => results.push(result), note) ?? stored;
      if (failures.length > 0) break;
    }
    await stored;
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
};

/**
 * Yields to timers and pending answers between two long steps. A file store answers without yielding, but the lease must still
 * be renewed.
 */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
