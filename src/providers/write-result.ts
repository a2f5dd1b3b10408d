import { RemoteError } from './errors.ts';
import { metRefusal } from './refusal.ts';
import type { WriteResult } from './remote.ts';
import { mapConcurrently } from './concurrency.ts';

/** Answers for one item of a write: its value, or its error. Whatever is no RemoteError (the abort of a signal) is thrown. */
export const settle = async <Value>(key: string, operation: () => Promise<Value>): Promise<WriteResult<Value>> => {
  try {
    return { key, ok: true, value: await operation() };
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return { key, ok: false, error };
  }
};

/**
 * Writes the items, at most `concurrency` at once, and answers for each; once one has met a refused credential no further one is
 * begun, and what was not has no result.
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
