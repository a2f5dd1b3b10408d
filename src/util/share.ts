/** Returns a function that does the work at its first call and keeps the result. After a failure the next call does it again. */
export const keepResult = <Args extends readonly unknown[], Value>(
  work: (...args: Args) => Promise<Value>,
): ((...args: Args) => Promise<Value>) => {
  let kept: Promise<Value> | null = null;
  return (...args) =>
    (kept ??= work(...args).catch((error: unknown) => {
      kept = null;
      throw error;
    }));
};

/** Returns a function that shares the result of the work with all calls during it. */
export const shareConcurrentCalls = <Value>(work: () => Promise<Value>): (() => Promise<Value>) => {
  let underWay: Promise<Value> | null = null;
  return () =>
    (underWay ??= work().finally(() => {
      underWay = null;
    }));
};
