/** Creates waits for a condition that changes with events. */
export const createWaiting = () => {
  const looks = new Set<() => void>();
  return {
    /** Checks every condition that is waited for. */
    notify: (): void => {
      for (const look of looks) look();
    },
    /** Resolves with the first result of `find` that is not undefined, now or after a later event. */
    until: <T>(find: () => T | undefined): Promise<T> =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = find();
          if (found === undefined) return;
          looks.delete(look);
          resolve(found);
        };
        looks.add(look);
        look();
      }),
  };
};
