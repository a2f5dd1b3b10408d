/**
 * Lets timers and answers have their turn between two long steps: a store that is a file answers without waiting, and the
 * lease must be renewed all the same.
 */
export const letOthersRun = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
