import { mapConcurrently } from '../util/batches.ts';
import { isCredentialError, RemoteError } from './errors.ts';
import type { WriteResult } from './remote.ts';

/** Returns whether a credential was refused in these results (R16). Nothing more of the batch is sent then. */
export const metRefusal = (results: readonly WriteResult<unknown>[]): boolean =>
  results.some((result) => !result.ok && isCredentialError(result.error));

/** Returns the results of a batch. If it has only credential errors and nothing was written, throws the error. */
export const orRefusal = async <Value>(
  writes: Promise<readonly WriteResult<Value>[]>,
): Promise<readonly WriteResult<Value>[]> => {
  const results = await writes;
  const refusals = results.flatMap((result) => {
    return !result.ok && isCredentialError(result.error) && result.error.applied === 'no' ? [result.error] : [];
  });
  const [refusal] = refusals;
  if (refusal !== undefined && refusals.length === results.length) throw refusal;
  return results;
};

/** Returns the result of one item of a write: its value, or its error. Other errors than RemoteError (an abort) are thrown. */
export const settle = async <Value>(key: string, operation: () => Promise<Value>): Promise<WriteResult<Value>> => {
  try {
    return { key, ok: true, value: await operation() };
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return { key, ok: false, error };
  }
};

/** An item of a write: a request with its key, or an id, which is its own key. */
type WriteItem = string | { readonly key: string };

const keyOf = (item: WriteItem): string => (typeof item === 'string' ? item : item.key);

/**
 * Writes the items, at most `concurrency` at once, and returns a result for each. After a credential error no further item is
 * started. Items that were not started have no result.
 */
export const settleEach = async <Item extends WriteItem, Value>(
  items: readonly Item[],
  concurrency: number,
  write: (item: Item) => Promise<Value>,
): Promise<readonly WriteResult<Value>[]> => {
  let isRefused = false;
  const results = await mapConcurrently(items, concurrency, async (item) => {
    if (isRefused) return [];
    const result = await settle(keyOf(item), () => write(item));
    isRefused ||= metRefusal([result]);
    return [result];
  });
  return results.flat();
};
