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

/** Sends the batches one after the other, and returns their results. */
export const inTurn = async <Batch>(
  batches: readonly Batch[],
  send: (batch: Batch) => Promise<readonly Result[]>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  for (const batch of batches) results.push(...(await send(batch)));
  return results;
};
