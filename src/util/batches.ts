/** Splits items into chunks of at most `size`. */
export const chunks = <Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

/** Returns the two halves of a list of two or more items. */
export const splitInHalves = <Item>(items: readonly Item[]): readonly [readonly Item[], readonly Item[]] => {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
};

/** Returns a function that runs tasks strictly one after the other, in the order of the calls. */
export const createLane = () => {
  let tail: Promise<unknown> = Promise.resolve();
  return <Value>(task: () => Promise<Value>): Promise<Value> => {
    const turn = tail.then(task);
    tail = turn.catch(() => undefined);
    return turn;
  };
};

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
