import { splitInHalves } from '../../util/batches.ts';
import { InvalidError, NotFoundError, RemoteError, StaleError, UnavailableError } from '../errors.ts';
import { metRefusal } from '../write-results.ts';
import type { WriteResult } from '../remote.ts';

/** Faults of an item. Google refuses a batch as a whole, so the fault of one item affects the others. */
const isItemFault = (error: RemoteError): boolean =>
  error instanceof InvalidError || error instanceof StaleError || error instanceof NotFoundError;

/**
 * Sends a batch and returns a result for every item. A batch that was refused for the fault of an item is sent in halves
 * until the faulty items are alone. Any other failure is the result of each item of the batch. After a credential error
 * nothing more is sent. Throws every error that is not a RemoteError (an abort).
 */
export const sendSplitting = async <Item extends { readonly key: string }, Value>(
  items: readonly Item[],
  send: (items: readonly Item[]) => Promise<readonly WriteResult<Value>[]>,
): Promise<readonly WriteResult<Value>[]> => {
  if (items.length === 0) return [];
  try {
    return await send(items);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    if (items.length === 1 || !isItemFault(error)) return items.map(({ key }) => ({ key, ok: false, error }));
    const [first, second] = splitInHalves(items);
    const results = await sendSplitting(first, send);
    return metRefusal(results) ? results : [...results, ...(await sendSplitting(second, send))];
  }
};

const isServerFault = (results: readonly WriteResult<unknown>[]): boolean =>
  results.every((result) => !result.ok && result.error instanceof UnavailableError && result.error.status === 500);

/**
 * Merges the results of items that were sent twice: a definite result of the second attempt replaces the first one. If the item is
 * stale then, the first attempt may have been applied.
 */
const updated = <Value>(
  earlier: readonly WriteResult<Value>[],
  later: readonly WriteResult<Value>[],
): readonly WriteResult<Value>[] => {
  const laterResults = new Map(
    later
      .filter((result) => result.ok || (isItemFault(result.error) && !(result.error instanceof StaleError)))
      .map((one) => [one.key, one]),
  );
  return earlier.map((result) => laterResults.get(result.key) ?? result);
};

/**
 * Like {@link sendSplitting}, for items that may safely be sent twice. One item may also be the cause of a batch that failed
 * with a 500. Such a batch is sent in halves as long as one of the two halves succeeds.
 */
export const sendNarrowing = async <Item extends { readonly key: string }, Value>(
  items: readonly Item[],
  send: (items: readonly Item[]) => Promise<readonly WriteResult<Value>[]>,
): Promise<readonly WriteResult<Value>[]> => {
  const narrow = async (
    batch: readonly Item[],
    results: readonly WriteResult<Value>[],
  ): Promise<readonly WriteResult<Value>[]> => {
    if (batch.length < 2 || !isServerFault(results)) return results;
    const [first, second] = splitInHalves(batch);
    const one = await sendSplitting(first, send);
    const other = metRefusal(one) ? [] : await sendSplitting(second, send);
    if (metRefusal([...one, ...other]) || (isServerFault(one) && isServerFault(other))) {
      return updated(results, [...one, ...other]);
    }
    return updated(results, [...(await narrow(first, one)), ...(await narrow(second, other))]);
  };
  return narrow(items, await sendSplitting(items, send));
};
