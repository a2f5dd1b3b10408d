import { isCredentialError, RemoteError } from './errors.ts';
import type { WriteResult } from './remote.ts';

/**
 * Calls `operation` for each item, at most `concurrency` at once. The results are in the order of the items. After a failure
 * no further item is started. The failure is thrown after the running calls have ended.
 */
export const mapConcurrently = async <Item, Result>(
  items: readonly Item[],
  concurrency: number,
  operation: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  const queue = items.entries();
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) {
      try {
        results[index] = await operation(item);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work));
  if (failures.length > 0) throw failures[0];
  return results;
};

/** Splits items into groups of at most `size`. */
export const chunks = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

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

/**
 * Writes the items, at most `concurrency` at once, and returns a result for each. After a credential error no further item is
 * started. Items that were not started have no result.
 */
export const settleEach = async <Item, Value>(
  items: readonly Item[],
  concurrency: number,
  write: (item: Item) => Promise<WriteResult<Value>>,
): Promise<readonly WriteResult<Value>[]> => {
  let isRefused = false;
  const results = await mapConcurrently(items, concurrency, async (item) => {
    if (isRefused) return [];
    const result = await write(item);
    isRefused ||= metRefusal([result]);
    return [result];
  });
  return results.flat();
};
