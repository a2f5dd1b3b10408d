import type { Task } from '../../core/apply/task.ts';
import type { Side } from '../../core/contact/side.ts';
import type { Deletion } from '../../core/reconcile/decision.ts';
import type { Execution } from './execution.ts';
import { hasFailedBefore } from './failure.ts';
import type { Result } from './results.ts';
import { chunks } from '../../util/batches.ts';

type Decided = Task | Deletion;

/**
 * Separates the items whose write the side failed at before from the others: a batch may have failed because of one of its
 * contacts.
 */
export const withoutFailed = <Item extends Decided>(
  execution: Pick<Execution, 'failedBefore'>,
  side: Side,
  items: readonly Item[],
) => {
  const hasFailed = (item: Item): boolean => hasFailedBefore(execution, side, item);
  return { sound: items.filter((item) => !hasFailed(item)), failed: items.filter(hasFailed) };
};

/** Returns the items in batches. An item whose write the side failed at before gets its own batch (R15). */
export const batchesOf = <Item extends Decided>(
  execution: Pick<Execution, 'failedBefore'>,
  side: Side,
  items: readonly Item[],
  size: number,
): readonly (readonly Item[])[] => {
  const { sound, failed } = withoutFailed(execution, side, items);
  return [...chunks(sound, size), ...chunks(failed, 1)];
};

/** Writes that were answered. `stored` settles once the answers are on disk, wrapped, because an `await` would wait for a plain promise. */
export type Answered = { readonly stored: Promise<readonly Result[]> };

/**
 * Processes the items with at most `concurrency` at once, and returns their results; after a failure no further item is started. Each
 * worker continues while its previous answer is being stored: that answer and the next intent are written to disk together.
 */
export const inParallel = async <Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<Answered>,
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
      stored = (await answered)?.stored.then((some) => results.push(...some), note) ?? stored;
      if (failures.length > 0) break;
    }
    await stored;
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
};
