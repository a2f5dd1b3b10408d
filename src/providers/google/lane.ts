/** Runs tasks strictly one after the other, in the order in which they were handed in. */
export type Lane = <Value>(task: () => Promise<Value>) => Promise<Value>;

/** Google wants the mutations of one account sequential (People API reference, every write). */
export const createLane = (): Lane => {
  let tail: Promise<unknown> = Promise.resolve();
  return (task) => {
    const turn = tail.then(task);
    tail = turn.catch(() => undefined);
    return turn;
  };
};
